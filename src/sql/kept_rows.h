// SPDX-License-Identifier: Apache-2.0
// Tables that are there already, and the sides of cuts that they carry: a cut of a kept table is
// hashed when the table is made, and after that it is a look at a column.
#pragma once

#include <string>
#include <vector>

#include "plan/node.h"

namespace protium {

// A cut as Split and MarkSplit make it, and the boolean column that is true on the part's side.
struct KeptMark {
  Columns by;
  double part = 0;
  int64_t seed = 0;
  std::string column;
};

struct KeptRows {
  std::string table;     // Quoted; or anything else that stands behind FROM.
  Columns columns = {};  // Without those of marks; empty where there are no marks.
  std::vector<KeptMark> marks = {};

  // The mark of that cut; nullptr where the table carries none.
  const KeptMark* Find(const Columns& by, double part, int64_t seed) const;
};

// The cuts that `whole` makes of the rows of `kept` with nothing in between but filters and other
// cuts, each once; their columns are not named yet.
std::vector<KeptMark> FindCuts(const Plan& whole, const Node* kept);

// Adds the columns of `marks`, which get names that are not among `columns`, those of `rows`.
Plan WithMarks(Plan rows, const Columns& columns, std::vector<KeptMark>& marks);

}  // namespace protium
