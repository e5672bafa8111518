// SPDX-License-Identifier: Apache-2.0
// Training, validation and test each ask for a side of the same split, and each would hash every
// row again. FindCuts() searches the whole plan for such splits before the kept table is made,
// WithMarks() adds their sides as columns, and the writer then filters by the column (writer.cc,
// MarkedBelow). A filter between the table and the split changes nothing: the side of a row depends
// on that row alone.
#include "sql/kept_rows.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace protium {
namespace {

bool Cuts(const KeptMark& mark, const Columns& by, double part, int64_t seed) {
  return mark.by == by && mark.part == part && mark.seed == seed;
}

// Whether `plan` is a selection of the rows of `kept` with unchanged columns.
bool SelectsRowsFrom(const Plan& plan, const Node* kept) {
  if (plan.get() == kept) return true;
  const bool thins =
      std::holds_alternative<Filter>(plan->verb) || std::holds_alternative<Split>(plan->verb);
  return thins && plan->inputs.size() == 1 && SelectsRowsFrom(plan->inputs.front(), kept);
}

void Collect(const Plan& plan, const Node* kept, std::unordered_set<const Node*>& seen,
             std::vector<KeptMark>& cuts) {
  // Plans share nodes: without this, a chain of shared ones would be walked exponentially often.
  if (!seen.insert(plan.get()).second) return;
  const auto add = [&](const Columns& by, double part, int64_t seed) {
    if (plan->inputs.size() != 1 || !SelectsRowsFrom(plan->inputs.front(), kept)) return;
    const bool known = std::any_of(
        cuts.begin(), cuts.end(), [&](const KeptMark& each) { return Cuts(each, by, part, seed); });
    if (!known) cuts.push_back({by, part, seed, {}});
  };
  if (const auto* split = std::get_if<Split>(&plan->verb)) add(split->by, split->part, split->seed);
  if (const auto* mark = std::get_if<MarkSplit>(&plan->verb)) add(mark->by, mark->part, mark->seed);
  for (const Plan& input : plan->inputs) Collect(input, kept, seen, cuts);
}

}  // namespace

const KeptMark* KeptRows::Find(const Columns& by, double part, int64_t seed) const {
  const auto found = std::find_if(marks.begin(), marks.end(),
                                  [&](const KeptMark& each) { return Cuts(each, by, part, seed); });
  return found == marks.end() ? nullptr : &*found;
}

std::vector<KeptMark> FindCuts(const Plan& whole, const Node* kept) {
  std::vector<KeptMark> cuts;
  std::unordered_set<const Node*> seen;
  Collect(whole, kept, seen, cuts);
  return cuts;
}

Plan WithMarks(Plan rows, const Columns& columns, std::vector<KeptMark>& marks) {
  for (size_t i = 0; i < marks.size(); ++i) {
    KeptMark& mark = marks[i];
    mark.column = "pt_cut_" + std::to_string(i);
    while (std::find(columns.begin(), columns.end(), mark.column) != columns.end()) {
      mark.column += '_';
    }
    // A split by all columns means those of the table, not the marks added just before.
    rows = MakePlan(MarkSplit{.by = mark.by.empty() ? columns : mark.by,
                              .part = mark.part,
                              .seed = mark.seed,
                              .column = mark.column},
                    {std::move(rows)});
  }
  return rows;
}

}  // namespace protium
