// SPDX-License-Identifier: Apache-2.0
// What a population needs of a search, and the pipelines of its trials.
#pragma once

#include <memory>
#include <span>

#include "search/settle.h"

namespace protium {

// Sets the first generation, and how the others come about. Refuses with Exit::kUsage, below
// "search", what cannot go on with other options in mid-training.
Status ProposePopulation(const Search& search, const Catalogue& catalogue, Proposed& proposed);

// Sets the trials of the first generation and, as corners, what any option may become.
Status SettleFirstGeneration(const Search& search, const std::shared_ptr<const Catalogue>& own,
                             SettledSearch& settled);

// The trial whose net has had the options of `lineage`, its own last.
Result<SettledTrial> SettleMember(const Search& search, const SettledSearch& settled,
                                  std::span<const Json> lineage,
                                  const std::shared_ptr<const Catalogue>& own);

}  // namespace protium
