// SPDX-License-Identifier: Apache-2.0
// The parts of a job as its events tell them, with their times: prepare, etl, fit, search, start
// ranks, train, score. A part begins with its first event and ends when another one begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/events.h"

namespace protium {

// Times in milliseconds since 1970.
struct RunPart {
  std::string name;
  double began = 0;
  double ended = 0;   // While it goes on, the time of the last event.
  bool over = false;  // Another part or the command's end has come.
  int64_t rows = 0;   // That went through it; 0: unknown.
};

// Takes the events of a run in order. Reads no clock; one thread.
class RunParts {
 public:
  void On(const Json& json);
  void On(const Event& event, double time);
  const std::vector<RunPart>& parts() const { return parts_; }

 private:
  void Take(const RunStarted&) { Enter("prepare", time_); }
  void Take(const EtlProgress& event);
  void Take(const EtlDone& event);
  void Take(const StageFitted&) { Enter("fit", time_); }
  void Take(const TrialStarted&) { Enter("search", time_); }
  void Take(const GangPlaced& event);
  void Take(const TrainStarted& event);
  void Take(const StepDone& event);
  void Take(const EpochDone&) { trained_ = time_; }
  void Take(const Validated&) { trained_ = time_; }
  void Take(const Scored& event);
  void Take(const OutputWritten&) { EnterScoring(); }
  void Take(const RunEnded&) { Close(); }
  void Take(const OtherEvent& event);
  template <class E>
  void Take(const E&) {}

  void Enter(const std::string& name, double began);
  void EnterEtl();
  void EnterScoring();
  void Close();

  std::vector<RunPart> parts_;
  double time_ = 0;         // Of the last event.
  double trained_ = 0;      // Of the last event about training.
  int64_t train_rows_ = 0;  // Of an epoch.
  int64_t epochs_ = 1;
  int64_t first_step_ = 0;  // Of the part "train" as it began.
};

}  // namespace protium
