// SPDX-License-Identifier: Apache-2.0
#include "app/run/served_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "app/run/named_run.h"
#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

Status NotAPlace(const std::string& flag, const std::string& given, const std::string& fix) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("{} {} does not name a model", flag, given),
               .fix = fix});
}

// NAME=VALUE as its two parts.
Result<std::pair<std::string, std::string>> SplitName(const std::string& flag,
                                                      const std::string& given,
                                                      const std::string& fix) {
  const size_t equals = given.find('=');
  if (equals == given.npos || equals + 1 == given.size()) return NotAPlace(flag, given, fix);
  std::string name = given.substr(0, equals);
  // "." and ".." are folders, where requests are kept.
  if (name.empty() || name.front() == '.' || name.find_first_not_of(kLetters) != name.npos) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" cannot be the name of a model", name),
                 .why = "it is part of paths: letters, digits, \".\", \"-\" and \"_\" can",
                 .fix = fix});
  }
  return std::pair(std::move(name), given.substr(equals + 1));
}

Status AddCanary(const Arguments& arguments, const std::string& given,
                 std::vector<ModelToServe>& models) {
  const std::string fix = "--canary late=runs/b:0.1";
  PT_LET(const auto parts, SplitName("--canary", given, fix));
  const auto model = std::ranges::find(models, parts.first, &ModelToServe::name);
  if (model == models.end() || !model->canary.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format(
                     "--canary {}: {}", parts.first,
                     model == models.end() ? "no --model has this name" : "it has one already"),
                 .fix = fmt::format("--model {}=MODEL {}", parts.first, fix)});
  }
  const size_t colon = parts.second.rfind(':');
  const bool has_share = colon != parts.second.npos;
  const auto share = AllAsNumber<double>(has_share ? parts.second.substr(colon + 1) : "");
  if (!share || !(*share > 0 && *share < 1)) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("--canary {} has no share of the requests between 0 and 1", given),
         .fix = fix});
  }
  PT_LET(model->canary, FindNamedModel(arguments, parts.second.substr(0, colon)));
  model->canary_share = *share;
  return Status::OK();
}

}  // namespace

std::vector<Flag> ServedPlacesFlags() {
  return {{"--model", "NAME=MODEL",
           "serves several models, each below /v1/models/NAME and /v2/models/NAME; may be repeated",
           ""},
          {"--canary", "NAME=MODEL:SHARE",
           "another version of a --model, for this share of its requests", ""}};
}

Result<std::vector<ModelToServe>> ReadServedPlaces(const Arguments& arguments) {
  std::vector<ModelToServe> models;
  for (const std::string& each : arguments.Values("--model")) {
    PT_LET(const auto parts, SplitName("--model", each, "--model late=runs/a"));
    if (std::ranges::find(models, parts.first, &ModelToServe::name) != models.end()) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("two models are named \"{}\"", parts.first),
                   .fix = "--canary serves another version of a model"});
    }
    ModelToServe model{.name = parts.first};
    PT_LET(model.model, FindNamedModel(arguments, parts.second));
    models.push_back(std::move(model));
  }
  for (const std::string& each : arguments.Values("--canary")) {
    PT_TRY(AddCanary(arguments, each, models));
  }
  return models;
}

}  // namespace protium
