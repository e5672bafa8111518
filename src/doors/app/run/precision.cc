// SPDX-License-Identifier: Apache-2.0
#include "app/run/precision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "model/rounded.h"

namespace protium {
namespace {

using Precisions = std::vector<WeightPrecision>;

// With float32.
std::vector<std::string> NamesOf(const Precisions& rounded, const char* also) {
  std::vector<std::string> names;
  for (const WeightPrecision each : rounded) names.emplace_back(NameOf(each));
  if (also != nullptr) names.emplace_back(also);
  return names;
}

Result<WeightPrecision> ParsePrecision(const std::string& typed, const Precisions& rounded) {
  if (typed == "float32") return WeightPrecision::kFloat32;
  for (const WeightPrecision each : rounded) {
    if (typed == NameOf(each)) return each;
  }
  if (typed == "bf16" || typed == "bfloat16") {
    return Fail({.exit = Exit::kUsage,
                 .what = "models do not predict in " + typed,
                 .where = "--precision",
                 .why = "it would be no faster: such weights are widened to float32 before they "
                        "are multiplied",
                 .fix = "int8 or float32; export --to onnx --precision bf16 writes a graph of half "
                        "the size"});
  }
  return UnknownName("precision", typed, NamesOf(rounded, "float32"), "--precision");
}

Result<double> ReadMostLoss(const Arguments& arguments) {
  const std::string typed = arguments.Value("--most-loss");
  const auto share = AllAsNumber<double>(typed);
  if (share && *share >= 0 && *share <= 1) return *share;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("--most-loss {} is not a share from 0 to 1", typed),
               .fix = "--most-loss 0.005"});
}

Result<std::optional<Rounding>> ReadRounding(const Arguments& arguments,
                                             const Precisions& rounded) {
  PT_LET(const WeightPrecision precision,
         ParsePrecision(arguments.Value("--precision", "float32"), rounded));
  const bool limited = arguments.Has("--most-loss");
  if (precision == WeightPrecision::kFloat32 && limited) {
    const std::string names = fmt::format("{}", fmt::join(NamesOf(rounded, nullptr), " or "));
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("--most-loss is for --precision {}, which is not given", names),
         .fix = fmt::format("add --precision {}, or leave --most-loss out", names)});
  }
  if (precision == WeightPrecision::kFloat32) return std::nullopt;
  Rounding rounding{.precision = precision, .most_loss = kMostRoundedLoss};
  if (limited) {
    PT_LET(rounding.most_loss, ReadMostLoss(arguments));
  }
  return rounding;
}

Flag MostLossFlag(const std::string& of) {
  return {
      "--most-loss", "SHARE",
      fmt::format("with {}: how much worse the metric on the validation rows may be (0.001)", of),
      ""};
}

}  // namespace

std::vector<Flag> PrecisionFlags() {
  return {
      {"--precision", "NAME",
       "int8: rounds weights to 8 bits, which makes nets of layers faster; float32 (the default)",
       ""},
      MostLossFlag("int8")};
}

std::vector<Flag> ExportPrecisionFlags() {
  return {{"--precision", "NAME",
           "int8: rounds weights to 8 bits, for about a quarter of the size; bf16: to 16, for half "
           "of it; float32 (the default)",
           ""},
          MostLossFlag("int8 and bf16")};
}

Result<std::optional<double>> ReadPrecision(const Arguments& arguments) {
  PT_LET(const auto rounding, ReadRounding(arguments, {WeightPrecision::kInt8}));
  return rounding ? std::optional(rounding->most_loss) : std::nullopt;
}

Result<std::optional<Rounding>> ReadExportPrecision(const Arguments& arguments) {
  return ReadRounding(arguments, {WeightPrecision::kInt8, WeightPrecision::kBfloat16});
}

}  // namespace protium
