// SPDX-License-Identifier: Apache-2.0
// Runs steps of training in worlds of any number of ranks, which are threads of this process.
// LibTorch has one generator per process: nets may draw from it for their first weights, which
// happens one rank after another, but not in a step.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "collective/testing/thread_ranks.h"
#include "rows/rows.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/stepper.h"

namespace protium {

inline constexpr int32_t kWorldShards = 4;

using NetMaker = std::function<Result<std::unique_ptr<Net>>()>;

// By step, by shard.
using StepBlocks = std::vector<std::vector<BatchRows>>;

// Steps over consecutive rows; `sizes` are those of the shards of the first step, then of the
// second...
inline StepBlocks MakeSteps(const SyntheticRows& rows, const std::vector<int>& sizes) {
  StepBlocks out;
  int64_t at = 0;
  for (size_t i = 0; i < sizes.size(); i += kWorldShards) {
    out.emplace_back();
    for (size_t s = i; s < i + kWorldShards; ++s) {
      out.back().push_back(rows.batch(at, at + sizes[s]));
      at += sizes[s];
    }
  }
  return out;
}

inline Choice UsualOptimizer() { return Adam({.learning_rate = 0.01, .weight_decay = 1e-4}); }

// Trains a net on `blocks` in a world of `world`; returns the hash of each rank's weights.
inline std::vector<std::string> HashesAfter(int32_t world, const StepBlocks& blocks,
                                            const NetMaker& make, const StepSpec& spec = {},
                                            const Choice& choice = UsualOptimizer()) {
  std::vector<std::string> hashes{size_t(world)};
  std::mutex drawing;
  const auto statuses = RunThreadRanks(world, {}, [&](Communicator& communicator) -> Status {
    std::unique_ptr<Net> net;
    std::unique_ptr<Weights> weights;
    {
      const std::lock_guard lock(drawing);
      PT_LET(net, make());
      PT_LET(weights, Weights::Make(*net));
      net->Initialise(4);
    }
    // A step seeds the generator, which must not happen while another rank still draws.
    PT_TRY(communicator.Barrier("drawn"));
    OptimizerPart part;
    if (spec.train.share_optimizer) part = {communicator.rank(), world};
    PT_LET(Optimizer optimizer, Optimizer::Make(choice, *weights, {}, 1, false, part));
    StepSpec mine = spec;
    mine.first = ShardOwners(kWorldShards, world);
    if (!mine.loss) mine.loss = SquaredLoss();
    mine.train.seed = 9;
    PT_LET(auto stepper, Stepper::Make(mine, *net, *weights, optimizer, communicator));
    const size_t begin = size_t(mine.first[size_t(communicator.rank())]);
    const size_t end = size_t(mine.first[size_t(communicator.rank()) + 1]);
    for (size_t step = 0; step < blocks.size(); ++step) {
      const std::span<const BatchRows> all = blocks[step];
      PT_TRY(stepper->Run({.step = int64_t(step), .shards = all.subspan(begin, end - begin)}));
    }
    hashes[size_t(communicator.rank())] = weights->Hash();
    return Status::OK();
  });
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.ToString();
  return hashes;
}

// In worlds of 1 to 4 ranks.
inline void ExpectSameBitsInEveryWorld(const StepBlocks& blocks, const NetMaker& make,
                                       const StepSpec& spec = {},
                                       const Choice& choice = UsualOptimizer()) {
  const std::string one = HashesAfter(1, blocks, make, spec, choice)[0];
  for (const int32_t world : {2, 3, 4}) {
    EXPECT_THAT(HashesAfter(world, blocks, make, spec, choice), testing::Each(one)) << world;
  }
}

}  // namespace protium
