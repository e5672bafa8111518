// SPDX-License-Identifier: Apache-2.0
// Which trials of a search end before their last step, by comparing what they have reported on the
// way with trials of lower numbers.
//
// 1. A fit reports a value at steps (epochs, rounds of trees) that increase. What counts at a step
//    is the best value so far, since a trial is measured at its best epoch; a fit that has ended
//    with a value keeps its best at all later steps.
// 2. asha: successive halving in which a trial that is stopped stays stopped (Li and others, 2020).
//    At the steps grace, grace * reduction, ... a trial goes on if its value is among the best 1 /
//    reduction of those that have reached this step, itself included, but at least if it is the
//    best. Equal values go on.
// 3. median: at every step from `grace` on a trial goes on unless its value is worse than the
//    median of at least 5 others.
// 4. hyperband: asha in brackets (Li and others, 2018): those of bracket b begin to be compared at
//    grace * reduction^b, and with each other only. Of n brackets the one with s = n - 1 - b has a
//    share in proportion to ceil(n * reduction^s / (s + 1)), as in Optuna; a trial's bracket
//    depends on its number alone.
// 5. wilcoxon: for values of the same rows at each step, such as folds, which are compared one by
//    one instead of as the best so far. From `grace` on a trial is stopped if the signed-rank test
//    says at 0.1 that its values are worse than those of the best trial below that came to its end
//    unstopped, unless their mean is no worse.
// 6. Others are the trials of lower numbers, with what they have reported up to where they were
//    stopped themselves. So a verdict depends on reports alone, never on which of them came first:
//    a trial whose lower ones are not as far yet goes on until they are, and may then be stopped at
//    a step that it has left behind, even after its end.
// 7. Of a trial with several fits (folds) each is compared with the same fit of others, in the
//    order of fits; those behind one that is stopped, or fails, do not count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protium/search.h"
#include "search/proposals.h"
#include "search/value_order.h"

namespace protium {

struct PruneRule {
  Prune kind = Prune::kNone;
  int64_t grace = 1;
  int64_t reduction = 3;
  int64_t brackets = 1;  // kHyperband.
  ValueOrder order;
};

// Where a trial was stopped.
struct PrunedAt {
  int32_t fit = 0;    // From 0.
  int64_t check = 0;  // The step of the rule,
  int64_t step = 0;   // and the first one from there on at which the trial reported.
  double value = 0;   // The best until there.
  double bar = 0;     // The loss that it would have had to reach; wilcoxon: the other's mean.
  int64_t others = 0;
  double p = 0;  // wilcoxon: how likely differences at least as bad are by chance.
};

// A later fit counts as a later step.
Outcome OutcomeOf(const PrunedAt& at, const ValueOrder& order);

// "rmse 0.31 at epoch 4, where 0.28 was needed (asha, 7 trials before it)",
// "rmse 0.31 over 5 folds, where the best trial before it has 0.28 (wilcoxon, p = 0.031)".
std::string Reason(const PrunedAt& at, const PruneRule& rule, const std::string& metric,
                   const std::string& unit);

// The number of brackets that have a first comparison at or before the last step `most`.
int64_t CountBrackets(int64_t most, int64_t grace, int64_t reduction);

// One thread at a time. Trials and fits count from 0; reports may come in any order among them.
class Pruning {
 public:
  Pruning(PruneRule rule, int32_t fits) : rule_(rule), fits_(fits) {}

  // The trial's last step, at which it is not stopped any more. Unless called: it has none.
  void Expect(size_t trial, int64_t steps);
  // Ignores a step that is not above the last one of this fit, as after a restart.
  void Report(size_t trial, int32_t fit, int64_t step, double value);
  // The fit is over; it has a value of its own unless it failed.
  void End(size_t trial, int32_t fit, bool failed);

  // Judges what the reports decide by now.
  void Judge();
  // Whether later reports change nothing for this trial any more.
  bool Decided(size_t trial) const;
  // Null: it is not stopped, or not yet.
  const PrunedAt* StoppedAt(size_t trial) const;

 private:
  struct Fit {
    // By step: the best so far, of wilcoxon the value itself.
    std::vector<std::pair<int64_t, double>> best;
    int64_t next = 0;  // All steps below are judged.
    bool ended = false;
    bool failed = false;
  };
  struct Course {
    std::vector<Fit> fits;
    int64_t last_step = 0;  // 0: not known.
    size_t judging = 0;     // The first fit that is not judged to its end.
    bool decided = false;
    std::optional<PrunedAt> stopped;
  };
  enum class Standing { kAbsent, kReached, kOpen };

  Course& At(size_t trial);
  int64_t BracketOf(size_t trial) const;
  bool OnRungs() const { return rule_.kind == Prune::kAsha || rule_.kind == Prune::kHyperband; }
  void JudgeTrial(size_t trial);
  bool JudgeFit(size_t trial, size_t fit);
  bool JudgeByRanks(size_t trial);
  const Course* BestBelow(size_t trial) const;
  double MeanLoss(const Fit& fit) const;
  bool FindOthers(size_t trial, size_t fit, int64_t check, std::vector<double>& losses) const;
  Standing Find(const Course& other, size_t fit, int64_t check, double& loss) const;
  std::optional<double> BarOf(std::vector<double> losses) const;

  PruneRule rule_;
  int32_t fits_;
  std::vector<Course> courses_;
};

}  // namespace protium
