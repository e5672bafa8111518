// SPDX-License-Identifier: Apache-2.0
// Settles everything of a search that needs no table: the trials, their pipelines, and the metric
// that compares them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "pipeline/estimator_options.h"
#include "protium/search.h"
#include "search/known_trials.h"
#include "search/proposals.h"
#include "search/pruning.h"
#include "search/trial_order.h"

namespace protium {

struct SettledTrial {
  Json values;  // By path.
  Pipeline pipeline;
  EstimatorOptions estimator;  // Complete: every default filled in.
  int64_t steps = 0;           // The last epoch or round; 0: its kind has none.
  std::string unit;            // "epoch" or "round".
};

struct SettledSearch {
  TrialOrder order;
  // At least one: all, or of a search that learns those that no result changes.
  std::vector<SettledTrial> trials;
  std::vector<SettledTrial> corners;  // Of a search that learns: the ends of its space.
  std::vector<std::string> paths;     // The options that differ, in the order of the space.
  Proposed proposed;
  KnownTrials known;
  PruneRule prune;  // Complete; of kind kNone unless trials may be stopped.

  bool learns() const { return proposed.tpe != nullptr; }
  const std::string& metric() const { return order.first().name; }
};

// Refuses with Exit::kUsage a trial whose options the pipeline refuses, and one that does not
// measure what `order` compares on rows that it has not learned from.
Result<SettledTrial> SettleTrial(const Search& search, const TrialOrder& order, const Json& values,
                                 const std::shared_ptr<const Catalogue>& own);

// Refuses with Exit::kUsage, below "search" or "folds": a pipeline without an estimator, paths that
// do not exist, values that any trial's pipeline would refuse (of a search that learns: any of
// `trials` and `corners`), a metric that is not measured, a search without folds whose estimator
// holds out no validation rows, and pruning of trials that do not measure the metric on the way.
Result<SettledSearch> Settle(const Search& search, const std::shared_ptr<const Catalogue>& own);

// Checks every trial's pipeline against the columns of `train`, as Pipeline::Fit does before it
// reads rows; `search` is the search that was settled.
Status CheckOnTable(const Search& search, const SettledSearch& settled, const DataFrame& train);

// Returns how many gangs train at the same time: the number asked for, or as many as the cores of
// the engine at `address` allow where each has the least workers of its range; one on a cluster,
// whose cores others use as well. At most `fits`, and of a search that learns at most those of
// lag + 1 trials.
int32_t CountParallel(const Search& search, const SettledSearch& settled,
                      const std::string& address, int64_t fits);

// Returns the search with gangs that leave each other their cores: where several of a range train
// on this machine at the same time, none has more workers than its share. nullopt: they do already,
// or the space says how many they have. A cluster and devices are shared by their own rules.
Result<std::optional<Search>> WithGangsBeside(const Search& search, const SettledSearch& settled,
                                              const std::string& address,
                                              const std::shared_ptr<const Catalogue>& own);

// {"kind", "grace"}, of asha and hyperband "reduction", of hyperband "brackets"; null if trials are
// not pruned.
Json PruningToJson(const PruneRule& rule);

// Returns {"method", "metric", "trials", "fits", "parallel", "folds", "space", "first": [values,
// ...]} and, as far as there are such, "prune": {"kind", "grace"}, "population": {"members",
// "every", "generations"}, "objectives" and "choose", "require", "seconds", "target", "patience",
// "least" and "timed", the metrics that the clock measures, for `protium plan`.
Json SearchToJson(const Search& search, const SettledSearch& settled, const std::string& address);

}  // namespace protium
