// SPDX-License-Identifier: Apache-2.0
// How a forest is grown, as data; job files, --set, help and the reference pages follow from
// Fields() here. The forest follows from the rows, the loss and these options, never from the
// number of workers (docs/trees.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protium/choice.h"
#include "protium/training.h"

namespace protium {

// Predictions may only rise, or only fall, as the column does.
enum class Direction { kFalling, kRising };
inline EnumNames<Direction> Names(Direction) {
  return {{{Direction::kFalling, "falling"}, {Direction::kRising, "rising"}}};
}
struct MonotoneColumn {
  std::string column;
  Direction direction = Direction::kRising;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column, {.help = "a column of `numeric`", .filled = "a column"});
    visit("direction", direction, {.help = "how predictions go as the column rises"});
  }
};

// The shape of the trees. A round adds one tree for each output of the model: one, or one for each
// class, label or level.
struct TreeOptions {
  int64_t rounds = 200;
  double learning_rate = 0.05;
  int32_t leaves = 31;
  int32_t depth = 0;
  int32_t bins = 255;
  double min_weight = 1;
  double min_gain = 0;
  double l1 = 0;
  double l2 = 1;
  double rows = 1;
  double columns = 0.5;
  int32_t one_hot = 4;
  double smoothing = 10;
  std::vector<MonotoneColumn> monotone;
  std::vector<std::vector<std::string>> interactions;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rounds", rounds,
          {.help = "trees for each output", .at_least = 1, .decides_weights = false});
    visit("learning_rate", learning_rate,
          {.help = "factor of what each tree adds", .above = 0, .at_most = 1});
    visit("leaves", leaves, {.help = "most leaves of a tree", .at_least = 2, .at_most = 65536});
    visit("depth", depth,
          {.help = "most splits above a leaf; 0: only `leaves` counts",
           .at_least = 0,
           .at_most = 64});
    visit("bins", bins,
          {.help = "most parts that the values of a number are cut into, besides missing ones",
           .at_least = 2,
           .at_most = 255});
    visit("min_weight", min_weight,
          {.help = "smallest sum of hessians in a leaf: for mse, of row weights", .at_least = 0});
    visit("min_gain", min_gain, {.help = "smallest gain of a split", .at_least = 0});
    visit("l1", l1, {.help = "penalty on the size of leaves", .at_least = 0});
    visit("l2", l2, {.help = "penalty on the square of leaves", .at_least = 0});
    visit("rows", rows,
          {.help = "share of the rows that each round learns from; rows that are equal in all "
                   "columns are chosen together",
           .above = 0,
           .at_most = 1});
    visit("columns", columns,
          {.help = "share of the columns that each tree may split on, but never fewer than 8",
           .above = 0,
           .at_most = 1});
    visit("one_hot", one_hot,
          {.help = "splits on at most this many categories put one on a side; with more they are "
                   "sorted by gradient and cut in two",
           .at_least = 1});
    visit(
        "smoothing", smoothing,
        {.help = "weight added to each category, so that rare ones do not decide", .at_least = 0});
    visit("monotone", monotone, {.help = "numbers that predictions rise or fall with"});
    visit("interactions", interactions,
          {.help = "lists of columns: those on the way to a leaf come from one list; unless set, "
                   "any columns"});
  }
};

// The rest of `train` for trees. As in TrainOptions (protium/training.h), with rounds for epochs.
struct TreeTrainOptions {
  ValidationOptions validation;
  std::vector<std::string> metrics;
  std::string best;
  EarlyStoppingOptions early_stopping;  // Its patience counts rounds.
  int32_t keep = 3;
  std::string baseline;
  int64_t seed = 0;
  ModelOrStart from;
  std::string continues;         // The name of a kept training; empty: none.
  CheckpointOptions checkpoint;  // Its steps are rounds.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("validation", validation,
          {.help = "rows set aside while training, to choose the best round",
           .decides_weights = false});
    visit("metrics", metrics,
          {.help = "what is measured on validation and test rows; unless set, what suits the loss",
           .rows_of = "metrics",
           .decides_weights = false});
    visit("best", best,
          {.help = "the metric on validation rows that decides which round is the last; unless "
                   "set, the first",
           .rows_of = "metrics"});
    visit("early_stopping", early_stopping,
          {.help = "ends training when it stops improving", .decides_weights = false});
    visit("keep", keep, {.help = "checkpoints kept", .at_least = 1, .decides_weights = false});
    visit("baseline", baseline,
          {.help = "column to compare with: by a straight line in it or, of earlier values such as "
                   "\"sales__lag__7\", as it is; or a forecast of a series, \"last value\" or "
                   "\"seasonal\", of a season of 7 rows \"seasonal@7\"; empty: none",
           .decides_weights = false});
    visit("seed", seed, {.help = "seed of rounding, and of the rows and columns of each round"});
    visit("from", from,
          {.help = "model folder with a forest that training adds trees to; unless set, none",
           .decides_weights = false});
    visit("continues", continues, {.help = kContinuesHelp, .decides_weights = false});
    visit("checkpoint", checkpoint,
          {.help = "when checkpoints are saved", .decides_weights = false});
  }
};

}  // namespace protium
