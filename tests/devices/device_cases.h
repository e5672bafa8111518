// SPDX-License-Identifier: Apache-2.0
// What a net must do on any device, as functions that tests call with the CPU, with the stand-in
// for a device, and with a GPU.
#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "collective/testing/thread_ranks.h"
#include "deep/module_net.h"
#include "deep/odd_net.h"
#include "deep/torch_numerics.h"
#include "protium/nets.h"
#include "rows/rows.h"
#include "tensor/predict.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/stepper.h"

namespace protium {

// A training of a few steps: its options, and the number of ranks (threads of this process).
struct DeviceCase {
  NetBuilder builder;
  Json options = Json::object();
  int32_t world = 1;
  int32_t micro_batches = 1;
};

// The result on rank 0.
struct DeviceRun {
  std::string hash;            // Of the weights.
  std::vector<float> begun;    // The weights before the first step.
  std::vector<float> learned;  // And after the last.
  std::vector<float> outputs;  // Predicted for 1,500 rows with them.
};

inline const SyntheticRows& CaseRows() {
  static const SyntheticRows rows(
      {.rows = 1500, .numeric = 6, .cardinalities = {5, 900}, .seed = 8});
  return rows;
}

// A copy of rows [begin, end) as the feed sends them.
inline BatchRows SendRows(RowBlock& block, int64_t begin, int64_t end) {
  const BatchRows rows = CaseRows().batch(begin, end);
  const int64_t bytes = rows.size() * rows.schema().width();
  std::memcpy(block.Reserve(bytes), rows.row(0), size_t(bytes));
  return block.Send(CaseRows().schema(), rows.size());
}

inline Status RunOneRank(const ComputeDevice& device, const DeviceCase& what,
                         Communicator& communicator, DeviceRun& run) {
  PT_TRY(PrepareTorch(1));
  NetInputs inputs = TabularInputs(6, {5, 900});
  inputs.device = device;
  PT_LET(auto net, what.builder(what.options, inputs));
  PT_LET(auto weights, Weights::Make(*net, device));
  net->Initialise(4);
  weights->Download();
  run.begun.assign(weights->parameters().begin(), weights->parameters().end());
  // Not Adam, for which the rounding of a gradient that should be 0 counts as much as any other.
  PT_LET(Optimizer optimizer, Optimizer::Make(Sgd({.learning_rate = 0.05}), *weights));
  const std::vector<int32_t> first = ShardOwners(4, what.world);
  PT_LET(auto stepper, Stepper::Make({.first = first,
                                      .loss = SquaredLoss(),
                                      .train = {.micro_batches = what.micro_batches, .seed = 9}},
                                     *net, *weights, optimizer, communicator));
  const auto rank = size_t(communicator.rank());
  std::vector<RowBlock> blocks(4, RowBlock(device));
  for (int64_t step = 0; step < 5; ++step) {
    std::vector<BatchRows> own;
    for (int64_t s = first[rank]; s < first[rank + 1]; ++s) {
      // In the last step one shard has no rows.
      const int64_t rows = step == 4 && s == 2 ? 0 : 37 + s;
      own.push_back(SendRows(blocks[size_t(s)], 200 * step + 40 * s, 200 * step + 40 * s + rows));
    }
    PT_TRY(stepper->Run({.step = step, .shards = own}).status());
  }
  run.hash = weights->Hash();
  run.learned.assign(weights->parameters().begin(), weights->parameters().end());
  weights->Upload();
  run.outputs.resize(1500);
  return Predictor(*net, 1, device).Predict(CaseRows().batch(), run.outputs);
}

inline DeviceRun RunOn(const ComputeDevice& device, const DeviceCase& what) {
  DeviceRun out;
  const auto statuses = RunThreadRanks(what.world, {}, [&](Communicator& communicator) {
    DeviceRun run;
    const Status status = RunOneRank(device, what, communicator, run);
    if (communicator.rank() == 0) out = std::move(run);
    return status;
  });
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.ToString();
  return out;
}

}  // namespace protium
