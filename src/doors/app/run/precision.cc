// SPDX-License-Identifier: Apache-2.0
#include "app/run/precision.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "model/int8.h"

namespace protium {
namespace {

Status CheckPrecision(const std::string& precision) {
  if (precision == "bf16" || precision == "bfloat16") {
    return Fail({.exit = Exit::kUsage,
                 .what = "models do not predict in " + precision,
                 .where = "--precision",
                 .fix = "int8 or float32"});
  }
  if (precision == "int8" || precision == "float32") return Status::OK();
  const std::vector<std::string> known = {"int8", "float32"};
  return UnknownName("precision", precision, known, "--precision");
}

}  // namespace

std::vector<Flag> PrecisionFlags() {
  return {
      {"--precision", "NAME",
       "int8: rounds the weights of layers to 8 bits, which is faster; float32 (the default)", ""},
      {"--most-loss", "SHARE",
       "with int8: how much worse the metric on the validation rows may be (0.001)", ""}};
}

Result<std::optional<double>> ReadPrecision(const Arguments& arguments) {
  const std::string precision = arguments.Value("--precision", "float32");
  PT_TRY(CheckPrecision(precision));
  const bool int8 = precision == "int8";
  if (!arguments.Has("--most-loss")) return int8 ? std::optional(kMostInt8Loss) : std::nullopt;
  if (!int8) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--most-loss is for --precision int8, which is not given",
                 .fix = "add --precision int8, or leave --most-loss out"});
  }
  const std::string typed = arguments.Value("--most-loss");
  const auto share = AllAsNumber<double>(typed);
  if (share && *share >= 0 && *share <= 1) return share;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("--most-loss {} is not a share from 0 to 1", typed),
               .fix = "--most-loss 0.005"});
}

}  // namespace protium
