// SPDX-License-Identifier: Apache-2.0
// What a rank of one generation works with: its rows as bins, labels, keys and margins, and the
// trees that it grows on them together with the other ranks. Everything here can be made again from
// the rows and a forest, so no checkpoint stores it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "trees/boost.h"
#include "trees/gradient.h"
#include "trees/grow.h"

namespace protium {

// The sampled training loss of the own rows, as whole numbers of 2^-20.
struct LossSample {
  int64_t loss = 0;
  int64_t weight = 0;
};

// One thread. Borrows spec, rows and communicator.
class BoostingRows {
 public:
  // Collective.
  static Result<std::unique_ptr<BoostingRows>> Make(const BoostSpec& spec, const BoostInput& input,
                                                    Communicator& communicator);

  // Collective. The outputs of a forest without trees: what a single leaf would predict.
  Result<std::vector<float>> FirstOutputs();
  // Sets the margins to what this forest predicts.
  Status StartAt(const Forest& forest);
  // Collective. Returns the trees of one round, one per output, and moves the margins. `round`
  // counts from 0. After a failure the margins must be set again.
  Result<std::vector<Tree>> Grow(int64_t round);

  LossSample SampleLoss() const;
  // The outputs of the own validation rows, [outputs, rows] in the order of the shards.
  std::span<const float> validation_margins() const { return validation_margins_; }
  // Gradients that were too large for the grid, in the last round, over all ranks.
  int64_t clipped() const { return clipped_; }
  int64_t disk_bytes() const;
  double wait_seconds() const { return grower_->wait_seconds(); }

 private:
  BoostingRows(const BoostSpec& spec, const BoostInput& input, Communicator& communicator)
      : spec_(spec), in_(input), communicator_(communicator) {}
  Status Prepare();
  Status ReadKeys();
  Status PredictInto(const ShardedRows& rows, const Forest& forest, std::span<float> margins) const;
  Result<float> FirstOutput(int64_t output, std::span<const GradientPair> pairs, float from);
  Result<Tree> GrowOne(int64_t round, int64_t output);
  Status TakeQuantiles(Grown& grown, int64_t output, double level);
  void MoveMargins(const Grown& grown, int64_t output);
  std::vector<uint32_t> ChooseRows(int64_t round) const;
  std::vector<int32_t> ChooseColumns(int64_t tree) const;
  std::span<float> MarginsOf(int64_t output) {
    return std::span(margins_).subspan(size_t(output * targets_.rows), size_t(targets_.rows));
  }

  const BoostSpec& spec_;
  const BoostInput& in_;
  Communicator& communicator_;
  std::unique_ptr<TreeLoss> loss_;
  std::vector<ColumnBins> bins_;
  ColumnRules rules_;
  std::optional<BinnedRows> rows_;
  std::optional<BinnedRows> validation_rows_;
  std::unique_ptr<Grower> grower_;
  TreeTargets targets_;
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> sample_;  // Rows whose loss is reported.
  std::vector<float> margins_;    // [outputs, rows]
  std::vector<float> validation_margins_;
  std::vector<GradientPair> pairs_;  // Of one output.
  std::vector<uint64_t> words_;
  std::vector<uint32_t> chosen_;  // Rows of this round, ascending.
  int64_t clipped_ = 0;
};

}  // namespace protium
