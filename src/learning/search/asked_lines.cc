// SPDX-License-Identifier: Apache-2.0
#include "search/asked_lines.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

struct AskedOptions : SearchOptions {
  Json higher_is_better = false;
  std::string save;
  template <class Visit>
  void Fields(Visit& visit) {
    SearchOptions::Fields(visit);
    visit("higher_is_better", higher_is_better);
    visit("save", save);
  }
};

struct Nothing {
  template <class Visit>
  void Fields(Visit&) {}
};

struct ReportRequest {
  int64_t trial = 0;
  int64_t step = 0;
  std::optional<double> value;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("trial", trial);
    visit("step", step);
    visit("value", value);
  }
};

struct TrialRequest {
  int64_t trial = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("trial", trial);
  }
};

struct TellRequest {
  int64_t trial = 0;
  std::optional<double> value;
  std::optional<Json> measured;
  std::string error;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("trial", trial);
    visit("value", value);
    visit("measured", measured);
    visit("error", error);
  }
};

Result<Json> Ask(AskedSearch& search, const Json& json) {
  Nothing nothing;
  PT_TRY(FieldsFromJson(json, "ask", nothing));
  PT_LET(const auto trial, search.Ask());
  if (!trial) return Json{{"trial", nullptr}};
  return Json{{"trial", trial->number}, {"values", trial->values}};
}

Result<Json> ShouldPrune(AskedSearch& search, int64_t trial) {
  PT_LET(const bool prune, search.ShouldPrune(trial));
  return Json{{"trial", trial}, {"should_prune", prune}};
}

Result<Json> Report(AskedSearch& search, const Json& json) {
  ReportRequest request;
  PT_TRY(FieldsFromJson(json, "report", request));
  if (!request.value) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a report needs a value",
                 .where = "report",
                 .fix = "{\"report\": {\"trial\": 1, \"step\": 1, \"value\": 0.5}}"});
  }
  PT_TRY(search.Report(request.trial, request.step, *request.value));
  return ShouldPrune(search, request.trial);
}

Result<Json> Look(AskedSearch& search, const Json& json) {
  TrialRequest request;
  PT_TRY(FieldsFromJson(json, "should_prune", request));
  return ShouldPrune(search, request.trial);
}

Result<Json> Tell(AskedSearch& search, const Json& json) {
  TellRequest request;
  PT_TRY(FieldsFromJson(json, "tell", request));
  if (request.measured) {
    if (request.value || !request.error.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "a trial is told its value, what was measured, or its error",
                   .where = "tell",
                   .fix = "give one of them"});
    }
    PT_LET(const auto numbers, NumbersIn(*request.measured, "tell.measured"));
    PT_TRY(search.TellAll(request.trial, numbers));
  } else {
    PT_TRY(search.Tell(request.trial, request.value, request.error));
  }
  return Json{{"trial", request.trial}, {"best", search.Table()["best"]}};
}

Result<Json> Table(AskedSearch& search, const Json& json) {
  Nothing nothing;
  PT_TRY(FieldsFromJson(json, "table", nothing));
  return search.Table();
}

using Act = Result<Json> (*)(AskedSearch&, const Json&);
constexpr std::pair<const char*, Act> kActs[] = {
    {"ask", Ask}, {"report", Report}, {"should_prune", Look}, {"tell", Tell}, {"table", Table}};

Result<Json> Answer(AskedSearch& search, std::string_view line) {
  PT_LET(const Json request, ParseJson(line));
  if (request.is_object() && request.size() == 1) {
    for (const auto& [name, act] : kActs) {
      if (request.contains(name)) return act(search, request[name]);
    }
  }
  return Fail({.exit = Exit::kUsage,
               .what = "a line is an object with one of ask, report, should_prune, tell and table",
               .fix = "{\"ask\": {}}"});
}

Result<MetricNames> HigherOf(const AskedOptions& options) {
  const Json& higher = options.higher_is_better;
  if (higher.is_boolean()) {
    if (!higher.get<bool>()) return MetricNames();
    return options.metric.empty() ? MetricNames("value") : options.metric;
  }
  MetricNames names;
  PT_TRY(FromJson(higher, "search.higher_is_better", names));
  return names;
}

}  // namespace

Result<AskedSearch> OpenAsked(const Json& json) {
  AskedOptions options;
  options.lag = 0;  // Unless the caller has several trials open.
  PT_TRY(FieldsFromJson(json, "search", options));
  PT_LET(const MetricNames higher, HigherOf(options));
  PT_LET(AskedSearch search, AskedSearch::Make(options, higher));
  if (!options.save.empty()) PT_TRY(search.SaveTo(options.save));
  return search;
}

Result<std::map<std::string, double>> NumbersIn(const Json& measured, const std::string& path) {
  std::map<std::string, double> numbers;
  if (!measured.is_object()) return fields::Refuse(path, "a table of numbers", measured);
  for (const auto& [name, value] : measured.items()) {
    if (!value.is_number() && !value.is_null()) {
      return fields::Refuse(path + "." + name, "a number", value);
    }
    numbers[name] = value.is_null() ? std::nan("") : value.get<double>();
  }
  return numbers;
}

Json AnswerLine(AskedSearch& search, std::string_view line) {
  Result<Json> answer = Answer(search, line);
  return answer.ok() ? *std::move(answer) : Json{{"error", StatusToJson(answer.status())}};
}

}  // namespace protium
