// SPDX-License-Identifier: Apache-2.0
// `protium serve`: a model behind HTTP until SIGTERM or Ctrl-C. It writes nothing.
#include "serve/serve.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/run/model_place.h"
#include "app/verb.h"
#include "base/fault.h"
#include "http/guard.h"
#include "os/signals.h"
#include "run/terminal.h"

namespace protium {
namespace {

Result<ServeOptions> ReadServeOptions(const Arguments& arguments) {
  ServeOptions options;
  PT_LET(options.model, FindModel(RunsDir(arguments), arguments.operand(0)));
  options.host = arguments.Value("--host", options.host);
  PT_LET(const int64_t port, arguments.Number("--port", 0));
  if (port > 65535) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("there is no port {}", port),
                 .fix = "--port with a number from 1 to 65535"});
  }
  options.port = int32_t(port);
  if (!IsOwnMachine(options.host) || arguments.Has("--token")) {
    PT_LET(options.token, MakeToken());
  }
  options.note = PrintNote;
  return options;
}

// The address is the first line, for people and for scripts.
Status ServeModel(const Arguments& arguments, const Invocation&) {
  PT_LET(const ServeOptions options, ReadServeOptions(arguments));
  // Before there are threads.
  BlockHangup();
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_LET(const std::unique_ptr<ModelServer> server, OpenModelServer(options));
  PT_TRY(PrintResult(server->address() + "\n"));
  if (!options.token.empty()) {
    PT_TRY(PrintResult(fmt::format("Authorization: Bearer {}\n", options.token)));
  }
  if (!Terminal::Of(STDERR_FILENO).quiet) {
    PrintNote(fmt::format("serves the model in {}; POST rows to {}v1/score, Ctrl-C ends it\n",
                          options.model.string(), server->address()));
  }
  return server->Serve(signals->token());
}

}  // namespace

CommandVerb ServeVerb() {
  return {{.name = "serve",
           .operands = {"MODEL"},
           .flags = {{"--port", "N", "the port; 8080 or the next free one unless given", ""},
                     {"--host", "ADDRESS", "listens there instead of on this machine alone", ""},
                     {"--token", "", "asks for a token on this machine, too", ""},
                     RunsDirFlag()},
           .says = "answers requests for predictions over HTTP",
           .more = "MODEL is a model folder, or a run: last, a tag. The first line that it prints "
                   "is its address:\n\n"
                   "  protium serve last\n"
                   "  curl --json '{\"rows\": [{\"x\": 1.5, \"shop\": \"north\"}]}' "
                   "http://127.0.0.1:8080/v1/score\n\n"
                   "GET /v1/model tells what rows must hold. A model that takes the folder's place "
                   "is served\nwithout a request lost; so is one at SIGHUP or POST /v1/reload. "
                   "SIGTERM ends it once all\nrequests have their answers. With --host other "
                   "machines reach it: then it makes a token,\nprints it once and asks everybody "
                   "for it.\n"},
          ServeModel};
}

}  // namespace protium
