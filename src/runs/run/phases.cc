// SPDX-License-Identifier: Apache-2.0
#include "run/phases.h"

#include <algorithm>

#include "events/events.h"
#include "run/event_log.h"

namespace protium {

namespace {

constexpr size_t kMostParts = 10'000;  // Only damaged files have more.

}  // namespace

std::string_view NameOf(Phase phase) {
  constexpr std::string_view kNames[] = {"prepare",     "etl",   "fit",  "search",
                                         "start ranks", "train", "score"};
  return kNames[size_t(phase)];
}

void RunPhases::On(const Json& json) {
  On(EventFromJson(json), ReadTimeText(TextAt(json, "time")).value_or(time_));
}

void RunPhases::On(const Event& event, double time) {
  // Another command has continued the run: nothing happened in between.
  if (std::holds_alternative<RunStarted>(event)) Close();
  time_ = time;
  if (!parts_.empty() && !parts_.back().over) parts_.back().ended = time_;
  std::visit([&](const auto& each) { Take(each); }, event);
}

void RunPhases::Close() {
  if (!parts_.empty()) parts_.back().over = true;
}

void RunPhases::Enter(Phase phase) {
  if (!parts_.empty() && !parts_.back().over) {
    if (parts_.back().phase == phase) return;
    parts_.back().ended = time_;
    parts_.back().over = true;
  }
  if (parts_.size() < kMostParts)
    parts_.push_back({.phase = phase, .began = time_, .ended = time_});
}

// Plans of later phases report reads and writes as well.
void RunPhases::EnterEtl() {
  if (parts_.empty() || parts_.back().over || IsIn(Phase::kPrepare)) Enter(Phase::kEtl);
}

// If written after training, it is the model's output for a table; otherwise a query's own rows.
void RunPhases::Take(const OutputWritten&) {
  if (IsIn(Phase::kTrain)) Enter(Phase::kScore);
}

void RunPhases::Take(const OtherEvent& event) {
  if (event.name == PipelinePlaced::kName) EnterEtl();
  if (event.name == ScoringStarted::kName) Enter(Phase::kScore);
}

void RunPhases::Take(const EtlProgress& event) {
  EnterEtl();
  if (IsIn(Phase::kEtl) && event.rows > 0) parts_.back().rows = event.rows;
}

void RunPhases::Take(const EtlDone& event) {
  EnterEtl();
  if (IsIn(Phase::kEtl)) parts_.back().rows = event.rows;
}

void RunPhases::Take(const GangPlaced& event) {
  if (event.role == TaskRole::kTrain) Enter(Phase::kStart);
  if (event.role == TaskRole::kScore) Enter(Phase::kScore);
}

void RunPhases::Take(const TrainStarted& event) {
  Enter(Phase::kTrain);
  train_rows_ = event.rows;
  epochs_ = std::max<int64_t>(event.epochs, 1);
  first_step_ = event.step;
}

void RunPhases::Take(const StepDone& event) {
  Enter(Phase::kTrain);
  // In floating point: a damaged file may contain any number.
  const double share = double(event.step - first_step_) / double(std::max<int64_t>(event.steps, 1));
  const double rows = double(train_rows_) * double(epochs_) * share;
  if (rows > 0 && rows < 1e18) parts_.back().rows = int64_t(rows);
}

void RunPhases::Take(const Scored& event) {
  Enter(Phase::kScore);
  if (event.rows > 0) parts_.back().rows += event.rows;
}

}  // namespace protium
