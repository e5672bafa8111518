// SPDX-License-Identifier: Apache-2.0
#include "export/facts.h"

#include <algorithm>
#include <utility>

#include "events/events.h"
#include "run/event_log.h"
#include "run/summary.h"

namespace protium {

namespace {

// Adds a point and drops those of later steps, which belong to an attempt that was abandoned.
void AddPoint(std::vector<SeriesPoint>& points, SeriesPoint point) {
  while (!points.empty() && points.back().step >= point.step) points.pop_back();
  points.push_back(point);
}

struct SeriesReader {
  RunFacts& facts;
  double time = 0;

  void Add(const std::string& name, int64_t step, double value) const {
    AddPoint(facts.series[name], {step, time, value});
  }
  void operator()(const StepDone& event) const {
    Add("train/loss", event.step, event.loss);
    Add("train/learning_rate", event.step, event.learning_rate);
    Add("train/rows_per_second", event.step, event.rows_per_second);
    Add("train/wait_share", event.step, event.wait_share);
  }
  void operator()(const EpochDone& event) const { Add("epoch/loss", event.step, event.loss); }
  void operator()(const Validated& event) const {
    for (const auto& [name, value] : event.metrics) Add("validation/" + name, event.step, value);
  }
  template <class E>
  void operator()(const E&) const {}
};

void ReadSearch(const std::filesystem::path& run, RunFacts& facts) {
  facts.search = ReadTriedSearch(run);
  if (!facts.search) return;
  for (const TriedTrial& each : facts.search->trials) {
    std::vector<double> curve = CurveOfTrial(run, each.number);
    // It may have gone on until the lower trials had come as far; the table knows nothing of that.
    if (each.pruned_at > 0) curve.resize(std::min(curve.size(), size_t(each.pruned_at)));
    if (!curve.empty()) facts.trial_curves[each.number] = std::move(curve);
  }
  for (const Json& each : facts.events) {
    const std::string& name = TextAt(each, "event");
    const int64_t trial = WholeAt(each, "trial");
    if (name == TrialStarted::kName) facts.trial_spans[trial].began = TextAt(each, "time");
    if (name == TrialEnded::kName) facts.trial_spans[trial].ended = TextAt(each, "time");
  }
}

Json FlatSettings(const Json& job) {
  Json flat = Json::object();
  const Json settings = job.value("settings", Json());
  if (!settings.is_array()) return flat;
  for (const Json& each : settings) {
    if (each.is_object()) flat[TextAt(each, "key")] = each.value("value", Json());
  }
  return flat;
}

}  // namespace

double SecondsOf(const std::string& time) { return ReadTimeText(time).value_or(0) / 1000; }

Result<RunFacts> ReadRunFacts(const std::filesystem::path& run) {
  PT_TRY(ReadRunHeader(run).status());
  Json all = RunAsJson(run);
  RunFacts facts{.id = std::filesystem::absolute(run).lexically_normal().filename().string()};
  facts.result = std::move(all["result"]);
  facts.settings = FlatSettings(all["job"]);
  all.erase("result");
  all.erase("job");
  facts.run = std::move(all);
  PT_LET(facts.events, ReadEvents(run / "events.jsonl"));
  for (const Json& each : facts.events) {
    std::visit(SeriesReader{facts, SecondsOf(TextAt(each, "time"))}, EventFromJson(each));
  }
  ReadSearch(run, facts);
  return facts;
}

}  // namespace protium
