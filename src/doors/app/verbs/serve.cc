// SPDX-License-Identifier: Apache-2.0
// `protium serve`: a model behind HTTP until SIGTERM or Ctrl-C. It writes nothing but the requests
// of --log.
#include "serve/serve.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "app/run/named_run.h"
#include "app/run/net_inputs.h"
#include "app/run/server_place.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/text.h"
#include "os/signals.h"
#include "run/terminal.h"
#include "terminal/printing.h"

namespace protium {
namespace {

constexpr int64_t kDrainSeconds = 5, kMostDrainSeconds = 3600;

Status ReadLog(const Arguments& arguments, ServeOptions& options) {
  if (arguments.Has("--log")) options.log = std::filesystem::absolute(arguments.Value("--log"));
  if (!arguments.Has("--log-share")) return Status::OK();
  const std::string share = arguments.Value("--log-share");
  if (options.log.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--log-share is the share of requests to keep, and none are kept",
                 .fix = "add --log FOLDER, or leave it out"});
  }
  options.log_share = AllAsNumber<double>(share).value_or(0);
  if (options.log_share > 0 && options.log_share <= 1) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("--log-share {} is not a share above 0 and up to 1", share),
               .fix = "--log-share 0.1"});
}

Result<ServeOptions> ReadServeOptions(const Arguments& arguments) {
  ServeOptions options;
  PT_LET(options.model, FindNamedModel(arguments, arguments.operand(0)));
  PT_LET(options.inputs, ReadFedColumns(arguments, options.model));
  options.name = arguments.Value("--name", options.name);
  PT_LET(const ServerPlace place, ReadServerPlace(arguments));
  options.host = place.host;
  options.port = place.port;
  options.token = place.token;
  PT_LET(const int64_t drain, arguments.Number("--drain", kDrainSeconds));
  options.drain = std::chrono::seconds(std::min(drain, kMostDrainSeconds));
  PT_TRY(ReadLog(arguments, options));
  options.note = PrintNote;
  return options;
}

// Prints the address as the first line, for people and for scripts.
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
  std::vector<Flag> flags = ServerPlaceFlags(8080);
  flags.push_back(
      {"--drain", "SECONDS",
       "at SIGTERM, how long /readyz says no before no request is taken; 5 unless given", ""});
  flags.push_back({"--name", "NAME",
                   "the model's in paths below /v2/models (Open Inference Protocol); model unless "
                   "given",
                   ""});
  flags.push_back({"--log", "FOLDER",
                   "keeps the rows of requests and their predictions there, as Parquet files", ""});
  flags.push_back({"--log-share", "SHARE", "of the requests, drawn at random; 1 unless given", ""});
  flags.push_back(FedColumnsFlag());
  flags.push_back(RunsDirFlag());
  return {
      {.name = "serve",
       .operands = {"MODEL"},
       .flags = std::move(flags),
       .says = "answers requests for predictions over HTTP",
       .more = "MODEL is a model folder, a run (last, a tag) or an ONNX file. The first line that "
               "it prints is its address:\n\n"
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
