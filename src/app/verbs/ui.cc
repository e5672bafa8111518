// SPDX-License-Identifier: Apache-2.0
// `protium ui`: serves the page of runs until Ctrl-C. It only reads run folders.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/verb.h"
#include "base/fault.h"
#include "http/guard.h"
#include "os/signals.h"
#include "page/page.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// The address is the first line, for people and for scripts. A token never stands in an address
// that is sent: browsers keep what follows "#" to themselves.
Status PrintAddress(const Page& page, const std::string& token) {
  PT_TRY(PrintResult(page.address() + "\n"));
  if (token.empty()) return Status::OK();
  return PrintResult(fmt::format("with the token: {}#token={}\n", page.address(), token));
}

Status Serve(const Arguments& arguments, const Invocation&) {
  PageOptions options{.runs = arguments.operand(0)};
  if (options.runs.empty()) options.runs = RunsDir(arguments);
  options.host = arguments.Value("--host", options.host);
  PT_LET(const int64_t port, arguments.Number("--port", 0));
  if (port > 65535) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("there is no port {}", port),
                 .fix = "--port with a number from 1 to 65535"});
  }
  options.port = int32_t(port);
  std::error_code ignored;
  if (fs::exists(options.runs, ignored) && !fs::is_directory(options.runs, ignored)) {
    return Fail({.exit = Exit::kInput,
                 .what = options.runs.string() + " is not a folder of runs",
                 .fix = "protium ui RUNS_DIR"});
  }
  if (!IsOwnMachine(options.host) || arguments.Has("--token")) {
    PT_LET(options.token, MakeToken());
  }
  // Before there are threads.
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_LET(const std::unique_ptr<Page> page, OpenPage(options));
  PT_TRY(PrintAddress(*page, options.token));
  if (!Terminal::Of(STDERR_FILENO).quiet) {
    PrintNote(fmt::format("shows the runs in {}; Ctrl-C ends it\n",
                          fs::absolute(options.runs).lexically_normal().string()));
  }
  return page->Serve(signals->token());
}

}  // namespace

CommandVerb UiVerb() {
  return {{.name = "ui",
           .operands = {"[RUNS_DIR]"},
           .flags = {{"--port", "N", "the port; 4040 or the next free one unless given", ""},
                     {"--host", "ADDRESS", "listens there instead of on this machine alone", ""},
                     {"--token", "", "asks for a token on this machine, too", ""},
                     RunsDirFlag()},
           .says = "shows all runs in the browser, live and long after",
           .more = "The first line that it prints is its address. It only reads, so it disturbs no "
                   "run.\nWith --host other machines reach it: then it makes a token, prints it "
                   "once and asks\neverybody for it.\n\n"
                   "  protium ui\n  protium ui /data/runs --port 8080\n"},
          Serve};
}

}  // namespace protium
