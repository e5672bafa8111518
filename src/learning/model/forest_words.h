// SPDX-License-Identifier: Apache-2.0
// What the numbers of a forest mean in terms of the table that the model reads, for people.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "pipeline/objective.h"
#include "trees/forest.h"

namespace protium {

// A column that stages only scaled, filled or indexed has the name and the units of the table's
// column; any other has the name that its stage gave it.
struct ColumnWords {
  std::string name;
  double factor = 1, offset = 0;   // A number of the table is factor * threshold + offset.
  std::vector<std::string> texts;  // Of the categories, by index, as far as they have any.
  // The text of a category; its index if it has none.
  std::string TextOf(int64_t category) const;
};
// One per column, with different names; `stages` is stages.json of the model.
std::vector<ColumnWords> WordsOfColumns(const std::vector<ForestColumn>& columns,
                                        const Json& stages);

// An output counts in the units of the label, its logarithm, the log-odds of a class, or a score
// before softmax.
struct OutputWords {
  std::string text;
  double factor = 1, offset = 0;  // What is meant is factor * output + offset.
};
// One per output; the objective has its labels and classes.
std::vector<OutputWords> WordsOfOutputs(const Objective& objective);

}  // namespace protium
