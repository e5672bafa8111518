// SPDX-License-Identifier: Apache-2.0
// Steps of nets with tables that are learned row by row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collective/self.h"
#include "nets/kernel_net.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/stepper.h"
#include "train/testing/whole_tables.h"
#include "train/testing/worlds.h"

namespace protium {
namespace {

// A column with few categories, two with tables; 300 rows cannot read all ids of the last.
const std::vector<int64_t> kIdCardinalities = {7, 200, 5000};

const SyntheticRows& RowsOfIds() {
  static const SyntheticRows rows(
      {.rows = 300, .numeric = 4, .cardinalities = kIdCardinalities, .seed = 8});
  return rows;
}

// The last steps have small and empty shards.
StepBlocks BlocksOfIds() {
  return MakeSteps(RowsOfIds(), {16, 15, 16, 17, 14, 16, 15, 16, 2, 0, 3, 2});
}

struct NetCase {
  const char* name;
  Json options;
};

std::vector<NetCase> NetCases() {
  return {{"linear", Json::object()},
          {"tabular_mlp", {{"hidden", {9, 5}}, {"dropout", 0.2}, {"embedding", 3}}},
          {"wide_and_deep", {{"hidden", {9, 5}}, {"batch_norm", true}}},
          {"tabm", {{"hidden", {8}}, {"members", 3}}},
          {"factorization_machine", {{"factors", 4}}},
          {"dlrm", {{"bottom", {6}}, {"top", {7}}, {"embedding", 3}}}};
}

Result<std::unique_ptr<Net>> MakeNet(const NetCase& net) {
  return KernelNets().at(net.name)(net.options, TabularInputs(4, kIdCardinalities));
}
NetMaker ByRows(const NetCase& net) {
  return [net] { return MakeNet(net); };
}
NetMaker Whole(const NetCase& net) {
  return [net]() -> Result<std::unique_ptr<Net>> {
    PT_LET(auto made, MakeNet(net));
    return std::make_unique<WholeTables>(std::move(made));
  };
}

class TableStep : public testing::TestWithParam<NetCase> {
 protected:
  // By rows in any world, and whole.
  void ExpectOneHash(const Choice& optimizer, const StepSpec& spec = {}) {
    const std::string whole = HashesAfter(1, BlocksOfIds(), Whole(GetParam()), spec, optimizer)[0];
    for (const int32_t world : {1, 2, 3, 4}) {
      EXPECT_THAT(HashesAfter(world, BlocksOfIds(), ByRows(GetParam()), spec, optimizer),
                  testing::Each(whole))
          << world;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Nets, TableStep, testing::ValuesIn(NetCases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(TableStep, OfSgdHasTheBitsOfWholeTables) { ExpectOneHash(Sgd({.learning_rate = 0.1})); }

TEST_P(TableStep, OfAdagradHasTheBitsOfWholeTables) {
  ExpectOneHash(Adagrad({.learning_rate = 0.1, .rate_decay = 0.01}));
}

TEST_P(TableStep, HasTheBitsOfWholeTablesWithClippingAndMicroBatches) {
  ExpectOneHash(Sgd({.learning_rate = 0.1}), {.train = {.clip_norm = 0.05}});
  ExpectOneHash(Adagrad({.learning_rate = 0.1}),
                {.train = {.micro_batches = 2, .clip_value = 0.01}});
}

TEST_P(TableStep, HasTheBitsOfWholeTablesWhereEveryRowReadsOneId) {
  static const SyntheticRows rows(
      {.rows = 300, .numeric = 4, .cardinalities = {7, 200, 1}, .seed = 8});
  const auto blocks = MakeSteps(rows, {16, 15, 16, 17, 14, 16, 15, 16, 2, 0, 3, 2});
  const Choice choice = Adagrad({.learning_rate = 0.1});
  const std::string whole = HashesAfter(1, blocks, Whole(GetParam()), {}, choice)[0];
  for (const int32_t world : {1, 3, 4}) {
    EXPECT_THAT(HashesAfter(world, blocks, ByRows(GetParam()), {}, choice), testing::Each(whole));
  }
}

TEST_P(TableStep, HasTheBitsOfWholeTablesWithRoundedGradients) {
  ExpectOneHash(Sgd({.learning_rate = 0.1}),
                {.train = {.gradients = Precision::kBfloat16, .clip_norm = 0.5}});
}

TEST_P(TableStep, OfRulesThatMoveWholeTablesStaysWhole) {
  ExpectOneHash(UsualOptimizer());
  ExpectOneHash(Sgd({.learning_rate = 0.1, .momentum = 0.9}));
}

TEST_P(TableStep, OfLazyRulesHasTheSameBitsInEveryWorld) {
  ExpectSameBitsInEveryWorld(BlocksOfIds(), ByRows(GetParam()), {}, RowwiseAdagrad());
  ExpectSameBitsInEveryWorld(BlocksOfIds(), ByRows(GetParam()), {}, LazyAdam());
}

// A net of one table after some steps in a world of one.
struct Learned {
  std::vector<float> before, after;
};

Learned Learn(const Choice& choice, int steps) {
  Learned out;
  const auto learn = [&]() -> Status {
    PT_LET(auto net, MakeNet({"linear", Json::object()}));
    PT_LET(auto weights, Weights::Make(*net));
    net->Initialise(4);
    const auto self = MakeSelfCommunicator();
    PT_LET(Optimizer optimizer, Optimizer::Make(choice, *weights));
    PT_LET(auto stepper, Stepper::Make({.first = {0, 1}, .loss = SquaredLoss()}, *net, *weights,
                                       optimizer, *self));
    out.before.assign(weights->parameters().begin(), weights->parameters().end());
    for (int step = 0; step < steps; ++step) {
      const BatchRows rows = RowsOfIds().batch(step * 10, step * 10 + 10);
      PT_TRY(stepper->Run({.step = step, .shards = {&rows, 1}}));
    }
    out.after.assign(weights->parameters().begin(), weights->parameters().end());
    return Status::OK();
  };
  EXPECT_TRUE(learn().ok());
  return out;
}

TEST(TableRules, MoveTheRowsThatAreReadAndNoOthers) {
  for (const Choice& choice : {Sgd(), Adagrad(), RowwiseAdagrad(), LazyAdam()}) {
    const Learned learned = Learn(choice, 3);
    std::vector<char> read(5000);
    const BatchRows rows = RowsOfIds().batch(0, 30);
    for (int64_t i = 0; i < 30; ++i) read[size_t(rows.ints(kCategoriesField).at(i)[2])] = 1;
    // The tables of 7 and 200 categories come before, each at a multiple of 16 floats.
    const size_t table = 16 + 208;
    for (size_t id = 0; id < read.size(); ++id) {
      const bool moved = learned.before[table + id] != learned.after[table + id];
      EXPECT_EQ(moved, read[id] != 0) << choice.name << ", row " << id;
    }
  }
}

// Unlike adam's, whose running means go on moving a row.
TEST(TableRules, OfLazyAdamFollowAdamWhileARowIsRead) {
  const Learned lazy = Learn(LazyAdam({.learning_rate = 0.1}), 1);
  const Learned adam = Learn(Adam({.learning_rate = 0.1}), 1);
  EXPECT_EQ(lazy.after, adam.after);
  EXPECT_NE(Learn(LazyAdam({.learning_rate = 0.1}), 3).after,
            Learn(Adam({.learning_rate = 0.1}), 3).after);
}

}  // namespace
}  // namespace protium
