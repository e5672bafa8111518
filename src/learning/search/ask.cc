// SPDX-License-Identifier: Apache-2.0
#include "search/ask.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/fault.h"
#include "search/settle_population.h"

namespace protium {

AskedTrials::AskedTrials(const Search& search, const SettledSearch& settled,
                         std::shared_ptr<const Catalogue> own)
    : search_(search),
      settled_(settled),
      own_(std::move(own)),
      proposals_(settled.proposed, search.options().Lag()) {
  for (const SettledTrial& each : settled.trials) {
    trials_.push_back({.values = each.values, .settled = each});
  }
}

const AskedTrial& AskedTrials::At(size_t index) {
  if (index < trials_.size()) return trials_[index];
  AskedTrial trial{.values = proposals_.ValuesOf(index)};
  Result<SettledTrial> settled = Settle(index, trial);
  trial.refused = settled.status();
  if (settled.ok()) trial.settled = *std::move(settled);
  trials_.push_back(std::move(trial));
  return trials_.back();
}

Result<SettledTrial> AskedTrials::Settle(size_t index, AskedTrial& trial) const {
  if (!settled_.proposed.population) {
    return SettleTrial(search_, settled_.order, trial.values, own_);
  }
  const std::vector<size_t> trials = proposals_.LineageOf(index);
  trial.parent = trials[trials.size() - 2];
  if (proposals_.Failed(*trial.parent)) {
    return Fail(
        {.what = fmt::format("trial {}, which it continues from, failed", *trial.parent + 1)});
  }
  std::vector<Json> lineage;
  for (const size_t each : trials) {
    lineage.push_back(each == index ? trial.values : trials_[each].values);
  }
  return SettleMember(search_, settled_, lineage, own_);
}

}  // namespace protium
