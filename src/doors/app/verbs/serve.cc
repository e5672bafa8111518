// SPDX-License-Identifier: Apache-2.0
// `protium serve`: models behind HTTP until SIGTERM or Ctrl-C. It writes nothing but the requests
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
#include "app/run/precision.h"
#include "app/run/served_places.h"
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

// One model, or several by name.
Status ReadModels(const Arguments& arguments, ServeOptions& options) {
  PT_LET(options.models, ReadServedPlaces(arguments));
  const bool one = !arguments.operand(0).empty();
  if (one == !options.models.empty()) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = one ? "MODEL and --model are two ways to say what is served" : "no model is named",
         .fix = one ? "give each of them as --model NAME=MODEL"
                    : "protium serve last, or protium serve --model late=runs/a"});
  }
  if (one) {
    PT_LET(options.model, FindNamedModel(arguments, arguments.operand(0)));
    PT_LET(options.inputs, ReadFedColumns(arguments, options.model));
    options.name = arguments.Value("--name", options.name);
    return Status::OK();
  }
  for (const char* flag : {"--name", "--inputs"}) {
    if (!arguments.Has(flag)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} is for a single model", flag),
                 .fix = "leave it out: models have the names of --model, and nets of ONNX files "
                        "read the columns of their inputs' names"});
  }
  return Status::OK();
}

// What is served, for people.
std::string Served(const ServeOptions& options, const std::string& address) {
  if (options.models.empty()) {
    return fmt::format("serving the model in {}; POST rows to {}v1/score, Ctrl-C stops it\n",
                       options.model.string(), address);
  }
  std::string lines;
  for (const ModelToServe& each : options.models) {
    lines += fmt::format("{}: the model in {}", each.name, each.model.string());
    if (!each.canary.empty()) {
      lines += fmt::format("; {} of the requests to that in {}", each.canary_share,
                           each.canary.string());
    }
    lines += fmt::format("; POST rows to {}v1/models/{}/score\n", address, each.name);
  }
  return lines + "Ctrl-C stops it\n";
}

Result<ServeOptions> ReadServeOptions(const Arguments& arguments) {
  ServeOptions options;
  PT_LET(options.most_int8_loss, ReadPrecision(arguments));
  PT_LET(const ServerPlace place, ReadServerPlace(arguments));
  options.host = place.host;
  options.port = place.port;
  options.token = place.token;
  PT_LET(const int64_t drain, arguments.Number("--drain", kDrainSeconds));
  options.drain = std::chrono::seconds(std::min(drain, kMostDrainSeconds));
  PT_TRY(ReadLog(arguments, options));
  // Last: they may be copied from an object store.
  PT_TRY(ReadModels(arguments, options));
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
    PrintNote(Served(options, server->address()));
  }
  return server->Serve(signals->token());
}

}  // namespace

CommandVerb ServeVerb() {
  std::vector<Flag> flags = ServerPlaceFlags(8080);
  flags.push_back({"--drain", "SECONDS",
                   "after SIGTERM, how long /readyz fails before requests are refused (5)", ""});
  flags.push_back({"--name", "NAME",
                   "the model's name in paths below /v2/models (Open Inference Protocol) (model)",
                   ""});
  for (Flag& each : ServedPlacesFlags()) flags.push_back(std::move(each));
  flags.push_back({"--log", "FOLDER",
                   "logs the rows of requests and their predictions there, as Parquet files", ""});
  flags.push_back(
      {"--log-share", "SHARE", "the share of requests to log, drawn at random (1)", ""});
  flags.push_back(FedColumnsFlag());
  for (Flag& each : PrecisionFlags()) flags.push_back(std::move(each));
  flags.push_back(RunsDirFlag());
  return {
      {.name = "serve",
       .operands = {"[MODEL]"},
       .flags = std::move(flags),
       .says = "serves predictions over HTTP",
       .more = "MODEL is a model folder, a run (last, a tag) or an ONNX file. The first line that "
               "it prints is its address:\n"
               "\n"
               "  protium serve last\n"
               "  curl --json '{\"rows\": [{\"x\": 1.5, \"shop\": \"north\"}]}' "
               "http://127.0.0.1:8080/v1/score\n"
               "\n"
               "Several models, one of which tries another version with a tenth of its requests:\n"
               "\n"
               "  protium serve --model late=runs/a --model churn=runs/b --canary late=runs/c:0.1\n"
               "  curl --json '{\"rows\": [...]}' http://127.0.0.1:8080/v1/models/late/score\n"
               "\n"
               "GET /v1/model lists the columns that rows need. A model that replaces the one in "
               "the folder is\n"
               "loaded without losing a request, also at SIGHUP or POST /v1/reload. SIGTERM ends "
               "the server once\n"
               "all requests have responses. With --host other machines can reach it: it then "
               "makes a token,\n"
               "prints it once and requires it of everyone.\n"},
      ServeModel};
}

}  // namespace protium
