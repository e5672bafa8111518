// SPDX-License-Identifier: Apache-2.0
// The bits of trained weights are a promise, on every processor: these were computed on x86-64.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>

#include "nets/kernel_net.h"
#include "protium/optimizers.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/stepper.h"
#include "train/testing/worlds.h"

namespace protium {
namespace {

struct Training {
  const char* name;
  Loss loss;
  Choice optimizer;
  const char* hash;  // The first digits of the weights' hash.
};
void PrintTo(const Training& training, std::ostream* out) { *out << training.name; }

class TrainedBits : public testing::TestWithParam<Training> {};

TEST_P(TrainedBits, StayTheSame) {
  static const SyntheticRows rows({.rows = 480, .numeric = 6, .cardinalities = {5, 9}, .seed = 8});
  const auto blocks = MakeSteps(rows, {32, 31, 32, 33, 30, 32, 31, 32, 40, 41, 42, 43});
  const NetMaker make = [] {
    return KernelNets().at("tabular_mlp")(
        {{"hidden", {33, 8}}, {"dropout", 0.25}, {"batch_norm", true}}, TabularInputs(6, {5, 9}));
  };
  const auto hashes = HashesAfter(2, blocks, make, {.loss = GetParam().loss}, GetParam().optimizer);
  EXPECT_EQ(hashes[0].substr(0, 12), GetParam().hash);
}

INSTANTIATE_TEST_SUITE_P(
    Of, TrainedBits,
    testing::Values(Training{"Squared", SquaredLoss(), UsualOptimizer(), "a75ec5e06def"},
                    Training{"Huber", HuberLoss(0.5), Sgd({.learning_rate = 0.05}), "8c9d34c43e19"},
                    Training{"YesOrNo", BinaryCrossEntropyLoss({.positive_weight = 2}),
                             UsualOptimizer(), "9fe12caec497"},
                    Training{"Poisson", PoissonLoss(), UsualOptimizer(), "52fe2977a04b"},
                    Training{"Tweedie", TweedieLoss(1.3), UsualOptimizer(), "a380f5511eb0"},
                    Training{"Smoothed", BinaryCrossEntropyLoss({.smoothing = 0.1}),
                             Sgd({.learning_rate = 0.05}), "04dd1f031ad1"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace protium
