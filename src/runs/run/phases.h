// SPDX-License-Identifier: Apache-2.0
// The phases of a job according to its events, with their times. A phase begins with its first
// event and ends when another one begins. Only this code decides that: the progress display, the
// page and exports show its result.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "events/events.h"

namespace protium {

enum class Phase { kPrepare, kEtl, kFit, kSearch, kStart, kTrain, kScore };

// "start ranks", "train"
std::string_view NameOf(Phase phase);

// A phase from its beginning to its end. Times in milliseconds since 1970.
struct RunPart {
  Phase phase = Phase::kPrepare;
  double began = 0;
  double ended = 0;   // While the phase runs, the time of the last event.
  bool over = false;  // Another phase has begun, or the command has ended.
  int64_t rows = 0;   // How many rows it processed; 0: unknown.

  std::string_view name() const { return NameOf(phase); }
};

// Takes the events of a run in order. Reads no clock; one thread.
class RunPhases {
 public:
  void On(const Json& json);
  void On(const Event& event, double time);
  const std::vector<RunPart>& parts() const { return parts_; }

 private:
  void Take(const RunStarted&) { Enter(Phase::kPrepare); }
  void Take(const EtlProgress& event);
  void Take(const EtlDone& event);
  void Take(const StageFitted&) { Enter(Phase::kFit); }
  void Take(const TrialStarted&) { Enter(Phase::kSearch); }
  void Take(const GangPlaced& event);
  void Take(const TrainStarted& event);
  void Take(const StepDone& event);
  void Take(const Scored& event);
  void Take(const OutputWritten&);
  void Take(const RunEnded&) { Close(); }
  void Take(const OtherEvent& event);
  template <class E>
  void Take(const E&) {}

  void Enter(Phase phase);
  void EnterEtl();
  void Close();
  bool IsIn(Phase phase) const { return !parts_.empty() && parts_.back().phase == phase; }

  std::vector<RunPart> parts_;
  double time_ = 0;         // Of the last event.
  int64_t train_rows_ = 0;  // Of an epoch.
  int64_t epochs_ = 1;
  int64_t first_step_ = 0;  // The step at which this training began.
};

}  // namespace protium
