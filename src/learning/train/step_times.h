// SPDX-License-Identifier: Apache-2.0
// How each rank spends the time of training. A rank measures itself from one all-reduce to the next
// and sends the result in its own part of that next all-reduce (stepper.h), so all ranks know all
// times without a further round. Nothing that decides the weights depends on it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/call.h"
#include "events/events.h"

namespace protium {

// What a rank does between two all-reduces, and the all-reduce itself, including the wait for
// others. Losses count as `forward`.
enum class StepPart { kRows, kForward, kBackward, kReduce, kOptimizer, kValidation, kCheckpoint };
inline constexpr std::array<std::string_view, 7> kStepParts{
    "rows", "forward", "backward", "reduce", "optimizer", "validation", "checkpoint"};

// Called with what the rank does from now on, as a literal: see TaskContext::SetPhase().
using PhaseReport = std::function<void(const char* phase)>;

// One rank's own times. One thread.
class StepTimes {
 public:
  // An empty `phase` is not called.
  explicit StepTimes(PhaseReport phase = {}) : phase_(std::move(phase)) {}

  // How many floats a rank sends: the seconds of each part, and of all the time, including what is
  // measured as no part.
  static constexpr int64_t kTold = int64_t(kStepParts.size()) + 1;

  // Reports what the rank does, and counts the time until it is destroyed.
  class [[nodiscard]] Running {
   public:
    Running(StepTimes& times, StepPart part);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    StepTimes& times_;
    StepPart part_;
    Clock::time_point began_ = Clock::now();
  };
  Running Count(StepPart part) { return Running(*this, part); }

  // Writes kTold floats for the time since the last call, and starts again.
  void Write(std::span<float> told);

 private:
  PhaseReport phase_;
  std::array<double, kStepParts.size()> seconds_{};
  Clock::time_point since_ = Clock::now();
};

// Adds to busy[r] the seconds that rank r computed for its shards in a step: rows, forward,
// backward and optimizer. `told` has kTold floats for each rank.
void AddBusy(std::span<const float> told, std::vector<double>& busy);

// The times of all ranks of one generation of a gang, added up. One thread.
class RankTimes {
 public:
  // Adds one step: kTold floats for each rank; zeros for a rank that owns no shards.
  void Add(std::span<const float> told);
  bool empty() const { return steps_ == 0; }

  // Returns the times added since the last call, and starts again. A rank waited for others for the
  // time that it spent in "reduce" beyond the time of the last rank to arrive, for which the others
  // waited.
  RankSeconds Take(int64_t step);

 private:
  int64_t steps_ = 0;
  std::vector<double> seconds_;  // kTold for each rank.
  std::vector<double> wait_;
  std::vector<double> held_;
};

}  // namespace protium
