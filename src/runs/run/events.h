// SPDX-License-Identifier: Apache-2.0
// The events of include/protium/events.h as JSON, the form in which they cross processes and lie in
// events.jsonl; and RunView, what a run's events add up to. Inside the house events travel as JSON,
// so that fields and events which are not declared survive.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/json.h"
#include "protium/events.h"

namespace protium {

// Never fails, since files of other versions are read as well: a field that is missing or of
// another type keeps its default, and what is no known event becomes an OtherEvent.
Event EventFromJson(const Json& json);

// {"event": kName, ...fields}. Without "time", which EventLog adds.
template <class E>
Json EventToJson(const E& event) {
  Json json = {{"event", E::kName}};
  json.update(FieldsToJson(event));
  return json;
}

// The state of a run according to its events so far. Reads no clock, so a live run and a finished
// file give the same view.
struct RunView {
  void On(const Event& event);

  bool began =
      false;  // Anything beyond "start" and "pipeline" happened: there may be work to keep.
  int64_t step = 0;
  int64_t steps = 0;
  int64_t epoch = 0;
  int64_t epochs = 0;
  double loss = 0;
  bool epoch_ended = false;  // Since the last step; then `loss` is the mean of the epoch.
  double rows_per_second = 0;
  double wait_share = 0;
  int64_t checkpoint = -1;                              // Step of the newest one; -1: none.
  std::vector<std::pair<std::string, double>> metrics;  // Of the last validation.
  std::string ended;  // "done", "failed", "stopped"; empty while it runs, or if it was killed.

  // A run that restarts or resumes repeats steps and epochs; of each, the last report counts.
  std::map<double, double> loss_by_step;
  std::map<std::string, std::map<double, double>> validation;  // By metric, by epoch.
  std::vector<double> epoch_losses;                            // As trained; repeats included.
  std::vector<int64_t> restarts;                               // The step each came after.
};

RunView MakeRunView(const std::vector<Json>& events);

}  // namespace protium
