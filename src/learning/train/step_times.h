// SPDX-License-Identifier: Apache-2.0
// Where the time of training goes, by rank. Each rank measures itself from one sum over ranks to
// the next and tells the others in a place of its own in that next sum (stepper.h): so all know of
// all without a round more. Nothing that decides the weights depends on it.
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

// What a rank does between two sums, and the sum itself, waits for the others included. Losses
// count with `forward`.
enum class StepPart { kRows, kForward, kBackward, kReduce, kOptimizer, kValidation, kCheckpoint };
inline constexpr std::array<std::string_view, 7> kStepParts{
    "rows", "forward", "backward", "reduce", "optimizer", "validation", "checkpoint"};

// Is told what the rank is at from now on, as a literal: see TaskContext::SetPhase().
using PhaseReport = std::function<void(const char* phase)>;

// One rank's own times. One thread.
class StepTimes {
 public:
  // An empty `phase` is not told.
  explicit StepTimes(PhaseReport phase = {}) : phase_(std::move(phase)) {}

  // Floats that a rank tells: seconds of each part, and of all of the time, what is measured as no
  // part included.
  static constexpr int64_t kTold = int64_t(kStepParts.size()) + 1;

  // Says what the rank is at, and counts the time until it is destroyed.
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

  // Writes kTold floats, of the time since the last call, and begins anew.
  void Write(std::span<float> told);

 private:
  PhaseReport phase_;
  std::array<double, kStepParts.size()> seconds_{};
  Clock::time_point since_ = Clock::now();
};

// Adds to busy[r] the seconds that rank r computed for its shards in a step: rows, forward,
// backward and optimizer, of kTold floats for each rank.
void AddBusy(std::span<const float> told, std::vector<double>& busy);

// The times of all ranks of one generation of a gang, added up. One thread.
class RankTimes {
 public:
  // Of one step: kTold floats for each rank; zeros of a rank that owns no shards.
  void Add(std::span<const float> told);
  bool empty() const { return steps_ == 0; }

  // Of what was added since the last call, and begins anew. A rank waited for others in "reduce"
  // for what it spent there beyond the rank that came last, which held them.
  RankSeconds Take(int64_t step);

 private:
  int64_t steps_ = 0;
  std::vector<double> seconds_;  // kTold for each rank.
  std::vector<double> wait_;
  std::vector<double> held_;
};

}  // namespace protium
