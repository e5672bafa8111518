// SPDX-License-Identifier: Apache-2.0
#include "train/step_times.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "events/events.h"

namespace protium {
namespace {

constexpr auto kParts = kStepParts.size();
constexpr auto kTold = size_t(StepTimes::kTold);
constexpr auto kReduce = size_t(StepPart::kReduce);

// By part, in words for people.
constexpr std::array<const char*, kParts> kPhases{"reading rows",         "forward",   "backward",
                                                  "adding up over ranks", "optimizer", "validation",
                                                  "writing a checkpoint"};

double SecondsSince(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// Rounds to microseconds, since an event is a line of text.
double Rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

std::vector<double> Rounded(std::vector<double> all) {
  for (double& each : all) each = Rounded(each);
  return all;
}

}  // namespace

StepTimes::Running::Running(StepTimes& times, StepPart part) : times_(times), part_(part) {
  if (times.phase_) times.phase_(kPhases[size_t(part)]);
}

StepTimes::Running::~Running() {
  times_.seconds_[size_t(part_)] += SecondsSince(began_, Clock::now());
}

void StepTimes::Write(std::span<float> told) {
  const auto now = Clock::now();
  for (size_t p = 0; p < kParts; ++p) told[p] = float(seconds_[p]);
  told[kParts] = float(SecondsSince(since_, now));
  seconds_.fill(0);
  since_ = now;
}

void AddBusy(std::span<const float> told, std::vector<double>& busy) {
  busy.resize(told.size() / kTold);
  for (size_t r = 0; r < busy.size(); ++r) {
    for (const StepPart part :
         {StepPart::kRows, StepPart::kForward, StepPart::kBackward, StepPart::kOptimizer}) {
      busy[r] += double(told[r * kTold + size_t(part)]);
    }
  }
}

void RankTimes::Add(std::span<const float> told) {
  const size_t ranks = told.size() / kTold;
  seconds_.resize(ranks * kTold);
  wait_.resize(ranks);
  held_.resize(ranks);
  ++steps_;
  std::vector<size_t> present;
  for (size_t r = 0; r < ranks; ++r) {
    for (size_t i = 0; i < kTold; ++i) seconds_[r * kTold + i] += double(told[r * kTold + i]);
    if (told[r * kTold + kParts] > 0) present.push_back(r);
  }
  if (present.size() < 2) return;
  const auto reduce = [&](size_t rank) { return double(told[rank * kTold + kReduce]); };
  const size_t last = *std::ranges::min_element(present, {}, reduce);
  for (const size_t r : present) {
    const double waited = reduce(r) - reduce(last);
    wait_[r] += waited;
    held_[last] += waited / double(present.size() - 1);
  }
}

RankSeconds RankTimes::Take(int64_t step) {
  const size_t ranks = wait_.size();
  const auto column = [&](size_t at) {
    std::vector<double> list;
    for (size_t r = 0; r < ranks; ++r) list.push_back(Rounded(seconds_[r * kTold + at]));
    return list;
  };
  RankSeconds taken{.step = step,
                    .count = steps_,
                    .seconds = column(kParts),
                    .wait = Rounded(wait_),
                    .held = Rounded(held_)};
  for (size_t p = 0; p < kParts; ++p) taken.parts[std::string(kStepParts[p])] = column(p);
  *this = RankTimes();
  return taken;
}

}  // namespace protium
