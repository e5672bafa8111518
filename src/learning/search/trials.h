// SPDX-License-Identifier: Apache-2.0
// The results of the trials (tell): the table that a search fills, chooses from and writes. What to
// try is decided elsewhere (space.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "protium/search.h"
#include "search/value_order.h"

namespace protium {

// One thread at a time.
class TrialTable {
 public:
  // `paths` are the options that differ, in the order of the space.
  TrialTable(std::string metric, ValueOrder order, std::vector<std::string> paths)
      : metric_(std::move(metric)), order_(order), paths_(std::move(paths)) {}

  void Add(Trial trial);                                        // Trials may end in any order.
  const std::vector<Trial>& trials() const { return trials_; }  // By number.
  // Returns the done trial with the best value, the first of equal ones; null if none is done.
  const Trial* best() const;

  // {"metric", "higher_is_better", "best", "trials": [...]}, and one line per trial.
  Json ToJson() const;
  std::string ToCsv() const;
  // Writes both as trials.json and trials.csv to `folder`, each completely or not at all.
  Status Save(const std::filesystem::path& folder) const;

 private:
  std::string metric_;
  ValueOrder order_;
  std::vector<std::string> paths_;
  std::vector<Trial> trials_;
};

// Sets mean and sample deviation of the folds' values.
void Summarise(Trial& trial);

}  // namespace protium
