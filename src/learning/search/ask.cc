// SPDX-License-Identifier: Apache-2.0
#include "search/ask.h"

#include <utility>

namespace protium {

AskedTrials::AskedTrials(const Search& search, const SettledSearch& settled,
                         std::shared_ptr<const Catalogue> own)
    : search_(search),
      settled_(settled),
      own_(std::move(own)),
      proposals_(settled.proposed, search.options().lag) {
  for (const SettledTrial& each : settled.trials) {
    trials_.push_back({.values = each.values, .settled = each});
  }
}

const AskedTrial& AskedTrials::At(size_t index) {
  if (index < trials_.size()) return trials_[index];
  AskedTrial trial{.values = proposals_.ValuesOf(index)};
  Result<SettledTrial> settled = SettleTrial(search_, settled_.order, trial.values, own_);
  trial.refused = settled.status();
  if (settled.ok()) trial.settled = *std::move(settled);
  trials_.push_back(std::move(trial));
  return trials_.back();
}

}  // namespace protium
