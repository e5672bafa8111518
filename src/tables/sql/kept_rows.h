// SPDX-License-Identifier: Apache-2.0
// Tables that are already computed ("kept"), and the splits whose sides they carry as boolean
// columns. The split of a kept table is hashed once, when the table is made; afterwards, reading a
// side is a filter on a column.
#pragma once

#include <string>
#include <vector>

#include "plan/node.h"

namespace protium {

// A split by these columns, and the boolean column that is true for rows on the part's side. Two
// splits are the same if columns, their order, share and seed agree.
struct KeptMark {
  Columns by;
  double part = 0;
  int64_t seed = 0;
  std::string column;
};

// What replaces a plan's node as soon as its rows are kept.
struct KeptRows {
  std::string table;     // What is written after FROM: a quoted name or more.
  Columns columns = {};  // Without the marks' own columns; may be empty.
  std::vector<KeptMark> marks = {};
  std::string content = {};  // The name of the rows by what they hold; empty: not known.

  // Returns the mark of that split; nullptr if the table has none for it.
  const KeptMark* Find(const Columns& by, double part, int64_t seed) const;
};

// Returns the splits in `whole` that read the rows of `kept` through nothing but filters and other
// splits, each once, in the order in which they are found. Their columns have no names yet.
std::vector<KeptMark> FindCuts(const Plan& whole, const Node* kept);

// Adds a column for each of `marks` to `rows`, whose columns are `columns`, and stores its name in
// the mark: pt_cut_0 and so on, with underscores appended until the name is free.
Plan WithMarks(Plan rows, const Columns& columns, std::vector<KeptMark>& marks);

}  // namespace protium
