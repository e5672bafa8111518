// SPDX-License-Identifier: Apache-2.0
// When a search ends before its last trial: by its target, or because nothing gets better. Trials
// are judged in the order of their numbers, so that the last one is the same for any number of
// gangs; those above it that have begun by then do not count. A trial improves something if it is
// better than the best that did by SearchOptions::least; with several metrics, if it is on the
// front and the hypervolume of that (pareto.h) grows by this share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/trial_order.h"

namespace protium {

// One thread at a time.
class EndRule {
 public:
  EndRule(const SearchOptions& options, TrialOrder order)
      : target_(options.target),
        patience_(options.patience),
        least_(options.least),
        order_(std::move(order)) {}

  // The trial is over; those of lower numbers need not be.
  void Take(const Trial& trial);

  // The number of the search's last trial, once it is decided.
  std::optional<int64_t> last() const { return last_; }
  const std::string& why() const { return why_; }  // "target" or "patience".

 private:
  void Judge(const Trial& trial);
  bool Improves(const Trial& trial);
  bool Grows(const std::vector<Losses>& before) const;

  std::optional<double> target_;
  int64_t patience_;
  double least_;
  TrialOrder order_;
  std::map<int64_t, Trial> waiting_;  // Over, and a lower one is not.
  int64_t next_ = 1;                  // The first trial that is not judged.
  std::vector<Losses> front_;         // Of those that are.
  std::vector<Losses> all_;           // Of several metrics, all that count.
  int64_t in_vain_ = 0;               // How many of the last ones improved nothing.
  std::optional<int64_t> last_;
  std::string why_;
};

}  // namespace protium
