// SPDX-License-Identifier: Apache-2.0
// One optimiser shared by all ranks (Rajbhandari et al., "ZeRO: Memory Optimizations Toward
// Training Trillion Parameter Models", SC 2020: its first stage).
//
// 1. Each rank has the state of its part of every parameter (OptimizerPart), and moves this part
//    alone by the sums that all ranks have. Then each sends the weights that it moved; of tables
//    that are learned row by row, the rows. Each element is moved as in a whole optimiser, by one
//    rank, so the weights are the same to the bit.
// 2. Checkpoints hold the complete state, in the layout of a whole optimiser: they are made by any
//    number of ranks, and taken up by any, shared or not.
// 3. A rank that is gone takes its state along: the gang starts again from a checkpoint.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "format/safetensors.h"
#include "train/optimizer.h"

namespace protium {

// Collective. Steps the own part and takes the others' weights. Returns false on all ranks when a
// gradient was NaN or infinite on any of them.
Result<bool> StepShared(Optimizer& optimizer, Weights& weights, const Gradient& gradient,
                        std::span<const float> defined, Communicator& communicator);

// The complete state, as it goes into a checkpoint.
struct WholeState {
  std::vector<std::vector<float>> memory;
  std::vector<NamedTensor> tensors;  // Borrowed from it.
};

// Collective. Returns on rank 0 what the parts of all ranks make up; empty on others.
Result<WholeState> GatherState(Optimizer& optimizer, Communicator& communicator);

// Collective. Every rank takes its part of the state in rank 0's `file`, which rank 0 has loaded;
// nullptr on others.
Status ScatterState(Optimizer& optimizer, const Safetensors* file, Communicator& communicator);

}  // namespace protium
