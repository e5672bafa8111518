// SPDX-License-Identifier: Apache-2.0
// Steps of training in worlds of any number of ranks, which are threads of this process. There is
// one generator of LibTorch a process: nets may draw from it for their first weights, which happens
// one rank after another, but not in a step.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tensor/testing/synthetic_rows.h"
#include "train/stepper.h"

namespace protium {

inline constexpr int32_t kWorldShards = 4;

using NetMaker = std::function<Result<std::unique_ptr<Net>>()>;

// By step, by shard.
using StepBlocks = std::vector<std::vector<BatchRows>>;

// Steps over consecutive rows; `sizes` are those of the shards of the first step, of the second...
StepBlocks MakeSteps(const SyntheticRows& rows, const std::vector<int>& sizes);

// Trains a net on `blocks` in a world of `world`; gives the hash of each rank's weights.
std::vector<std::string> HashesAfter(int32_t world, const StepBlocks& blocks, const NetMaker& make,
                                     const StepSpec& spec = {});

// In worlds of 1 to 4.
void ExpectSameBitsInEveryWorld(const StepBlocks& blocks, const NetMaker& make,
                                const StepSpec& spec = {});

}  // namespace protium
