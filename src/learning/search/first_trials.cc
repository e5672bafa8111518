// SPDX-License-Identifier: Apache-2.0
#include "search/first_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "search/space.h"

namespace protium {
namespace {

Status FirstFault(std::string where, std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = std::move(where),
               .fix = std::move(fix)});
}

std::string RangeText(const Dimension& dimension) {
  if (dimension.kind == Dimension::Kind::kChoice) {
    return "set one of " + Dump(Json(dimension.choices)) + ", or add it to search.space";
  }
  const auto text = [&](double end) {
    return Dump(IsWhole(dimension.kind) ? Json(int64_t(end)) : Json(end));
  };
  return fmt::format("set a {} from {} to {}, or widen its range in search.space",
                     IsWhole(dimension.kind) ? "whole number" : "number", text(dimension.low),
                     text(dimension.high));
}

// Adds what `given` holds below `at`, the path of an entry that is a table.
Status ReadValues(const Space& space, const Json& given, const std::string& at,
                  const std::string& where, Json& values) {
  for (const auto& [key, value] : given.items()) {
    const std::string name = at.empty() ? key : at + "." + key;
    const std::string here = where + "." + key;
    const auto dimension = std::ranges::find(space, name, &Dimension::path);
    if (dimension == space.end() && value.is_object()) {
      PT_TRY(ReadValues(space, value, name, here, values));
    } else if (dimension == space.end()) {
      std::vector<std::string> paths;
      for (const Dimension& each : space) paths.push_back(each.path);
      return FirstFault(here, fmt::format("\"{}\" is not in search.space", name),
                        Suggest(name, paths));
    } else if (!Holds(*dimension, value)) {
      return FirstFault(here, fmt::format("{} = {} is not in search.space", name, Dump(value)),
                        RangeText(*dimension));
    } else {
      const bool choice = dimension->kind == Dimension::Kind::kChoice;
      values[name] = choice ? value : ValueIn(*dimension, value.get<double>());
    }
  }
  return Status::OK();
}

// A kind that is drawn could leave out what was given.
Status CheckConditions(std::span<const Condition> conditions, const Json& values,
                       const std::string& where) {
  for (const Condition& each : conditions) {
    if (!values.contains(each.path)) continue;
    const Json kind = values.value(each.of, Json());
    if (std::ranges::find(each.among, kind) != each.among.end()) continue;
    return FirstFault(where,
                      fmt::format("only {} has {}, and {}", Dump(Json(each.among)), each.path,
                                  kind.is_null() ? "no " + each.of + " is given"
                                                 : fmt::format("{} = {}", each.of, Dump(kind))),
                      fmt::format("set {} beside it", each.of));
  }
  return Status::OK();
}

// Only methods that draw values can be given some, and only where nothing else comes first.
Status CheckMethod(const SearchOptions& options, const std::string& path) {
  const char* why = options.method == SearchMethod::kGrid ? "a grid tries every combination"
                    : !options.from.empty()
                        ? "with from, the first trial is the best one of that run"
                        : nullptr;
  if (why == nullptr) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "this search cannot begin with trials of your own",
               .where = path,
               .why = why,
               .fix = "leave first out"});
}

}  // namespace

bool Holds(const Dimension& dimension, const Json& value) {
  if (dimension.kind == Dimension::Kind::kChoice) {
    return std::ranges::find(dimension.choices, value) != dimension.choices.end();
  }
  if (IsWhole(dimension.kind) ? !value.is_number_integer() : !value.is_number()) return false;
  const double number = value.get<double>();
  return number >= dimension.low && number <= dimension.high;
}

Result<std::vector<Json>> ReadFirst(const SearchOptions& options,
                                    std::span<const Condition> conditions,
                                    const std::string& path) {
  std::vector<Json> first;
  if (options.first.empty()) return first;
  PT_TRY(CheckMethod(options, path));
  PT_LET(const int64_t trials, CountTrials(options, "search"));
  if (int64_t(options.first.size()) > trials) {
    return FirstFault(path,
                      fmt::format("{} trials are given, and the search begins with {}",
                                  options.first.size(), trials),
                      "give fewer, or search more");
  }
  for (size_t i = 0; i < options.first.size(); ++i) {
    const std::string where = fmt::format("{}.{}", path, i);
    const Json& given = options.first[i];
    if (!given.is_object()) return fields::Refuse(where, "a table of values by path", given);
    Json values = Json::object();
    PT_TRY(ReadValues(options.space, given, "", where, values));
    PT_TRY(CheckConditions(conditions, values, where));
    first.push_back(std::move(values));
  }
  return first;
}

}  // namespace protium
