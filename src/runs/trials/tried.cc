// SPDX-License-Identifier: Apache-2.0
#include "trials/tried.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "metrics/metrics.h"
#include "run/summary.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostTrials = 100'000;

Json At(const Json& json, const char* key) {
  return json.is_object() ? json.value(key, Json()) : Json();
}

// The items of a list; none if there is something else.
Json ListAt(const Json& json, const char* key) {
  Json list = At(json, key);
  return list.is_array() ? list : Json::array();
}

std::optional<double> Number(const Json& json) {
  if (!json.is_number() || !std::isfinite(json.get<double>())) return std::nullopt;
  return json.get<double>();
}

// {"log_int_uniform": [1, 64]}; nullopt for what is no range.
std::optional<TriedOption> RangeIn(const std::string& path, const Json& json) {
  if (!json.is_object()) return std::nullopt;
  for (const auto& [kind, ends] : json.items()) {
    if (!kind.ends_with("uniform") || !ends.is_array() || ends.size() != 2) continue;
    const std::optional<double> low = Number(ends[0]), high = Number(ends[1]);
    if (!low || !high || *low > *high) return std::nullopt;
    const bool log = kind.starts_with("log_") && *low > 0;
    return TriedOption{.path = path,
                       .low = *low,
                       .high = *high,
                       .log = log,
                       .whole = kind.find("int_") != kind.npos};
  }
  return std::nullopt;
}

// Of an option whose space is unknown: the range of its values, or the values themselves.
TriedOption OptionOfValues(const std::string& path, const std::vector<TriedTrial>& trials) {
  TriedOption option{.path = path};
  bool numbers = true;
  for (const TriedTrial& each : trials) {
    const Json value = each.values.value(path, Json());
    if (value.is_null()) continue;
    numbers = numbers && Number(value).has_value();
    if (std::ranges::find(option.choices, value) == option.choices.end()) {
      option.choices.push_back(value);
    }
  }
  if (!numbers || option.choices.empty()) return option;
  const auto less = [](const Json& a, const Json& b) { return a.get<double>() < b.get<double>(); };
  const auto [low, high] = std::ranges::minmax_element(option.choices, less);
  option.low = low->get<double>();
  option.high = high->get<double>();
  option.whole =
      std::ranges::all_of(option.choices, [](const Json& v) { return v.is_number_integer(); });
  option.choices.clear();
  return option;
}

std::vector<TriedOption> OptionsOf(const Json& space, const std::vector<TriedTrial>& trials) {
  std::vector<TriedOption> options;
  const auto known = [&](const std::string& path) {
    return std::ranges::find(options, path, &TriedOption::path) != options.end();
  };
  const Json dimensions = space.is_object() ? space : Json::object();
  for (const auto& [path, json] : dimensions.items()) {
    const Json choices = json.is_array() ? json : At(json, "choice");
    if (std::optional<TriedOption> range = RangeIn(path, json)) {
      options.push_back(*std::move(range));
    } else if (choices.is_array() && !choices.empty()) {
      options.push_back({.path = path, .choices = choices.get<std::vector<Json>>()});
    }
  }
  for (const TriedTrial& trial : trials) {
    for (const auto& [path, value] : trial.values.items()) {
      if (!known(path)) options.push_back(OptionOfValues(path, trials));
    }
  }
  return options;
}

TriedTrial TrialIn(const Json& json, const std::vector<TriedObjective>& objectives) {
  TriedTrial trial{.number = WholeAt(json, "trial"), .state = TextAt(json, "state")};
  if (Json values = At(json, "values"); values.is_object()) trial.values = std::move(values);
  trial.value = Number(At(json, "value"));
  trial.best_epoch = WholeAt(json, "best_epoch");
  trial.pruned_at = WholeAt(json, "pruned_at");
  trial.seconds = NumberAt(json, "seconds");
  trial.error = TextAt(json, "error");
  if (objectives.size() < 2) return trial;
  const Json measured = At(json, "measured");
  for (const TriedObjective& each : objectives) {
    const std::optional<double> value = Number(At(measured, each.metric.c_str()));
    if (!value) return trial;
    trial.measured.push_back(*value);
  }
  return trial;
}

// The table has the order of the first metric alone; others are built in, or seconds, of which less
// is better.
std::vector<TriedObjective> ObjectivesOf(const Json& table) {
  std::vector<TriedObjective> objectives;
  for (const Json& name : ListAt(table, "objectives")) {
    if (!name.is_string()) continue;
    const Result<MetricSpec> metric = FindMetric(name.get<std::string>());
    objectives.push_back({name.get<std::string>(), metric.ok() && metric->higher_is_better});
  }
  if (objectives.empty()) objectives.push_back({TextAt(table, "metric"), false});
  const Json higher = At(table, "higher_is_better");
  objectives.front().higher_is_better = higher.is_boolean() && higher.get<bool>();
  return objectives;
}

std::vector<TriedPhase> ScheduleOf(const Json& table) {
  std::vector<TriedPhase> schedule;
  for (const Json& each : ListAt(table, "schedule")) {
    const std::vector<Json> epochs = ListAt(each, "epochs");
    Json values = At(each, "values");
    if (epochs.size() != 2 || !epochs[0].is_number_integer() || !epochs[1].is_number_integer() ||
        !values.is_object()) {
      continue;
    }
    schedule.push_back({epochs[0].get<int64_t>(), epochs[1].get<int64_t>(), WholeAt(each, "trial"),
                        std::move(values)});
  }
  return schedule;
}

}  // namespace

std::vector<const TriedTrial*> TriedSearch::BestFirst() const {
  std::vector<const TriedTrial*> order;
  for (const TriedTrial& each : trials) order.push_back(&each);
  const auto place = [&](const TriedTrial* each) {
    const int state = each->state == "done" ? 0 : each->state == "pruned" ? 1 : 2;
    const double value = each->value.value_or(first().higher_is_better ? -INFINITY : INFINITY);
    // If less is better, the size counts, as in the search itself.
    const double loss = first().higher_is_better ? -value : std::fabs(value);
    return std::tuple(each->number == best ? 0 : 1, state, loss, each->number);
  };
  std::ranges::sort(order, {}, place);
  return order;
}

std::optional<TriedSearch> TriedSearchFrom(const Json& table, const Json& space) {
  const Json trials = At(table, "trials");
  if (!trials.is_array() || trials.empty()) return std::nullopt;
  TriedSearch search{.objectives = ObjectivesOf(table), .best = WholeAt(table, "best")};
  for (const Json& number : ListAt(table, "front")) {
    if (number.is_number_integer()) search.front.push_back(number.get<int64_t>());
  }
  for (const Json& each : trials) {
    if (!each.is_object() || search.trials.size() >= kMostTrials) continue;
    search.trials.push_back(TrialIn(each, search.objectives));
  }
  if (search.trials.empty()) return std::nullopt;
  std::ranges::stable_sort(search.trials, {}, &TriedTrial::number);
  search.options = OptionsOf(space, search.trials);
  search.schedule = ScheduleOf(table);
  return search;
}

std::optional<TriedSearch> ReadTriedSearch(const fs::path& run) {
  return TriedSearchFrom(ReadJson(run / "trials.json"),
                         At(ReadJson(run / "trials" / "search.json"), "space"));
}

std::vector<double> CurveOfTrial(const fs::path& run, int64_t number) {
  const Json result = ReadJson(run / "trials" / fmt::format("{:03}", number) / "result.json");
  std::vector<double> curve;
  for (const Json& each : ListAt(result, "curve")) {
    if (const std::optional<double> value = Number(each)) curve.push_back(*value);
  }
  return curve;
}

}  // namespace protium
