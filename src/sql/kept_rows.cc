// SPDX-License-Identifier: Apache-2.0
// A cut that is asked for once and again (training, validation, test) hashes every row each time.
// Where its rows are a kept table thinned out by filters and cuts, its side is a column of that
// table instead.
#include "sql/kept_rows.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace protium {
namespace {

bool Cuts(const KeptMark& mark, const Columns& by, double part, int64_t seed) {
  return mark.by == by && mark.part == part && mark.seed == seed;
}

// True when `plan` gives some of the rows of `kept` as they are.
bool SelectsRowsFrom(const Plan& plan, const Node* kept) {
  if (plan.get() == kept) return true;
  const bool thins =
      std::holds_alternative<Filter>(plan->verb) || std::holds_alternative<Split>(plan->verb);
  return thins && plan->inputs.size() == 1 && SelectsRowsFrom(plan->inputs.front(), kept);
}

void Collect(const Plan& plan, const Node* kept, std::unordered_set<const Node*>& seen,
             std::vector<KeptMark>& cuts) {
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
    // All columns are those of the table: marks that were added before are not among them.
    rows = MakePlan(MarkSplit{.by = mark.by.empty() ? columns : mark.by,
                              .part = mark.part,
                              .seed = mark.seed,
                              .column = mark.column},
                    {std::move(rows)});
  }
  return rows;
}

}  // namespace protium
