// SPDX-License-Identifier: Apache-2.0
#include "run/record.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "events/events.h"
#include "metrics/diagnostics.h"
#include "protium/fields.h"

namespace protium {
namespace {

double SecondsSince(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// Merges the metric state `more` into `into`, which may be null.
Status MergeState(const Json& more, const std::vector<MetricSpec>& own, Json& into) {
  PT_LET(MetricState state, MetricState::FromJson(more, own));
  if (into.is_object()) PT_TRY(state.Merge(into));
  into = state.ToJson();
  return Status::OK();
}

// The metrics' values; null if no row was measured.
Result<Json> ReadValues(const Json& json, const std::vector<MetricSpec>& own, bool with_rows) {
  PT_LET(const MetricState state, MetricState::FromJson(json, own));
  if (state.rows() == 0) return Json();
  Json values = state.Values();
  if (with_rows) values["rows"] = state.rows();
  return values;
}

}  // namespace

Json& PlaceAt(Json& root, std::string_view key) {
  Json* place = &root;
  for (size_t begin = 0; begin <= key.size();) {
    const size_t end = std::min(key.find('.', begin), key.size());
    if (!place->is_object()) *place = Json::object();
    place = &(*place)[std::string(key.substr(begin, end - begin))];
    begin = end + 1;
  }
  return *place;
}

void RunRecord::Know(std::vector<MetricSpec> metrics) {
  const std::lock_guard lock(mutex_);
  metrics_ = std::move(metrics);
}

// "first_step" is set once: it says how long the user waits for training to begin.
void RunRecord::On(const Json& json) {
  const Event event = EventFromJson(json);
  if (std::holds_alternative<StepDone>(event)) {
    const std::lock_guard lock(mutex_);
    Json& first = PlaceAt(results_, "seconds.first_step");
    if (first.is_null()) first = SecondsSince(started_);
  } else if (std::holds_alternative<Scored>(event)) {
    MergeScores(json);
  } else if (const auto* const output = std::get_if<OutputWritten>(&event)) {
    AddOutput(output->path, output->rows);
  }
}

void RunRecord::BeginScoring() {
  const std::lock_guard lock(mutex_);
  scores_ = Json::object();
  results_.erase("unseen_test_rows");
}

// One event comes per partition. If a state cannot be read, no metrics are shown.
void RunRecord::MergeScores(const Json& event) {
  const std::lock_guard lock(mutex_);
  const std::pair<const char*, const char*> kinds[] = {{"model", "metrics.test"},
                                                       {"baseline", "metrics.baseline"}};
  for (const auto& [kind, key] : kinds) {
    const auto found = event.find(kind);
    if (found == event.end() || !found->is_object()) continue;
    if (!MergeState(*found, metrics_, scores_[kind]).ok()) continue;
    Result<Json> values = ReadValues(scores_[kind], metrics_, std::string_view(kind) == "model");
    if (values.ok() && !values->is_null()) PlaceAt(results_, key) = *std::move(values);
  }
  const auto drawn = event.find("diagnostics");
  if (drawn != event.end()) MergeDiagnostics(*drawn);
  const auto unseen = event.find("unseen_rows");
  if (unseen == event.end() || !unseen->is_number_integer()) return;
  const int64_t all = scores_.value("unseen_rows", int64_t{0}) + unseen->get<int64_t>();
  scores_["unseen_rows"] = results_["unseen_test_rows"] = all;
}

// Draws again for each partition, which costs little: the state is bounded. A damaged state changes
// nothing, as for metrics.
void RunRecord::MergeDiagnostics(const Json& state) {
  Result<Diagnostics> all = Diagnostics::FromJson(state);
  const auto before = scores_.find("diagnostics");
  if (!all.ok() || (before != scores_.end() && !all->Merge(*before).ok())) return;
  scores_["diagnostics"] = all->ToJson();
  Json drawn = all->Drawn();
  if (!drawn.empty()) PlaceAt(results_, "diagnostics.test") = std::move(drawn);
}

void RunRecord::Set(std::string_view key, Json value) {
  const std::lock_guard lock(mutex_);
  PlaceAt(results_, key) = std::move(value);
}

void RunRecord::AddOutput(const std::string& path, int64_t rows) {
  const std::lock_guard lock(mutex_);
  Json& outputs = results_["outputs"];
  if (!outputs.is_array()) outputs = Json::array();
  if (std::find(outputs.begin(), outputs.end(), path) == outputs.end()) outputs.push_back(path);
  results_["output_rows"][path] = rows;
}

void RunRecord::AddSeconds(std::string_view what, Clock::time_point since) {
  const std::lock_guard lock(mutex_);
  Json& seconds = PlaceAt(results_, "seconds." + std::string(what));
  seconds = (seconds.is_number() ? seconds.get<double>() : 0) + SecondsSince(since);
}

bool RunRecord::Wrote(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto written = results_.find("output_rows");
  return written != results_.end() && written->contains(path);
}

Json RunRecord::results() const {
  const std::lock_guard lock(mutex_);
  return results_;
}

}  // namespace protium
