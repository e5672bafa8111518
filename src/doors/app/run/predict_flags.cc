// SPDX-License-Identifier: Apache-2.0
#include "app/run/predict_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/run/drift_report.h"
#include "app/run/forward.h"
#include "app/run/precision.h"
#include "app/verb.h"
#include "base/fault.h"
#include "protium/pipeline.h"
#include "terminal/standard_streams.h"

namespace protium {
namespace {

constexpr int32_t kMostSamples = 10'000;

// Checks what --format and "-" require of each other and of other flags.
Status CheckStreams(const Arguments& arguments) {
  const bool streams = FromStdin(arguments) || ToStdout(arguments);
  if (arguments.Has("--format") && !streams) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--format is for stdin and stdout, and neither is used",
                 .fix = "--input - or --output -; files have the format of their names"});
  }
  PT_TRY(StreamEnding(arguments.Value("--format", "csv")));
  if (ToStdout(arguments) && arguments.Has("--json")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--output - and --json would both write to stdout",
                 .fix = "leave --json out, or write to a file: --output scored.csv"});
  }
  if (std::ranges::count(arguments.Values("--input"), "-") < 2) return Status::OK();
  return Fail({.exit = Exit::kUsage, .what = "stdin can be read once: --input - is given twice"});
}

Status CheckInputs(const Arguments& arguments) {
  const bool input = arguments.Has("--input"), etl = RunsEtl(arguments);
  if (input != etl || (!input && arguments.Has("--horizon"))) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "predict needs either --input PLACE, or --data DIR and --table NAME=PLACE",
               .fix = UsageFix(PredictVerb().shape)});
}

}  // namespace

bool FromStdin(const Arguments& arguments) {
  return std::ranges::count(arguments.Values("--input"), "-") > 0;
}

bool ToStdout(const Arguments& arguments) { return arguments.Value("--output") == "-"; }

bool RunsEtl(const Arguments& arguments) {
  return arguments.Has("--data") || arguments.Has("--table");
}

Result<int32_t> ExplainedColumns(const Arguments& arguments) {
  if (!arguments.Has("--explain")) return 0;
  if (arguments.Value("--explain") == "all") return kEveryColumn;
  const Result<int64_t> columns = arguments.Number("--explain", 0);
  if (columns.ok() && *columns >= 1 && *columns <= INT32_MAX) return int32_t(*columns);
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("--explain {} is not a number of columns", arguments.Value("--explain")),
       .fix = "--explain 3, or --explain all"});
}

Result<int32_t> ExplainingSamples(const Arguments& arguments) {
  if (!arguments.Has("--samples")) return kUsualSamples;
  if (!arguments.Has("--explain")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--samples is for --explain, which is not given",
                 .fix = "add --explain 3, or leave --samples out"});
  }
  const Result<int64_t> samples = arguments.Number("--samples", kUsualSamples);
  if (samples.ok() && *samples >= 1 && *samples <= kMostSamples) return int32_t(*samples);
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("--samples {} is not 1 to {}", arguments.Value("--samples"),
                                   kMostSamples),
               .fix = "--samples 4"});
}

Status CheckPredictFlags(const Arguments& arguments) {
  PT_TRY(CheckInputs(arguments));
  for (const auto& [flag, fix] :
       {std::pair{"--model", "--model last takes that of the newest run"},
        std::pair{"--output", "--output scored.csv, or --output - for stdout"}}) {
    if (!arguments.Has(flag)) {
      return Fail(
          {.exit = Exit::kUsage, .what = fmt::format("predict needs {}", flag), .fix = fix});
    }
  }
  PT_TRY(CheckStreams(arguments));
  PT_TRY(ReadPrecision(arguments).status());
  PT_TRY(ExplainedColumns(arguments));
  PT_TRY(ExplainingSamples(arguments));
  PT_TRY(ReadForwardFlags(arguments).status());
  return ReadDriftFlag(arguments).status();
}

}  // namespace protium
