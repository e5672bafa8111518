// SPDX-License-Identifier: Apache-2.0
#include "search/ask.h"

#include <cmath>
#include <utility>

namespace protium {

AskedTrials::AskedTrials(const Search& search, const SettledSearch& settled,
                         std::shared_ptr<const Catalogue> own)
    : search_(search),
      settled_(settled),
      own_(std::move(own)),
      lag_(size_t(search.options().lag)),
      ended_(size()) {
  for (const SettledTrial& each : settled.trials) {
    trials_.push_back({.values = each.values, .settled = each});
    if (settled.tpe) told_.push_back({settled.tpe->PointOf(each.values), std::nan("")});
  }
}

bool AskedTrials::Ready(size_t index) const {
  return index < trials_.size() || index <= all_ended_ + lag_;
}

const AskedTrial& AskedTrials::At(size_t index) {
  if (index == trials_.size()) Ask(index);
  return trials_[index];
}

void AskedTrials::Ask(size_t index) {
  const size_t known = index > lag_ ? index - lag_ : 0;
  std::vector<Point> running;
  for (size_t i = known; i < index; ++i) running.push_back(told_[i].at);
  const std::span<const Told> told(told_.data(), known);
  AskedTrial trial{.values = settled_.tpe->Ask(int64_t(index) + 1, told, running)};
  Result<SettledTrial> settled = SettleTrial(search_, settled_.metric, trial.values, own_);
  trial.refused = settled.status();
  if (settled.ok()) trial.settled = *std::move(settled);
  told_.push_back({settled_.tpe->PointOf(trial.values), std::nan("")});
  trials_.push_back(std::move(trial));
}

void AskedTrials::Tell(size_t index, std::optional<double> value) {
  ended_[index] = true;
  while (all_ended_ < ended_.size() && ended_[all_ended_]) ++all_ended_;
  if (!settled_.tpe || !value) return;
  // As TrialTable::best() compares them.
  told_[index].loss = settled_.higher_is_better ? -*value : std::fabs(*value);
}

}  // namespace protium
