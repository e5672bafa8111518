// SPDX-License-Identifier: Apache-2.0
// The trials of a search as its run's folder has them: trials.json, the space in
// trials/search.json, and what each trial had reached on the way in trials/007/result.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// An option that differs between trials, and the values that it may take.
struct TriedOption {
  std::string path;           // "train.optimizer.learning_rate"
  std::vector<Json> choices;  // Empty: a range.
  double low = 0;
  double high = 0;
  bool log = false;
  bool whole = false;

  bool range() const { return choices.empty(); }
};

struct TriedTrial {
  int64_t number = 0;
  std::string state;             // "done", "failed", "pruned"
  Json values = Json::object();  // By path; a trial of another kind lacks some.
  std::optional<double> value;   // Of the first metric; of a pruned trial what it had reached.
  std::vector<double> measured;  // By objective; empty unless there are several.
  int64_t best_epoch = 0;
  int64_t pruned_at = 0;  // 0: it was not.
  double seconds = 0;
  std::string error;
};

struct TriedObjective {
  std::string metric;
  bool higher_is_better = false;
};

// Some epochs of the training of a population's best, and its options in them.
struct TriedPhase {
  int64_t first = 0;
  int64_t last = 0;
  int64_t trial = 0;
  Json values = Json::object();
};

struct TriedSearch {
  std::vector<TriedObjective> objectives;  // At least one; the first is that of `value`.
  int64_t best = 0;                        // 0: none.
  std::vector<int64_t> front;  // Of several objectives: the trials that no other is better than.
  std::vector<TriedOption> options;
  std::vector<TriedTrial> trials;    // By number.
  std::vector<TriedPhase> schedule;  // Of a population.

  const TriedObjective& first() const { return objectives.front(); }
  // The done trials first, the best of them first; then the pruned, then the failed ones.
  std::vector<const TriedTrial*> BestFirst() const;
};

// Returns nothing for a run that is no search, or has no trial yet. Of a damaged table what can be
// understood is returned. An option without a known space has the range of its values.
std::optional<TriedSearch> ReadTriedSearch(const std::filesystem::path& run);

// From trials.json and the space alone.
std::optional<TriedSearch> TriedSearchFrom(const Json& table, const Json& space);

// What a trial had reached after each epoch or round; empty where its folder does not have it, as
// with folds.
std::vector<double> CurveOfTrial(const std::filesystem::path& run, int64_t number);

}  // namespace protium
