// SPDX-License-Identifier: Apache-2.0
#include "run/parts.h"

#include <algorithm>

#include "run/event_log.h"

namespace protium {

namespace {

constexpr size_t kMostParts = 10'000;  // More come of damaged files alone.

}  // namespace

void RunParts::On(const Json& json) {
  On(EventFromJson(json), ReadTimeText(TextAt(json, "time")).value_or(time_));
}

void RunParts::On(const Event& event, double time) {
  // Another command has gone on with the run: nothing happened in between.
  if (std::holds_alternative<RunStarted>(event)) Close();
  time_ = time;
  if (!parts_.empty() && !parts_.back().over) parts_.back().ended = time_;
  std::visit([&](const auto& each) { Take(each); }, event);
}

void RunParts::Close() {
  if (!parts_.empty()) parts_.back().over = true;
}

void RunParts::Enter(const std::string& name, double began) {
  if (!parts_.empty() && !parts_.back().over) {
    if (parts_.back().name == name) return;
    parts_.back().ended = began;
    parts_.back().over = true;
  }
  if (parts_.size() < kMostParts) parts_.push_back({.name = name, .began = began, .ended = time_});
}

// Plans of later parts report reads and writes as well.
void RunParts::EnterEtl() {
  if (parts_.empty() || parts_.back().over || parts_.back().name == "prepare") Enter("etl", time_);
}

// No event tells when scoring begins: it does when training has said its last.
void RunParts::EnterScoring() {
  const bool trained = !parts_.empty() && parts_.back().name == "train";
  Enter("score", trained ? trained_ : time_);
}

// The plan stands, and its first rows are about to be read; or ranks tell what their last steps
// took.
void RunParts::Take(const OtherEvent& event) {
  if (event.name == "pipeline") EnterEtl();
  if (event.name == "lanes") trained_ = time_;
}

void RunParts::Take(const EtlProgress& event) {
  EnterEtl();
  if (parts_.back().name == "etl" && event.rows > 0) parts_.back().rows = event.rows;
}

void RunParts::Take(const EtlDone& event) {
  EnterEtl();
  if (parts_.back().name == "etl") parts_.back().rows = event.rows;
}

void RunParts::Take(const GangPlaced& event) {
  Enter(event.task == "score" ? "score" : "start ranks", time_);
}

void RunParts::Take(const TrainStarted& event) {
  Enter("train", time_);
  trained_ = time_;
  train_rows_ = event.rows;
  epochs_ = std::max<int64_t>(event.epochs, 1);
  first_step_ = event.step;
}

void RunParts::Take(const StepDone& event) {
  Enter("train", time_);
  trained_ = time_;
  // In floating point: what a damaged file says may be any number.
  const double share = double(event.step - first_step_) / double(std::max<int64_t>(event.steps, 1));
  const double rows = double(train_rows_) * double(epochs_) * share;
  if (rows > 0 && rows < 1e18) parts_.back().rows = int64_t(rows);
}

void RunParts::Take(const Scored& event) {
  EnterScoring();
  if (event.rows > 0) parts_.back().rows += event.rows;
}

}  // namespace protium
