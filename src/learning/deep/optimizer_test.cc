// SPDX-License-Identifier: Apache-2.0
// Compares our optimisers with LibTorch's over 100 steps with the same gradients. LibTorch rounds a
// product and a sum once if the processor can fuse them, and ours never do, so bits agree only if
// products are exact; otherwise the tolerance is 2e-6 relative to a weight, or absolute for weights
// below 1.
#include "train/optimizer.h"

#include <gtest/gtest.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <functional>

#include "deep/float_tensor.h"
#include "nets/kernel_net.h"
#include "tensor/philox.h"
#include "tensor/testing/synthetic_rows.h"

namespace protium {
namespace {

constexpr int kSteps = 100;

struct Trained {
  std::unique_ptr<Net> net =
      *KernelNets().at("tabular_mlp")({{"hidden", {40}}}, TabularInputs(17, {}));
  std::unique_ptr<Weights> weights = *Weights::Make(*net);
  std::vector<float> sum = std::vector<float>(size_t(weights->size()));
  Trained() { net->Initialise(1); }
  // The gradient of a step, summed over 4 rows.
  void Draw(uint64_t step) { DrawUniform(step, -1, 1, sum); }
};

using Theirs = std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<at::Tensor>)>;

// The largest difference of a weight after all steps: absolute, and for weights above 1 relative to
// them.
double Apart(const Choice& choice, const Theirs& make) {
  Trained ours;
  std::vector<at::Tensor> theirs;
  for (const auto& view : TensorsOf(ours.weights->Views(ours.weights->parameters().data()))) {
    theirs.push_back(view.clone().set_requires_grad(true));
  }
  const auto other = make(theirs);
  Optimizer optimizer = *Optimizer::Make(choice, *ours.weights);
  for (uint64_t step = 0; step < kSteps; ++step) {
    ours.Draw(step);
    const auto gradients = TensorsOf(ours.weights->Views(ours.sum.data()));
    for (size_t i = 0; i < theirs.size(); ++i) theirs[i].mutable_grad() = gradients[i] / 4;
    other->step();
    EXPECT_TRUE(
        optimizer.Step({.sum = {ours.sum}, .divisor = 4}, std::vector<float>(theirs.size(), 1.0f)));
  }
  double apart = 0;
  const auto mine = TensorsOf(ours.weights->Views(ours.weights->parameters().data()));
  for (size_t i = 0; i < theirs.size(); ++i) {
    const at::Tensor difference = (mine[i] - theirs[i]).abs() / theirs[i].abs().clamp_min(1);
    apart = std::max(apart, difference.max().item<double>());
  }
  return apart;
}

template <class Their, class Options>
Theirs Of(const Options& options) {
  return [options](std::vector<at::Tensor> parameters) {
    return std::make_unique<Their>(std::move(parameters), options);
  };
}

constexpr double kTolerance = 2e-6;

TEST(Optimizer, AdamFollowsLibTorchs) {
  EXPECT_LT(Apart(Adam({.learning_rate = 0.01, .weight_decay = 1e-2}),
                  Of<torch::optim::Adam>(torch::optim::AdamOptions(0.01).weight_decay(1e-2))),
            kTolerance);
}

TEST(Optimizer, AdamWFollowsLibTorchs) {
  EXPECT_LT(Apart(AdamW({.learning_rate = 0.01, .weight_decay = 0.1}),
                  Of<torch::optim::AdamW>(torch::optim::AdamWOptions(0.01).weight_decay(0.1))),
            kTolerance);
}

TEST(Optimizer, SgdFollowsLibTorchs) {
  using Options = torch::optim::SGDOptions;
  EXPECT_LT(Apart(Sgd({.learning_rate = 0.01, .momentum = 0.9, .weight_decay = 1e-3}),
                  Of<torch::optim::SGD>(Options(0.01).momentum(0.9).weight_decay(1e-3))),
            kTolerance);
  EXPECT_LT(Apart(Sgd({.learning_rate = 0.01, .momentum = 0.9, .nesterov = true}),
                  Of<torch::optim::SGD>(Options(0.01).momentum(0.9).nesterov(true))),
            kTolerance);
}

// Products with powers of two are exact, so that fusing them changes nothing.
TEST(Optimizer, SgdGivesLibTorchsBitsWhereProductsAreExact) {
  using Options = torch::optim::SGDOptions;
  EXPECT_EQ(Apart(Sgd({.learning_rate = 0.0078125}), Of<torch::optim::SGD>(Options(0.0078125))), 0);
  EXPECT_EQ(Apart(Sgd({.learning_rate = 0.0078125, .momentum = 0.5}),
                  Of<torch::optim::SGD>(Options(0.0078125).momentum(0.5))),
            0);
  EXPECT_EQ(Apart(Sgd({.learning_rate = 0.0078125, .momentum = 0.5, .nesterov = true}),
                  Of<torch::optim::SGD>(Options(0.0078125).momentum(0.5).nesterov(true))),
            0);
}

TEST(Optimizer, AdagradFollowsLibTorchs) {
  using Options = torch::optim::AdagradOptions;
  EXPECT_LT(Apart(Adagrad({.learning_rate = 0.05, .weight_decay = 1e-3, .rate_decay = 1e-2}),
                  Of<torch::optim::Adagrad>(Options(0.05).weight_decay(1e-3).lr_decay(1e-2))),
            kTolerance);
  EXPECT_LT(Apart(Adagrad({.learning_rate = 0.05, .initial = 0.5}),
                  Of<torch::optim::Adagrad>(Options(0.05).initial_accumulator_value(0.5))),
            kTolerance);
}

TEST(Optimizer, RmspropFollowsLibTorchs) {
  using Options = torch::optim::RMSpropOptions;
  EXPECT_LT(Apart(Rmsprop({.learning_rate = 1e-3, .weight_decay = 1e-3}),
                  Of<torch::optim::RMSprop>(Options(1e-3).weight_decay(1e-3))),
            kTolerance);
  EXPECT_LT(Apart(Rmsprop({.learning_rate = 1e-3, .momentum = 0.9}),
                  Of<torch::optim::RMSprop>(Options(1e-3).momentum(0.9))),
            kTolerance);
}

// The square root is of a difference, s - m^2, which LibTorch rounds differently: the tolerance is
// wider.
TEST(Optimizer, CenteredRmspropFollowsLibTorchs) {
  EXPECT_LT(Apart(Rmsprop({.learning_rate = 1e-3, .centered = true}),
                  Of<torch::optim::RMSprop>(torch::optim::RMSpropOptions(1e-3).centered(true))),
            1e-5);
}

}  // namespace
}  // namespace protium
