// SPDX-License-Identifier: Apache-2.0
#include "deep/cnn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "base/fault.h"
#include "deep/pool_relu.h"
#include "deep/testing/gradients_test.h"
#include "deep/testing/test_worlds.h"

namespace protium {
namespace {

constexpr int64_t kHeight = 9, kWidth = 7, kChannels = 3;

NetInputs ImageInputs(int64_t numeric = 0, int64_t outputs = 1) {
  return TabularInputs(numeric, {}, outputs, {{"pixels", kHeight * kWidth * kChannels}});
}

Json CnnJson(const Json& more = Json::object()) {
  Json options = {{"height", kHeight},
                  {"width", kWidth},
                  {"channels", kChannels},
                  {"filters", {4, 5}},
                  {"hidden", {6}}};
  options.update(more);
  return options;
}

// The same net as usually written: ReLU before pooling, images as [rows, channels, height, width].
at::Tensor CnnOutputs(const std::vector<at::Tensor>& p, const Batch& rows, bool norm) {
  auto x = rows["pixels"].reshape({-1, kHeight, kWidth, kChannels}).permute({0, 3, 1, 2});
  x = x.contiguous().div(2);
  for (size_t b = 0; b < 2; ++b) {
    if (norm) {
      x = torch::conv2d(x, p[b], {}, 1, 1);
      x = torch::batch_norm(x, p[2 + 2 * b], p[3 + 2 * b], {}, {}, true, 0.1, 1e-5, false);
    } else {
      x = torch::conv2d(x, p[2 * b], p[2 * b + 1], 1, 1);
    }
    x = torch::max_pool2d(torch::relu(x), 2);
  }
  x = x.permute({0, 2, 3, 1}).flatten(1);
  if (rows.has(kNumericField)) x = torch::cat({x, rows[kNumericField]}, 1);
  const size_t at = norm ? 6 : 4;
  return torch::linear(torch::relu(torch::linear(x, p[at], p[at + 1])), p[at + 2], p[at + 3]);
}

void ExpectGradientsOfReference(const NetInputs& inputs, bool norm) {
  const auto net = MakeCnn(CnnJson({{"divide_by", 2}, {"batch_norm", norm}}), inputs).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const auto reference = [&](const std::vector<at::Tensor>& p, const Batch& rows) {
    return CnnOutputs(p, rows, norm);
  };
  ExpectSameGradients(reference, *net, *weights, inputs);
}

TEST(Cnn, HasTheGradientOfTheNetAsOneWritesIt) {
  ExpectGradientsOfReference(ImageInputs(), false);
  ExpectGradientsOfReference(ImageInputs(2, 3), false);
}

TEST(Cnn, HasTheGradientOfTheNetAsOneWritesItWithBatchNorm) {
  ExpectGradientsOfReference(ImageInputs(), true);
}

TEST(Cnn, NamesItsParametersInOrder) {
  const auto names = [](const Json& options) {
    std::vector<std::string> out;
    const auto net = MakeCnn(options, ImageInputs()).ValueOrDie();
    for (const Variable& each : net->parameters()) out.push_back(each.name);
    return out;
  };
  const std::vector<std::string> tail = {"dense.0.weight", "dense.0.bias", "output.weight",
                                         "output.bias"};
  std::vector<std::string> expected = {"conv.0.weight", "conv.0.bias", "conv.1.weight",
                                       "conv.1.bias"};
  expected.insert(expected.end(), tail.begin(), tail.end());
  EXPECT_EQ(names(CnnJson()), expected);
  expected = {"conv.0.weight", "conv.1.weight", "norm.0.weight",
              "norm.0.bias",   "norm.1.weight", "norm.1.bias"};
  expected.insert(expected.end(), tail.begin(), tail.end());
  EXPECT_EQ(names(CnnJson({{"batch_norm", true}})), expected);
}

const SyntheticRows& Rows() {
  static const SyntheticRows rows(
      {.rows = 300, .numeric = 2, .seed = 8, .lists = {{"pixels", kHeight * kWidth * kChannels}}});
  return rows;
}

void ExpectSameBits(const Json& options, const StepSpec& spec = {}, bool bfloat16 = false) {
  NetInputs inputs = ImageInputs(2);
  inputs.bfloat16 = bfloat16;
  const auto blocks = MakeSteps(Rows(), {16, 15, 16, 17, 14, 16, 15, 16, 2, 0, 3, 2});
  ExpectSameBitsInEveryWorld(blocks, WithTorch([&] { return MakeCnn(options, inputs); }), spec);
}

TEST(Cnn, GivesTheSameBitsForAnyNumberOfWorkers) {
  ExpectSameBits(CnnJson());
  ExpectSameBits(CnnJson({{"batch_norm", true}}), {.train = {.micro_batches = 2}});
}

TEST(Cnn, GivesTheSameBitsForAnyNumberOfWorkersInBfloat16) {
  ExpectSameBits(CnnJson({{"batch_norm", true}}), {}, true);
}

TEST(Cnn, RoundsToBfloat16InTrainingAlone) {
  at::Tensor trained[2], predicted[2];
  for (const bool bfloat16 : {false, true}) {
    NetInputs inputs = ImageInputs(2);
    inputs.bfloat16 = bfloat16;
    const auto net = MakeCnn(CnnJson(), inputs).ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    net->Initialise(1);
    const uint64_t key = 1;
    trained[bfloat16] = TensorOf(net->Forward(Rows().batch(0, 50), &key)).clone();
    predicted[bfloat16] = TensorOf(net->Forward(Rows().batch(0, 50), nullptr)).clone();
  }
  EXPECT_EQ(trained[1].scalar_type(), at::kFloat);
  EXPECT_FALSE(torch::equal(trained[0], trained[1]));
  EXPECT_TRUE(torch::allclose(trained[0], trained[1], 0.05, 0.02));
  EXPECT_TRUE(torch::equal(predicted[0], predicted[1]));
}

TEST(Cnn, RefusesColumnsAndOptionsThatMakeNoNet) {
  const auto why = [](const Json& options, const NetInputs& inputs) {
    const auto made = MakeCnn(options, inputs);
    return made.ok() ? "made" : FaultOf(made.status()).what;
  };
  EXPECT_EQ(why(CnnJson({{"kernel", 4}}), ImageInputs()),
            "net.kernel must be an odd number, got 4");
  EXPECT_THAT(why(CnnJson({{"height", 8}}), ImageInputs()),
              testing::HasSubstr("lists of 189 numbers in \"pixels\" are not images of 8 x 7"));
  EXPECT_THAT(why(CnnJson({{"filters", {2, 2, 2}}}), ImageInputs()),
              testing::HasSubstr("images of 9 x 7 are too small for 3 blocks"));
}

// Rows of images with the difficult cases of pooling: ties, only negative values, zeros, edges that
// do not fill a window.
at::Tensor Images(int64_t height, int64_t width) {
  at::Tensor x = torch::linspace(-3, 3, 2 * 5 * height * width).view({2, 5, height, width});
  x = torch::sin(x * 17);
  x[0][0].fill_(-1);
  x[0][1].fill_(0);
  x[0][2].fill_(2);
  return x;
}

TEST(PoolRelu, IsPoolingThenReluToTheBitWithItsDerivative) {
  for (const int64_t size : {1, 2, 3}) {
    for (const auto& [height, width] : {std::pair{6, 6}, std::pair{5, 7}, std::pair{3, 3}}) {
      SCOPED_TRACE(testing::Message() << height << " x " << width << ", " << size);
      const at::Tensor ours = Images(height, width).set_requires_grad(true);
      const at::Tensor theirs = Images(height, width).set_requires_grad(true);
      const at::Tensor out = PoolRelu(ours, size);
      const at::Tensor expected = torch::relu(torch::max_pool2d(theirs, size));
      EXPECT_TRUE(torch::equal(out, expected));
      const at::Tensor by = torch::linspace(-1, 1, out.numel()).view(out.sizes());
      out.backward(by);
      expected.backward(by);
      EXPECT_TRUE(torch::equal(ours.grad(), theirs.grad()));
    }
  }
}

TEST(PoolRelu, KeepsNaN) {
  for (int place = 0; place < 4; ++place) {
    const at::Tensor x = torch::tensor({1.0f, -1.0f, 3.0f, 2.0f}).view({1, 1, 2, 2}).clone();
    x.view({4})[place] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(PoolRelu(x, 2).item<float>())) << place;
  }
}

}  // namespace
}  // namespace protium
