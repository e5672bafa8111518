// SPDX-License-Identifier: Apache-2.0
// Population based training (Jaderberg and others, 2017) by generations: nets train side by side,
// each for some epochs, and those that do badly go on from those that do well.
//
// 1. A generation begins when all trials of the one before are over, so it is the same for any
//    number of gangs.
// 2. Trials are ordered by the metric after their last epoch, failed ones last and equal ones by
//    number. The worst quarter, and all that failed, go on with the weights, the optimizer's state
//    and the options of one of the best quarter that is drawn; then their options change. All
//    others go on as they are.
// 3. An option changes as in Ray Tune: once in four times it is drawn anew from the space;
//    otherwise a number is multiplied by 0.8 or 1.2, within its range, and of a list its neighbour
//    is taken. All draws depend on the seed, the generation and the trial alone.
// 4. A trial is the training of a net whose options have changed from generation to generation
//    (TrainOptions::changes). That it goes on from a checkpoint only saves time: trained anew it
//    has the same weights, and so has the net that is trained with the schedule of the best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "protium/search.h"

namespace protium {

// What may change is an option of the optimizer.
inline constexpr std::string_view kOptimizerPath = "train.optimizer.";

// How a trial of the next generation begins.
struct Descent {
  size_t parent = 0;  // Its place in the generation before.
  Json values;        // The options from now on, by path.
};

// A value; immutable.
class Population {
 public:
  // For `epochs` in all, `every` of them a generation; the last one may be shorter.
  Population(Space space, int64_t seed, int64_t members, int64_t every, int64_t epochs)
      : space_(std::move(space)), seed_(seed), members_(members), every_(every), epochs_(epochs) {}

  int64_t members() const { return members_; }
  int64_t every() const { return every_; }
  int64_t generations() const { return (epochs_ + every_ - 1) / every_; }
  int64_t CountTrials() const { return members_ * generations(); }
  // The epochs that are finished at the end of a generation, which count from 0.
  int64_t EpochsAfter(int64_t generation) const;

  // The generation after `generation`, whose trials had these values and have these losses; a NaN
  // failed. If all did, all go on as they are.
  std::vector<Descent> Next(int64_t generation, std::span<const Json> values,
                            std::span<const double> losses) const;

  // The options of a net by path, `lineage` being the values of each generation from the first one
  // on: those of the first one, train.changes and train.epochs.
  Json OptionsOf(std::span<const Json> lineage) const;

 private:
  Json Changed(const Dimension& dimension, const Json& value, int64_t generation,
               int64_t place) const;

  Space space_;
  int64_t seed_;
  int64_t members_;
  int64_t every_;
  int64_t epochs_;
};

// The trials from the first generation to trial `number`, each the parent of the next.
std::vector<const Trial*> LineageOf(std::span<const Trial> trials, int64_t number);

// [{"epochs": [first, last], "trial", "values"}]: with which options the net of trial `number` was
// trained up to its best epoch, in epochs from 1 on.
Json ScheduleOf(const Population& population, std::span<const Trial> trials, int64_t number);

}  // namespace protium
