// SPDX-License-Identifier: Apache-2.0
// What came of the trials (tell): the table that a search fills, chooses from and writes. What is
// tried is decided elsewhere (space.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "protium/search.h"

namespace protium {

// One thread at a time.
class TrialTable {
 public:
  // `paths` are the options that differ, in the order of the space.
  TrialTable(std::string metric, bool higher_is_better, std::vector<std::string> paths)
      : metric_(std::move(metric)), higher_(higher_is_better), paths_(std::move(paths)) {}

  void Add(Trial trial);                                        // Trials may end in any order.
  const std::vector<Trial>& trials() const { return trials_; }  // By number.
  // The trial with the best value, of equal ones the first; null if none has a value. Of a metric
  // that should be low the size counts, as when epochs are compared: a bias of -9 is no good.
  const Trial* best() const;

  // {"metric", "higher_is_better", "best", "trials": [...]}, and one line a trial.
  Json ToJson() const;
  std::string ToCsv() const;
  // Writes both as trials.json and trials.csv into `folder`, each whole or not at all.
  Status Save(const std::filesystem::path& folder) const;

 private:
  std::string metric_;
  bool higher_;
  std::vector<std::string> paths_;
  std::vector<Trial> trials_;
};

// Mean and sample deviation of the folds' values, as Trial has them.
void Summarise(Trial& trial);

}  // namespace protium
