// SPDX-License-Identifier: Apache-2.0
// Writes a search as a study of Optuna: a journal, one operation a line, that JournalFileBackend
// of Optuna 4 and 5 and optuna-dashboard read. Numbers of operations, states and directions are
// those of its classes JournalOperation, TrialState and StudyDirection.
#include <algorithm>
#include <utility>

#include "export/formats.h"

namespace protium {

namespace {

constexpr int kCreateStudy = 0, kSetStudyUserAttribute = 2, kSetStudySystemAttribute = 3,
              kCreateTrial = 4;
constexpr int kMinimize = 1, kMaximize = 2;
constexpr int kComplete = 1, kPruned = 2, kFailed = 3;

Json Operation(int code, Json fields) {
  Json line = {{"op_code", code}, {"worker_id", "protium"}};
  line.update(fields);
  return line;
}

Json StudyAttribute(int code, const char* kind, const char* key, Json value) {
  return Operation(code, {{"study_id", 0}, {kind, {{key, std::move(value)}}}});
}

// Python's reader of ISO times takes a "Z" for UTC only since 3.11.
Json IsoTime(const std::string& time) {
  if (time.empty()) return {};
  return time.ends_with('Z') ? time.substr(0, time.size() - 1) + "+00:00" : time;
}

// Optuna's choices are plain values: lists and tables become their text.
Json PlainChoice(const Json& choice) {
  return choice.is_structured() ? Json(Dump(choice)) : choice;
}

Json DistributionOf(const TriedOption& option) {
  if (!option.range()) {
    Json choices = Json::array();
    for (const Json& each : option.choices) choices.push_back(PlainChoice(each));
    return {{"name", "CategoricalDistribution"}, {"attributes", {{"choices", choices}}}};
  }
  Json attributes = {{"low", option.low}, {"high", option.high}, {"log", option.log}};
  if (option.whole) {
    attributes["low"] = int64_t(option.low);
    attributes["high"] = int64_t(option.high);
  }
  attributes["step"] = option.whole ? Json(1) : Json();
  return {{"name", option.whole ? "IntDistribution" : "FloatDistribution"},
          {"attributes", attributes}};
}

// A number as it is, a choice as its index; null for what the option cannot have.
Json InternalValue(const TriedOption& option, const Json& value) {
  if (option.range()) return value.is_number() ? value : Json();
  const auto found = std::ranges::find(option.choices, value);
  return found == option.choices.end() ? Json() : Json(found - option.choices.begin());
}

// What is complete has a value of each objective.
int StateOf(const TriedTrial& trial, bool several) {
  const bool valued = several ? !trial.measured.empty() : trial.value.has_value();
  if (trial.state == "pruned") return kPruned;
  return trial.state == "done" && valued ? kComplete : kFailed;
}

Json CreateTrial(const RunFacts& facts, const TriedTrial& trial) {
  const bool several = facts.search->objectives.size() > 1;
  Json distributions = Json::object(), params = Json::object(), on_the_way = Json::object();
  for (const TriedOption& option : facts.search->options) {
    const Json value = InternalValue(option, trial.values.value(option.path, Json()));
    if (value.is_null()) continue;
    distributions[option.path] = Dump(DistributionOf(option));
    params[option.path] = value;
  }
  const auto found = facts.trial_spans.find(trial.number);
  const TrialSpan span = found == facts.trial_spans.end() ? TrialSpan() : found->second;
  const auto curve = facts.trial_curves.find(trial.number);
  for (size_t i = 0; curve != facts.trial_curves.end() && i < curve->second.size(); ++i) {
    on_the_way[std::to_string(i + 1)] = curve->second[i];
  }
  Json about = {{"trial", trial.number}, {"seconds", trial.seconds}};
  if (trial.best_epoch > 0) about["best_epoch"] = trial.best_epoch;
  if (!trial.error.empty()) about["error"] = trial.error;
  Json fields = {{"study_id", 0},
                 {"datetime_start", IsoTime(span.began)},
                 {"state", StateOf(trial, several)},
                 {"value", !several && trial.value ? Json(*trial.value) : Json()},
                 {"values", several && !trial.measured.empty() ? Json(trial.measured) : Json()},
                 {"distributions", distributions},
                 {"params", params},
                 {"user_attrs", about},
                 {"system_attrs", Json::object()},
                 {"intermediate_values", on_the_way}};
  if (!span.ended.empty()) fields["datetime_complete"] = IsoTime(span.ended);
  return Operation(kCreateTrial, fields);
}

}  // namespace

Exported WriteOptuna(const RunFacts& facts) {
  Exported made;
  if (!facts.search) {
    made.left_out.push_back("it is no search, or none of its trials is over");
    return made;
  }
  const TriedSearch& search = *facts.search;
  const auto add = [&](const Json& line) { made.bytes += Dump(line) + "\n"; };
  Json directions = Json::array(), names = Json::array();
  for (const TriedObjective& each : search.objectives) {
    directions.push_back(each.higher_is_better ? kMaximize : kMinimize);
    names.push_back(each.metric);
  }
  add(Operation(kCreateStudy, {{"study_name", facts.id}, {"directions", directions}}));
  add(StudyAttribute(kSetStudySystemAttribute, "system_attr", "study:metric_names", names));
  add(StudyAttribute(kSetStudyUserAttribute, "user_attr", "protium.run", facts.id));
  for (const TriedTrial& trial : search.trials) add(CreateTrial(facts, trial));
  made.left_out = {"the run's own curves, settings and model: tensorboard and mlflow have them"};
  if (facts.trial_curves.empty()) {
    made.left_out.push_back("what trials were on the way: over folds each has several curves");
  }
  return made;
}

}  // namespace protium
