// SPDX-License-Identifier: Apache-2.0
#include "page/trial_responses.h"

#include <optional>
#include <utility>

#include "run/summary.h"
#include "trials/importance.h"

namespace protium {

namespace {

Json OptionOf(const TriedOption& option) {
  if (!option.range()) return {{"option", option.path}, {"choices", option.choices}};
  return {{"option", option.path}, {"low", option.low}, {"high", option.high}, {"log", option.log}};
}

}  // namespace

Result<Json> TrialsOf(LiveRun& run) {
  PT_LET(Json told, run.WithStory([](const RunStory& story, int64_t) {
    return Json{{"trials", story.trials()}, {"running", story.RunningTrials()}};
  }));
  Json written = ReadJson(run.folder() / "trials.json");
  const std::optional<TriedSearch> search = ReadTriedSearch(run.folder());
  if (!search) return written.empty() ? told : written;
  written["running"] = std::move(told["running"]);
  written["options"] = Json::array();
  for (const TriedOption& each : search->options) written["options"].push_back(OptionOf(each));
  for (const TriedObjective& each : search->objectives) {
    written["compared_by"].push_back(
        {{"metric", each.metric}, {"higher_is_better", each.higher_is_better}});
  }
  return written;
}

Json ImportanceOfTrials(const std::filesystem::path& run) {
  const std::optional<TriedSearch> search = ReadTriedSearch(run);
  Json told = Json::object();
  if (!search) return told;
  for (const auto& [objective, importance] : ImportanceByObjective(*search)) {
    if (objective == 0) {
      told = ToJson(importance);
      continue;
    }
    Json other = ToJson(importance);
    other.erase("pairs");
    other["metric"] = search->objectives[objective].metric;
    told["others"].push_back(std::move(other));
  }
  return told;
}

}  // namespace protium
