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
  const bool behind = std::ranges::any_of(
      front_, [&](const Losses& other) { return other == losses || Dominates(other, losses); });
  if (behind) return false;
  std::erase_if(front_, [&](const Losses& other) { return Dominates(losses, other); });
  front_.push_back(losses);
  return true;
}

}  // namespace protium
