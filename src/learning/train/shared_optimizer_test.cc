// SPDX-License-Identifier: Apache-2.0
#include "train/shared_optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "nets/kernel_net.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/testing/worlds.h"

namespace protium {
namespace {

// A table that is multiplied as a whole and one that is learned row by row, whose rows no number of
// ranks divides.
const std::vector<int64_t> kCardinalities = {7, 1001};

const SyntheticRows& Rows() {
  static const SyntheticRows rows(
      {.rows = 300, .numeric = 4, .cardinalities = kCardinalities, .seed = 8});
  return rows;
}

StepBlocks Blocks() { return MakeSteps(Rows(), {16, 15, 16, 17, 14, 16, 15, 16, 2, 0, 3, 2}); }

Result<std::unique_ptr<Net>> MakeNet() {
  return KernelNets().at("dlrm")({{"bottom", {6}}, {"top", {7}}, {"embedding", 3}},
                                 TabularInputs(4, kCardinalities));
}

std::vector<Choice> AllRules() {
  return {Sgd({.learning_rate = 0.1}),
          Sgd({.learning_rate = 0.1, .momentum = 0.9}),
          Adam({.learning_rate = 0.01, .weight_decay = 1e-4}),
          AdamW({.learning_rate = 0.01}),
          Adagrad({.learning_rate = 0.1, .initial = 0.1}),
          RowwiseAdagrad({.learning_rate = 0.1}),
          LazyAdam({.learning_rate = 0.01}),
          Rmsprop({.learning_rate = 0.01, .momentum = 0.5, .centered = true})};
}

TEST(SharedOptimizer, GivesTheBitsOfAWholeOneByEveryRule) {
  const StepSpec whole{.train = {.clip_norm = 0.5}},
      shared{.train = {.share_optimizer = true, .clip_norm = 0.5}};
  for (const Choice& rule : AllRules()) {
    const std::string one = HashesAfter(1, Blocks(), MakeNet, whole, rule)[0];
    for (const int32_t world : {1, 2, 3, 4}) {
      EXPECT_THAT(HashesAfter(world, Blocks(), MakeNet, shared, rule), testing::Each(one))
          << rule.name << " of " << world;
    }
  }
}

struct Held {
  std::unique_ptr<Net> net = *MakeNet();
  std::unique_ptr<Weights> weights = *Weights::Make(*net);
  Optimizer Make(const Choice& rule, const OptimizerPart& part) const {
    return *Optimizer::Make(rule, *weights, {}, 1, false, part);
  }
};

TEST(SharedOptimizer, HoldsItsPartOfTheStateAlone) {
  const Held held;
  for (const Choice& rule : AllRules()) {
    Optimizer whole = held.Make(rule, {});
    if (whole.StateNames().empty()) continue;
    for (const int32_t world : {2, 3, 4}) {
      for (int32_t rank = 0; rank < world; ++rank) {
        Optimizer part = held.Make(rule, {rank, world});
        EXPECT_EQ(part.state_size(), whole.state_size());
        // A cache line or a row of each of the parameters at most is not divided.
        const int64_t fair = whole.state_size() / world;
        const auto most = fair + 16 * int64_t(held.weights->parts().size());
        EXPECT_LE(int64_t(part.own_state(0).size()), most) << rule.name;
      }
    }
  }
}

// Of each element of the state exactly one rank; padding may be nobody's.
TEST(SharedOptimizer, HasNoElementTwice) {
  const Held held;
  for (const Choice& rule : {Adam(), RowwiseAdagrad(), LazyAdam()}) {
    const Optimizer whole = held.Make(rule, {0, 3});
    std::vector<int> owners(size_t(whole.state_size()));
    int64_t all = 0;
    for (int32_t rank = 0; rank < 3; ++rank) {
      for (const Weights::Part& part : whole.StateOf(rank)) {
        all += part.count;
        for (int64_t i = 0; i < part.count; ++i) ++owners[size_t(part.offset + i)];
      }
    }
    EXPECT_LE(*std::ranges::max_element(owners), 1) << rule.name;
    EXPECT_GE(all, whole.state_size() - 16) << rule.name;
  }
}

TEST(SharedOptimizer, IsPutTogetherAndTakenApart) {
  for (const Choice& rule : {Adam(), RowwiseAdagrad(), LazyAdam()}) {
    std::mutex mutex;
    std::string file;
    const auto statuses = RunThreadRanks(3, {}, [&](Communicator& ranks) -> Status {
      const Held held;
      Optimizer mine = held.Make(rule, {ranks.rank(), 3});
      for (size_t t = 0; t < mine.StateNames().size(); ++t) {
        float next = float(1000 * ranks.rank());
        for (float& each : mine.own_state(t)) each = next++;
      }
      PT_LET(const WholeState whole, GatherState(mine, ranks));
      EXPECT_EQ(whole.tensors.empty(), ranks.rank() != 0);
      if (ranks.rank() == 0) {
        const std::lock_guard lock(mutex);
        file = SafetensorsBytes(whole.tensors);
      }
      PT_TRY(ranks.Barrier("gathered"));
      const auto* const bytes = reinterpret_cast<const std::byte*>(file.data());
      PT_LET(const Safetensors read,
             Safetensors::Parse(std::vector<std::byte>(bytes, bytes + file.size()), "a file"));
      Optimizer again = held.Make(rule, {ranks.rank(), 3}),
                loaded = held.Make(rule, {ranks.rank(), 3});
      PT_TRY(loaded.Load(read, "a file"));
      PT_TRY(ScatterState(again, ranks.rank() == 0 ? &read : nullptr, ranks));
      for (size_t t = 0; t < mine.StateNames().size(); ++t) {
        EXPECT_TRUE(std::ranges::equal(mine.own_state(t), again.own_state(t)));
        EXPECT_TRUE(std::ranges::equal(mine.own_state(t), loaded.own_state(t)));
      }
      // A whole optimiser of the same net reads it, too.
      Optimizer alone = held.Make(rule, {});
      return alone.Load(read, "a file");
    });
    for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
  }
}

// The other rank's part has only finite gradients.
TEST(SharedOptimizer, FailsOnAllRanksWhereOneFindsAGradientThatIsNotFinite) {
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& ranks) -> Status {
    Held held;
    Optimizer mine = held.Make(Sgd(), {ranks.rank(), 2});
    std::vector<float> sum(size_t(mine.layout().size));
    sum.front() = std::numeric_limits<float>::infinity();
    const std::vector<float> defined(held.weights->parts().size(), 1.0f);
    const std::vector<SummedRows> rows(mine.layout().tables.size());
    const Gradient gradient{.sum = {sum, rows}};
    PT_LET(const bool finite, StepShared(mine, *held.weights, gradient, defined, ranks));
    EXPECT_FALSE(finite);
    return Status::OK();
  });
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace protium
