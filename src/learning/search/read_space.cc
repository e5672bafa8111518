// SPDX-License-Identifier: Apache-2.0
// Reads a space from JSON and writes it.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/describe.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "search/space.h"

namespace protium {
namespace {

using Kind = Dimension::Kind;

constexpr std::array<std::pair<Kind, const char*>, 5> kKinds = {
    {{Kind::kChoice, "choice"},
     {Kind::kUniform, "uniform"},
     {Kind::kLogUniform, "log_uniform"},
     {Kind::kIntUniform, "int_uniform"},
     {Kind::kLogIntUniform, "log_int_uniform"}}};
constexpr const char* kPoints = "points";

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kKinds) names.emplace_back(name);
  return names;
}

const std::pair<Kind, const char*>* KindIn(const Json& table) {
  for (const auto& each : kKinds) {
    if (table.contains(each.second)) return &each;
  }
  return nullptr;
}

// Reads both ends of a range, and checks the range by its kind.
Status ReadRange(const Json& json, const std::string& path, Dimension& dimension) {
  const bool whole = IsWhole(dimension.kind), log = IsLog(dimension.kind);
  const std::string must = std::string("two ") + (whole ? "whole " : "") + "numbers" +
                           (log ? " above 0" : "") + ", the lower one first";
  bool fits = json.is_array() && json.size() == 2;
  for (size_t i = 0; fits && i < 2; ++i) {
    fits = whole ? json[i].is_number_integer() : json[i].is_number();
    // Beyond 2^53 a double cannot represent every whole number.
    fits = fits && std::fabs(json[i].get<double>()) <= (whole ? 0x1p53 : 1e300);
  }
  if (fits) {
    dimension.low = json[0].get<double>();
    dimension.high = json[1].get<double>();
  }
  fits = fits && dimension.low <= dimension.high && (!log || dimension.low > 0);
  return fits ? Status::OK() : fields::Refuse(path, must, json);
}

Status ReadChoices(const Json& json, const std::string& path, Dimension& dimension) {
  if (!json.is_array() || json.empty()) return fields::Refuse(path, "a list of values", json);
  dimension.choices.assign(json.begin(), json.end());
  return Status::OK();
}

// { log_uniform = [1e-4, 0.1], points = 4 }
Status ReadDimension(const Json& json, const std::string& path, Dimension& dimension) {
  const auto* const found = KindIn(json);
  const std::string name = found->second;
  dimension.kind = found->first;
  const bool choice = dimension.kind == Kind::kChoice;
  for (const auto& [key, value] : json.items()) {
    if (key == name || (key == kPoints && !choice)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "unknown key \"" + key + "\" in " + path,
                 .where = path + "." + key,
                 .fix = choice ? "a choice has no other keys" : "beside the range only points"});
  }
  if (choice) return ReadChoices(json[name], path + "." + name, dimension);
  PT_TRY(ReadRange(json[name], path + "." + name, dimension));
  if (!json.contains(kPoints)) return Status::OK();
  const Json& points = json[kPoints];
  const bool fits = points.is_number_integer() && points.get<int64_t>() >= 1;
  if (!fits) return fields::Refuse(path + "." + kPoints, "a whole number of at least 1", points);
  dimension.points = points.get<int64_t>();
  return Status::OK();
}

// Reads the entries of `json`, whose own path is `at`, into `space`; tables without a kind are read
// recursively, which allows train.optimizer.learning_rate = {...} without quotes.
Status ReadEntries(const Json& json, const std::string& path, const std::string& at, Space& space) {
  if (!json.is_object()) {
    return fields::Refuse(path,
                          "a list of values, or one of choice, uniform, log_uniform, "
                          "int_uniform and log_int_uniform",
                          json);
  }
  for (const auto& [key, value] : json.items()) {
    const std::string below = path + "." + key;
    const std::vector<std::string> names = KindNames();
    if (!Nearest(key, names).empty() && !at.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "unknown key \"" + key + "\" in " + path,
                   .where = below,
                   .fix = Suggest(key, names)});
    }
    Dimension dimension{.path = at.empty() ? key : at + "." + key};
    if (value.is_array()) {
      PT_TRY(ReadChoices(value, below, dimension));
    } else if (value.is_object() && KindIn(value) != nullptr) {
      PT_TRY(ReadDimension(value, below, dimension));
    } else {
      PT_TRY(ReadEntries(value, below, dimension.path, space));
      continue;
    }
    // --set writes nested tables, and replaces what the file has under a path in quotes.
    std::erase_if(space, [&](const Dimension& each) { return each.path == dimension.path; });
    space.push_back(std::move(dimension));
  }
  return Status::OK();
}

}  // namespace

Json ToJson(const Space& space) {
  Json json = Json::object();
  for (const Dimension& each : space) {
    const auto* const kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& candidate) {
      return candidate.first == each.kind;
    });
    Json& entry = json[each.path];
    if (each.kind == Kind::kChoice) {
      entry = each.choices;
      continue;
    }
    for (const double end : {each.low, each.high}) {
      entry[kind->second].push_back(IsWhole(each.kind) ? Json(int64_t(end)) : Json(end));
    }
    if (each.points > 0) entry[kPoints] = each.points;
  }
  return json;
}

Status FromJson(const Json& json, const std::string& path, Space& space) {
  space.clear();
  return ReadEntries(json, path, "", space);
}

MetricNames::MetricNames(std::string name) {
  if (!name.empty()) push_back(std::move(name));
}

Json ToJson(const MetricNames& names) {
  if (names.empty()) return "";
  return names.size() == 1 ? Json(names.front()) : Json(std::vector<std::string>(names));
}

Status FromJson(const Json& json, const std::string& path, MetricNames& names) {
  if (json.is_string()) {
    names = MetricNames(json.get<std::string>());
    return Status::OK();
  }
  std::vector<std::string> list;
  PT_TRY(fields::Read(json, path, list));
  names.assign(list.begin(), list.end());
  return Status::OK();
}

FieldType DescribeType(const MetricNames&) {
  const FieldType text{.kind = FieldType::Kind::kText};
  return {.kind = FieldType::Kind::kEither,
          .words = "text, or list of text",
          .of = {text, {.kind = FieldType::Kind::kList, .of = {text}}}};
}

FieldType DescribeType(const Space&) {
  return {.kind = FieldType::Kind::kEntries,
          .words = "options by path, each with a list of values or a range",
          .of = {FieldType{}}};
}

}  // namespace protium
