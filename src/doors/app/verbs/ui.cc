// SPDX-License-Identifier: Apache-2.0
// `protium ui`: serves the page of runs until Ctrl-C. Without a token it only reads run folders.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "app/run/server_place.h"
#include "app/verb.h"
#include "base/fault.h"
#include "os/signals.h"
#include "page/page.h"
#include "run/terminal.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Prints the address as the first line, for people and for scripts. A token is only ever in a part
// of the address that is never sent: browsers do not send what follows "#".
Status PrintAddress(const Page& page, const std::string& token) {
  PT_TRY(PrintResult(page.address() + "\n"));
  if (token.empty()) return Status::OK();
  return PrintResult(fmt::format("with the token: {}#token={}\n", page.address(), token));
}

Status Serve(const Arguments& arguments, const Invocation&) {
  PageOptions options{.runs = arguments.operand(0)};
  if (options.runs.empty()) options.runs = RunsDir(arguments);
  PT_LET(const ServerPlace place, ReadServerPlace(arguments));
  options.host = place.host;
  options.port = place.port;
  options.token = place.token;
  std::error_code ignored;
  if (fs::exists(options.runs, ignored) && !fs::is_directory(options.runs, ignored)) {
    return Fail({.exit = Exit::kInput,
                 .what = options.runs.string() + " is not a folder of runs",
                 .fix = "protium ui RUNS_DIR"});
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
  std::vector<Flag> flags = ServerPlaceFlags(4040);
  flags.push_back(RunsDirFlag());
  return {{.name = "ui",
           .operands = {"[RUNS_DIR]"},
           .flags = std::move(flags),
           .says = "shows all runs in the browser, live and long after",
           .more = "The first line that it prints is its address. It only reads, so it disturbs no "
                   "run.\nWith --host other machines reach it: then it makes a token, prints it "
                   "once and asks\neverybody for it. Whoever has a token can also tag and delete "
                   "runs, and try models.\n\n"
                   "  protium ui\n  protium ui /data/runs --port 8080\n"},
          Serve};
}

}  // namespace protium
