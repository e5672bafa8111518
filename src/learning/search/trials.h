// SPDX-License-Identifier: Apache-2.0
// The results of the trials (tell): the table that a search fills, chooses from and writes. What to
// try is decided elsewhere (space.h).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protium/search.h"
#include "search/population.h"
#include "search/trial_order.h"

namespace protium {

// One thread at a time.
class TrialTable {
 public:
  // `paths` are the options that differ, in the order of the space. `population`: what the trials
  // are of; null: of none.
  TrialTable(TrialOrder order, std::vector<std::string> paths,
             std::shared_ptr<const Population> population = nullptr)
      : order_(std::move(order)), paths_(std::move(paths)), population_(std::move(population)) {}

  void Add(Trial trial);                                        // Trials may end in any order.
  const std::vector<Trial>& trials() const { return trials_; }  // By number.
  void DropAbove(int64_t number);  // Those above the last trial of the search.
  // How long the search has taken, if its table says so.
  void SetElapsed(double seconds) { elapsed_ = seconds; }
  // Returns the best done trial that keeps what is required, the first of equal ones; null if there
  // is none.
  const Trial* best() const { return BestOf(trials_, order_); }

  // {"metric", "higher_is_better", "best", "trials": [...]}, and one line per trial. With several
  // metrics also "objectives" (their names) and "front" (numbers); "require" and "elapsed_seconds"
  // if there are such; of a population "schedule" (ScheduleOf()), once there is a best one.
  Json ToJson() const;
  std::string ToCsv() const;
  // Writes both as trials.json and trials.csv to `folder`, each completely or not at all.
  Status Save(const std::filesystem::path& folder) const;

 private:
  TrialOrder order_;
  std::vector<std::string> paths_;
  std::shared_ptr<const Population> population_;
  std::vector<Trial> trials_;
  std::optional<double> elapsed_;
};

double MeanOf(const std::vector<double>& values);

// Sets mean and sample deviation of the folds' values.
void Summarise(Trial& trial);

}  // namespace protium
