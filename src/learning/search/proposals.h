// SPDX-License-Identifier: Apache-2.0
// The values of a search's trials one after the other, of which those that learn from others are
// asked for when the results are there that they learn from.
#pragma once

#include <cmath>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "search/population.h"
#include "search/tpe.h"
#include "search/trial_order.h"

namespace protium {

// What is known of the trials before any of them has run.
struct Proposed {
  std::vector<Json> first;         // All, or of a search that learns those that no result changes.
  int64_t count = 0;               // All trials.
  std::shared_ptr<const Tpe> tpe;  // Null unless the search learns.
  std::vector<Told> known;         // Results from elsewhere that it learns from.
  std::shared_ptr<const Population> population;  // Null unless the search is one.
};

// Contradictory options are faults of Exit::kUsage below `path`.
Result<Proposed> Propose(const SearchOptions& options, std::span<const Condition> conditions,
                         const std::string& path);

// One thread at a time. Trials count from 0.
class Proposals {
 public:
  Proposals(Proposed proposed, int64_t lag);

  size_t size() const { return size_t(proposed_.count); }

  // Whether ValuesOf(index) may be called: all trials below index - lag have ended, of a population
  // all of the generations before.
  bool Ready(size_t index) const;
  // The first trial that has not ended.
  size_t FirstOpen() const { return all_ended_; }

  // Asks for the values now unless they are known; those before it have been asked for. References
  // stay valid.
  const Json& ValuesOf(size_t index);

  // Of a trial of a population whose values have been asked for: the trials from the first
  // generation to this one, each the parent of the next.
  std::vector<size_t> LineageOf(size_t index) const;

  void Tell(size_t index, const Outcome& outcome);
  // Of a trial that has ended: whether it has no value.
  bool Failed(size_t index) const { return std::isnan(losses_[index]); }

 private:
  Json Ask(size_t index) const;
  void AskGeneration(size_t index);

  Proposed proposed_;
  size_t lag_;
  std::deque<Json> values_;
  std::vector<Told> told_;   // The known ones, then each asked for; the loss is NaN until it ends.
  std::vector<bool> ended_;  // By index.
  size_t all_ended_ = 0;     // Every trial below has ended.
  // Of a population, by index.
  std::vector<size_t> parents_;  // Their own index in the first generation.
  std::vector<double> losses_;   // NaN until it ends, or if it failed.
};

}  // namespace protium
