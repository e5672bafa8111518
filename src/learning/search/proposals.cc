// SPDX-License-Identifier: Apache-2.0
#include "search/proposals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/first_trials.h"
#include "search/space.h"

namespace protium {

Result<Proposed> Propose(const SearchOptions& given, std::span<const Condition> conditions,
                         const std::string& path) {
  SearchOptions options = given;
  PT_LET(options.first, ReadFirst(given, conditions, path + ".first"));
  Proposed proposed;
  if (options.method != SearchMethod::kTpe || options.space.empty()) {
    PT_LET(proposed.first, ProposeTrials(options, path));
    proposed.count = int64_t(proposed.first.size());
    return proposed;
  }
  PT_LET(proposed.count, CountTrials(options, path));
  proposed.tpe =
      std::make_shared<const Tpe>(options.space, options.seed, conditions, options.first);
  const int64_t points = proposed.tpe->CountPoints();
  if (points > 0) proposed.count = std::min(proposed.count, points);
  proposed.first = proposed.tpe->First(proposed.count);
  return proposed;
}

Proposals::Proposals(Proposed proposed, int64_t lag)
    : proposed_(std::move(proposed)),
      lag_(size_t(lag)),
      values_(proposed_.first.begin(), proposed_.first.end()),
      told_(proposed_.known),
      ended_(size()) {
  for (size_t i = 0; proposed_.population && i < values_.size(); ++i) parents_.push_back(i);
  losses_.resize(size(), std::nan(""));
  if (!proposed_.tpe) return;
  for (const Json& each : values_) {
    told_.push_back({proposed_.tpe->PointOf(each), {.loss = std::nan("")}});
  }
}

bool Proposals::Ready(size_t index) const {
  if (index < values_.size()) return true;
  if (!proposed_.population) return index <= all_ended_ + lag_;
  return index - index % size_t(proposed_.population->members()) <= all_ended_;
}

const Json& Proposals::ValuesOf(size_t index) {
  if (index == values_.size() && proposed_.population) {
    AskGeneration(index);
  } else if (index == values_.size()) {
    values_.push_back(Ask(index));
    told_.push_back({proposed_.tpe->PointOf(values_.back()), {.loss = std::nan("")}});
  }
  return values_[index];
}

// `index` is its first trial.
void Proposals::AskGeneration(size_t index) {
  const auto members = size_t(proposed_.population->members());
  const size_t before = index - members;
  const std::vector<Json> values(values_.begin() + std::ptrdiff_t(before), values_.end());
  const auto generation = int64_t(before / members);
  for (Descent& each : proposed_.population->Next(generation, values,
                                                  std::span(losses_).subspan(before, members))) {
    parents_.push_back(before + each.parent);
    values_.push_back(std::move(each.values));
  }
}

std::vector<size_t> Proposals::LineageOf(size_t index) const {
  std::vector<size_t> lineage = {index};
  while (parents_[lineage.back()] != lineage.back()) lineage.push_back(parents_[lineage.back()]);
  std::ranges::reverse(lineage);
  return lineage;
}

Json Proposals::Ask(size_t index) const {
  const size_t before = proposed_.known.size();
  const size_t known = before + (index > lag_ ? index - lag_ : 0);
  std::vector<Point> running;
  for (size_t i = known; i < before + index; ++i) running.push_back(told_[i].at);
  return proposed_.tpe->Ask(int64_t(index) + 1, std::span(told_).first(known), running);
}

void Proposals::Tell(size_t index, const Outcome& outcome) {
  ended_[index] = true;
  losses_[index] = outcome.loss;
  while (all_ended_ < ended_.size() && ended_[all_ended_]) ++all_ended_;
  if (!proposed_.tpe) return;
  told_[proposed_.known.size() + index].outcome = outcome;
}

}  // namespace protium
