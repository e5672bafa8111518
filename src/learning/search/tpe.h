// SPDX-License-Identifier: Apache-2.0
// What to try next, learned from earlier trials: the tree-structured Parzen estimator over all
// options at once, with a constant liar, as Optuna 5.0 defines it (Bergstra and others 2011;
// Watanabe 2023), but with more good trials (there a tenth) and more points (there 24).
//
// 1. The first 10 trials, unless 10 results are known, and those that no result precedes, are drawn
//    evenly, but for the values that some of the first are given.
// 2. Of n results the best min(ceil(0.15 n), 25) are good; the others and all running trials, which
//    count as bad until they end (the liar), are bad.
// 3. Of 128 points (fewer, at least 24, after more than 187 results) drawn from the Parzen
//    estimator of the good ones the one is taken whose log density, less that of the bad ones, is
//    greatest.
// 4. Options that exist only for some values of another (conditions) form groups with the same
//    condition. Each group has its own estimators, of the trials that have its options, and its own
//    good ones among them; the options without a condition come first and decide which groups take
//    part.
//
// 5. Pruned trials come behind the others, the one that got farthest first; behind them those that
//    break what is required, the one that breaks it least first.
// 6. With several losses the best ceil(0.15 n) are good, by their ranks (pareto.h), and all of them
//    weigh 1 (Ozaki and others, 2022).
//
// Unlike there, no set of values comes twice unless the space is used up, and a trial that failed
// counts as the worst.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "search/parzen.h"
#include "search/trial_order.h"

namespace protium {

// The option `path` exists only in trials whose option `of` has one of the values `among`; `of` is
// a choice without a condition, the same one for all conditions of a space.
struct Condition {
  std::string path;
  std::string of;
  std::vector<Json> among;
};

// A trial's result. A loss of NaN is the worst, as infinity.
struct Told {
  Point at;
  Outcome outcome;
};

// Has no state but its space: what Ask() returns depends on the arguments alone, on any machine.
class Tpe {
 public:
  // `first` are values by path of the first trials, all in the space and each with what its
  // conditions ask for (first_trials.h).
  Tpe(Space space, int64_t seed, std::span<const Condition> conditions = {},
      std::vector<Json> first = {});

  // The number of different points; 0: more than 2^53, or infinite.
  int64_t CountPoints() const;

  // The values of the trials that no result changes: the first 10, or those that are given if they
  // are more, or `count` if that is less.
  std::vector<Json> First(int64_t count) const;

  // For each option its ends or choices, each beside the first ones of the others: sets of values
  // whose refusal shows what a trial could be refused for.
  std::vector<Json> Corners() const;

  // The point of a trial's values, NaN for options that they lack.
  Point PointOf(const Json& values) const;

  // Returns the values of trial `number`, from 1. `told` and `running` are trials of lower numbers,
  // in their order.
  Json Ask(int64_t number, std::span<const Told> told, std::span<const Point> running) const;

 private:
  struct Group {
    size_t condition_of = 0;           // The dimension that decides,
    std::vector<double> condition_is;  // by its choices; empty: always.
    std::vector<Axis> axes;
    std::vector<size_t> fixed;  // Dimensions that are ranges of one number.
  };
  struct History {
    std::span<const Told> told;
    std::span<const Point> running;
    bool Holds(const Point& point) const;
  };

  int64_t Evenly() const;  // How many of the first trials are drawn evenly.
  bool TakesPart(const Group& group, const Point& point) const;
  void LeaveOut(Point& point) const;
  Point DrawEvenly(int64_t number, int64_t vain) const;
  Point DrawFresh(int64_t number, const History& history) const;
  Point Propose(int64_t number, uint64_t round, const History& history) const;
  void ProposeGroup(const Group& group, const History& history, Draws& draws, Point& into) const;
  Json ValuesOf(const Point& point) const;

  Space space_;
  int64_t seed_;
  std::vector<Json> first_;
  std::vector<std::vector<Json>> choices_;  // By dimension; each once.
  std::vector<Group> groups_;               // The one without a condition first.
};

}  // namespace protium
