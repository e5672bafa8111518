// SPDX-License-Identifier: Apache-2.0
// Which options of a search mattered: functional ANOVA (Hutter, Hoos and Leyton-Brown, "An
// efficient approach for assessing hyperparameter importance", 2014). A forest learns a trial's
// value from its options; what it predicts over the whole space, however the trials lie there, is
// divided among them. The mean of the predictions over all other options is an option's marginal;
// the variance of the marginal is its share of the whole variance. What is left is due to several
// options together.
//
// Pruned trials count with what they had reached, failed ones do not count. Values that are worse
// than the worse quartile by more than three times the distance between the quartiles count as if
// they were just there: one trial that diverged would otherwise be all that is explained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "trials/tried.h"

namespace protium {

struct OptionImportance {
  std::string path;
  double share = 0;
  std::vector<Json> at;          // The choices, or the middles of 32 cells of the range, or fewer.
  std::vector<double> marginal;  // At each of them, in the metric's own terms.
};

// The mean over all options but two.
struct PairMarginal {
  size_t a = 0;
  size_t b = 0;                               // Indices of `options`.
  std::vector<std::vector<double>> marginal;  // For each value of `a` the values of `b`.
};

struct Importance {
  int64_t trials = 0;                     // That have a value.
  std::vector<OptionImportance> options;  // In the order of the space.
  std::vector<PairMarginal> pairs;        // Of the four options with the greatest shares.
};

// By the objective of this index. Nothing if fewer than 8 trials have a value, or all have the
// same. Takes some 60 ms for 1,000 trials of 7 options.
std::optional<Importance> ImportanceOf(const TriedSearch& search, size_t objective = 0);

// By each objective for which there is something to say, with the index of the objective.
std::vector<std::pair<size_t, Importance>> ImportanceByObjective(const TriedSearch& search);

// {"trials", "options": [{"option", "share", "at", "value"}], "pairs": [{"a", "b", "value"}]},
// where a and b are paths. Numbers have six digits.
Json ToJson(const Importance& importance);

}  // namespace protium
