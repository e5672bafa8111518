// SPDX-License-Identifier: Apache-2.0
// The trials of a search one after the other, of which those that learn from others are asked for
// when the results are there that they learn from.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "search/settle.h"

namespace protium {

struct AskedTrial {
  Json values;
  std::optional<SettledTrial> settled;  // None: `refused` says why these values cannot be fitted.
  Status refused;
};

// One thread at a time.
class AskedTrials {
 public:
  // All live at least as long.
  AskedTrials(const Search& search, const SettledSearch& settled,
              std::shared_ptr<const Catalogue> own);

  size_t size() const { return size_t(settled_.count); }

  // Whether At(index) may be called: all trials below index - lag have ended.
  bool Ready(size_t index) const;

  // The trial, which is asked for now unless it is known. Those before it have been asked for.
  // References stay valid.
  const AskedTrial& At(size_t index);

  // Trial `index` has ended, with `value` of the metric unless it failed.
  void Tell(size_t index, std::optional<double> value);

 private:
  void Ask(size_t index);

  const Search& search_;
  const SettledSearch& settled_;
  std::shared_ptr<const Catalogue> own_;
  size_t lag_;
  std::deque<AskedTrial> trials_;
  std::vector<Told> told_;   // Of each trial asked for; the loss is NaN until it ends.
  std::vector<bool> ended_;  // By index.
  size_t all_ended_ = 0;     // Every trial below has ended.
};

}  // namespace protium
