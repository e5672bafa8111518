// SPDX-License-Identifier: Apache-2.0
// The trials of a search over a pipeline: the values that are proposed, and the pipelines that they
// make.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "search/proposals.h"
#include "search/settle.h"

namespace protium {

struct AskedTrial {
  Json values;
  std::optional<size_t> parent;         // Of a population, after the first generation.
  std::optional<SettledTrial> settled;  // None: `refused` says why these values cannot be fitted.
  Status refused;
};

// One thread at a time.
class AskedTrials {
 public:
  // All live at least as long.
  AskedTrials(const Search& search, const SettledSearch& settled,
              std::shared_ptr<const Catalogue> own);

  size_t size() const { return proposals_.size(); }
  bool Ready(size_t index) const { return proposals_.Ready(index); }

  // The trial, once it is Ready(). Those before it have been asked for. References stay valid.
  const AskedTrial& At(size_t index);

  // The first trial that has not ended.
  size_t FirstOpen() const { return proposals_.FirstOpen(); }

  void Tell(size_t index, const Outcome& outcome) { proposals_.Tell(index, outcome); }

 private:
  Result<SettledTrial> Settle(size_t index, AskedTrial& trial) const;

  const Search& search_;
  const SettledSearch& settled_;
  std::shared_ptr<const Catalogue> own_;
  Proposals proposals_;
  std::deque<AskedTrial> trials_;
};

}  // namespace protium
