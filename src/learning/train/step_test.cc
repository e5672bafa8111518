// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"
#include "nets/kernel_net.h"
#include "rows/rows.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/stepper.h"
#include "train/testing/worlds.h"

namespace protium {
namespace {

NetMaker MakerOfMlp(const Json& options) {
  return [options] { return KernelNets().at("tabular_mlp")(options, TabularInputs(6, {5, 9})); };
}

const SyntheticRows& Rows() {
  static const SyntheticRows rows({.rows = 400, .numeric = 6, .cardinalities = {5, 9}, .seed = 8});
  return rows;
}

void ExpectSameBits(const Json& options, const StepSpec& spec = {}) {
  const auto blocks = MakeSteps(Rows(), {32, 31, 32, 33, 30, 32, 31, 32, 2, 0, 3, 2});
  ExpectSameBitsInEveryWorld(blocks, MakerOfMlp(options), spec);
}

TEST(Step, GivesTheSameBitsForAnyNumberOfWorkers) {
  ExpectSameBits({{"hidden", {33, 8}}, {"dropout", 0.25}});
}

TEST(Step, GivesTheSameBitsWithBatchNormAndClipping) {
  ExpectSameBits({{"hidden", {33, 8}}, {"dropout", 0.25}, {"batch_norm", true}},
                 {.loss = HuberLoss(1), .train = {.clip_norm = 0.05}});
}

TEST(Step, SkipsStepsWithoutWeight) {
  const auto blocks = MakeSteps(Rows(), {8, 8, 8, 8});
  auto with_empty = blocks;
  with_empty.push_back(std::vector<BatchRows>(kWorldShards, Rows().batch(0, 0)));
  const NetMaker make = MakerOfMlp({{"hidden", {4}}});
  EXPECT_EQ(HashesAfter(2, blocks, make), HashesAfter(2, with_empty, make));
}

TEST(Step, StopsOnEveryRankWhenTheLossIsNotFinite) {
  std::vector<float> bad(10, std::numeric_limits<float>::quiet_NaN());
  bad[8] = bad[9] = 0;  // Two categories.
  const NetInputs inputs = TabularInputs(6, {5, 9});
  const BatchRows block(inputs.rows, bad.data(), 1);
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& communicator) -> Status {
    PT_LET(auto net, KernelNets().at("tabular_mlp")({{"hidden", {4}}}, inputs));
    PT_LET(auto weights, Weights::Make(*net));
    net->Initialise(4);
    PT_LET(Optimizer optimizer, Optimizer::Make(Adam(), *weights));
    PT_LET(auto stepper, Stepper::Make({.first = {0, 1, 2}, .loss = SquaredLoss()}, *net, *weights,
                                       optimizer, communicator));
    const BatchRows mine = communicator.rank() == 0 ? block : Rows().batch(0, 3);
    return stepper->Run({.step = 6, .shards = {&mine, 1}}).status();
  });
  for (const Status& status : statuses) {
    EXPECT_THAT(FaultOf(status).what, testing::HasSubstr("the loss is not finite at step 7"));
  }
}

TEST(Step, GivesTheSameBitsWithMicroBatches) {
  ExpectSameBits({{"hidden", {33, 8}}, {"dropout", 0.25}}, {.train = {.micro_batches = 3}});
  ExpectSameBits({{"hidden", {33, 8}}, {"batch_norm", true}},
                 {.train = {.micro_batches = 2, .clip_value = 0.01}});
}

TEST(Step, GivesTheSameBitsOfASumOfNets) {
  const SyntheticRows rows({.rows = 300, .numeric = 4, .cardinalities = {7, 300}, .seed = 8});
  const auto blocks = MakeSteps(rows, {16, 15, 16, 17, 14, 16, 15, 16, 2, 0, 3, 2});
  const NetMaker make = [] {
    return KernelNets().at("wide_and_deep")(
        {{"hidden", {9, 5}}, {"dropout", 0.2}, {"batch_norm", true}}, TabularInputs(4, {7, 300}));
  };
  ExpectSameBitsInEveryWorld(blocks, make);
  ExpectSameBitsInEveryWorld(blocks, make, {.train = {.micro_batches = 2}});
}

TEST(Step, GivesTheSameBitsWithRoundedGradients) {
  const StepSpec rounded{.train = {.gradients = Precision::kBfloat16, .clip_norm = 0.5}};
  ExpectSameBits({{"hidden", {33, 8}}, {"dropout", 0.25}, {"batch_norm", true}}, rounded);
  ExpectSameBits({{"hidden", {33, 8}}},
                 {.train = {.gradients = Precision::kBfloat16, .micro_batches = 2}});
}

TEST(Step, HasOtherBitsWithRoundedGradientsThanWithout) {
  const auto blocks = MakeSteps(Rows(), {8, 8, 8, 8});
  const NetMaker make = MakerOfMlp({{"hidden", {4}}});
  const Choice plain = Sgd({.learning_rate = 0.1});
  const StepSpec rounded{.train = {.gradients = Precision::kBfloat16}};
  EXPECT_NE(HashesAfter(1, blocks, make, {}, plain), HashesAfter(1, blocks, make, rounded, plain));
}

// Gradients of parts add up to that of the whole, except for rounding.
TEST(Step, AddsMicroBatchesUpToTheWholeBatch) {
  const auto blocks = MakeSteps(Rows(), {8, 8, 8, 8});
  const auto weights_after = [&](int32_t parts) {
    std::vector<float> after;
    const NetInputs inputs = TabularInputs(6, {5, 9});
    const auto statuses = RunThreadRanks(1, {}, [&](Communicator& communicator) -> Status {
      PT_LET(auto net, KernelNets().at("tabular_mlp")({{"hidden", {16}}}, inputs));
      PT_LET(auto weights, Weights::Make(*net));
      net->Initialise(4);
      PT_LET(Optimizer optimizer, Optimizer::Make(Sgd({.learning_rate = 0.1}), *weights));
      PT_LET(
          auto stepper,
          Stepper::Make({.first = {0, 4}, .loss = SquaredLoss(), .train = {.micro_batches = parts}},
                        *net, *weights, optimizer, communicator));
      PT_TRY(stepper->Run({.shards = blocks[0]}));
      after.assign(weights->parameters().begin(), weights->parameters().end());
      return Status::OK();
    });
    EXPECT_TRUE(statuses[0].ok()) << statuses[0].ToString();
    return after;
  };
  const std::vector<float> whole = weights_after(1);
  for (const int32_t parts : {2, 3, 8, 20}) {
    EXPECT_THAT(weights_after(parts), testing::Pointwise(testing::FloatNear(1e-6f), whole));
  }
}

}  // namespace
}  // namespace protium
