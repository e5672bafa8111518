// SPDX-License-Identifier: Apache-2.0
// The door's events as the lines of events.jsonl, and what they add up to.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/json.h"
#include "protium/events.h"

namespace protium {

// Never fails: a field that is missing or of another type keeps its default, and whatever is no
// event that is known is an OtherEvent.
Event EventFromJson(const Json& json);

template <class E>
Json EventToJson(const E& event) {
  Json json = {{"event", E::kName}};
  json.update(FieldsToJson(event));
  return json;
}

// What a run has come to, by the events so far. Reads no clock.
struct RunView {
  void On(const Event& event);

  bool began = false;  // More happened than that it was started and its pipeline placed.
  int64_t step = 0;
  int64_t steps = 0;
  int64_t epoch = 0;
  int64_t epochs = 0;
  double loss = 0;
  bool epoch_ended = false;  // With the last step: then `loss` is the epoch's.
  double rows_per_second = 0;
  double wait_share = 0;
  int64_t checkpoint = -1;                              // The step of the last one.
  std::vector<std::pair<std::string, double>> metrics;  // Of the last validation.
  std::string
      ended;  // "done", "failed", "stopped"; empty while it goes on, or where it was cut off.

  // A run that is taken up again repeats steps and epochs; the last word on each counts.
  std::map<double, double> loss_by_step;
  std::map<std::string, std::map<double, double>> validation;  // By metric, by epoch.
  std::vector<double> epoch_losses;                            // The last word on each, in order.
  std::vector<int64_t> restarts;                               // The steps they came after.
};

RunView ViewOf(const std::vector<Json>& events);

}  // namespace protium
