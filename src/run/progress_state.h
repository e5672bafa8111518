// SPDX-License-Identifier: Apache-2.0
// What the events of a run add up to, as one line of text. Reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/json.h"

namespace protium {

class ProgressState {
 public:
  // Takes in an event. Gives the lines that stand for good from now on: a phase that ended, a gang
  // that was started again.
  std::vector<std::string> On(const Json& event, Deadline now);

  // Ends the running phase and gives its line.
  std::vector<std::string> Finish(Deadline now);

  // What is going on at this moment, in at most `width` columns if leaving out the less important
  // parts makes it fit; empty before anything began.
  std::string Line(Deadline now, bool unicode, int32_t width = 1000) const;

  // How far the running phase is, in percent, where that is known.
  std::optional<double> percent() const;

 private:
  enum class Phase { kNone, kEtl, kFit, kTrain, kScore };

  std::vector<std::string> Enter(Phase phase, Deadline now);
  std::string Summary(Deadline now) const;
  std::string EtlLine(Deadline now) const;
  std::string TrainLine(Deadline now, bool unicode, int32_t width) const;
  void OnEtl(const Json& event, Deadline now);
  void OnStep(const Json& event, Deadline now);
  void OnEpoch(const Json& event);
  void OnValidation(const Json& event);
  double SecondsIn(Deadline now) const;

  Phase phase_ = Phase::kNone;
  Deadline entered_{};
  int64_t rows_ = 0;
  double etl_percent_ = -1;
  Deadline etl_moved_{};    // When the percentage last did.
  double etl_held_ = -1;    // Bytes in memory and in files; -1: unknown.
  double etl_spilled_ = 0;  // Of those, in files.
  std::string stage_;
  int64_t step_ = 0;
  int64_t first_step_ = -1;  // Where this attempt began.
  Deadline first_step_at_{};
  int64_t steps_ = 0;
  int64_t epoch_ = 0;
  int64_t epochs_ = 0;
  double loss_ = 0;
  bool epoch_ended_ = false;  // With the last step: then loss_ is the epoch's.
  double rows_per_second_ = 0;
  double wait_share_ = 0;
  std::vector<std::string> validation_;  // "rmse 14.1", the first is the most important.
  std::vector<double> losses_;
};

}  // namespace protium
