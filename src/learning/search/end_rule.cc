// SPDX-License-Identifier: Apache-2.0
#include "search/end_rule.h"

#include <algorithm>

namespace protium {

void EndRule::Take(const Trial& trial) {
  if (!target_ && patience_ == 0) return;
  waiting_.emplace(trial.number, trial);
  while (!last_ && waiting_.contains(next_)) {
    Judge(waiting_.at(next_));
    waiting_.erase(next_++);
  }
}

void EndRule::Judge(const Trial& trial) {
  in_vain_ = Improves(trial) ? 0 : in_vain_ + 1;
  const ValueOrder& order = order_.first().order;
  if (target_ && order_.Counts(trial) && order.LossOf(*trial.value) <= order.LossOf(*target_)) {
    last_ = trial.number;
    why_ = "target";
  } else if (patience_ > 0 && in_vain_ >= patience_) {
    last_ = trial.number;
    why_ = "patience";
  }
}

bool EndRule::Improves(const Trial& trial) {
  if (!order_.Counts(trial)) return false;
  const Losses losses = order_.LossesOf(trial);
  if (order_.several()) all_.push_back(losses);
  const bool behind = std::ranges::any_of(front_, [&](const Losses& other) {
    const bool little = !order_.several() && losses[0] > other[0] - least_;
    return little || other == losses || Dominates(other, losses);
  });
  if (behind) return false;
  const std::vector<Losses> before = front_;
  std::erase_if(front_, [&](const Losses& other) { return Dominates(losses, other); });
  front_.push_back(losses);
  return !order_.several() || Grows(before);
}

bool EndRule::Grows(const std::vector<Losses>& before) const {
  if (before.empty() || least_ == 0) return true;
  const Losses reference = ReferenceOf(all_);
  const double volume = Hypervolume(before, reference);
  return Hypervolume(front_, reference) - volume >= least_ * volume;
}

}  // namespace protium
