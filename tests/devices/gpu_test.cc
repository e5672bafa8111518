// SPDX-License-Identifier: Apache-2.0
// A real GPU: the same cases as with the CPU in its place (stand_in_test.cc), and those that only a
// device has.
#include <ATen/ops/empty.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "deep/cuda_device.h"
#include "deep/operations.h"
#include "deep/torch_wall.h"
#include "devices/device_cases.h"

namespace protium {
namespace {

const at::Device kDevice(at::kCUDA, 0);

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

// Each test is skipped, with the reason, if no device can be opened.
class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = OpenGpu();
    if (!opened.ok()) {
      const Fault fault = FaultOf(opened.status());
      GTEST_SKIP() << "no GPU: " << fault.what << ": " << fault.why;
    }
    device_ = *opened;
  }
  ComputeDevice device_;
};

const NetBuilder kModule = ModuleBuilder<OddNet, TabularMlpOptions>();

TEST_F(Gpu, SaysWhatItIs) {
  EXPECT_THAT(device_.identity()["device"].get<std::string>(), HasSubstr("multiprocessors"));
  EXPECT_THAT(device_.identity()["cuda"].get<std::string>(), HasSubstr("."));
  EXPECT_GT(device_.identity()["cudnn"].get<int64_t>(), 0);
}

TEST_F(Gpu, GivesTheSameBitsAgain) {
  const std::vector<DeviceCase> cases = {
      {.builder = kModule, .options = {{"dropout", 0.25}}},
      {.builder = kModule, .options = {{"dropout", 0.25}}, .micro_batches = 3},
      {.builder = LayeredNets().at("tabular_mlp"),
       .options = {{"hidden", {33, 8}}, {"dropout", 0.25}}},
      {.builder = LayeredNets().at("tabular_mlp"),
       .options = {{"hidden", {512, 256}}, {"batch_norm", true}}},
      {.builder = LayeredNets().at("wide_and_deep"),
       .options = {{"hidden", {33}}, {"dropout", 0.25}}},
      {.builder = LayeredNets().at("linear")}};
  for (const DeviceCase& what : cases) {
    const DeviceRun first = RunOn(device_, what), again = RunOn(device_, what);
    EXPECT_EQ(again.hash, first.hash) << what.options.dump();
    EXPECT_EQ(again.outputs, first.outputs) << what.options.dump();
    EXPECT_NE(first.learned, first.begun);
  }
}

TEST_F(Gpu, GivesTheSameBitsForAnyNumberOfWorkers) {
  for (const bool norm : {false, true}) {
    DeviceCase what{.builder = LayeredNets().at("tabular_mlp"),
                    .options = {{"hidden", {33, 8}}, {"batch_norm", norm}},
                    .micro_batches = norm ? 2 : 1};
    const std::string one = RunOn(device_, what).hash;
    for (what.world = 2; what.world <= 4; ++what.world) {
      EXPECT_EQ(RunOn(device_, what).hash, one) << what.world;
    }
  }
}

TEST_F(Gpu, StartsFromTheWeightsOfTheCpuAndComesNear) {
  const std::vector<DeviceCase> cases = {
      {.builder = kModule},
      {.builder = LayeredNets().at("tabular_mlp"), .options = {{"hidden", {33, 8}}}},
      {.builder = LayeredNets().at("tabular_mlp"),
       .options = {{"hidden", {16}}, {"batch_norm", true}}},
      {.builder = LayeredNets().at("wide_and_deep"),
       .options = {{"hidden", {8}}, {"wide_only", {"c1"}}}},
      {.builder = LayeredNets().at("linear")}};
  for (const DeviceCase& what : cases) {
    const DeviceRun here = RunOn(ComputeDevice(), what), there = RunOn(device_, what);
    EXPECT_EQ(there.begun, here.begun) << what.options.dump();
    EXPECT_THAT(there.learned, Pointwise(FloatNear(1e-4f), here.learned)) << what.options.dump();
    EXPECT_THAT(there.outputs, Pointwise(FloatNear(1e-3f), here.outputs)) << what.options.dump();
  }
}

TEST_F(Gpu, ComputesProductsInFullFloat32) {
  const at::Tensor a = torch::rand({256, 512}), b = torch::rand({512, 128});
  const at::Tensor exact = a.to(at::kDouble).mm(b.to(at::kDouble));
  const at::Tensor there = a.to(kDevice).mm(b.to(kDevice)).cpu().to(at::kDouble);
  // TF32 has 10 bits of a factor and would be off by about a thousandth.
  EXPECT_LT(((there - exact).norm() / exact.norm()).item<double>(), 1e-6);
}

TEST_F(Gpu, ThatIsFullSaysWhatToChange) {
  const Fault fault = FaultOf(GuardTorch("step 3", [&] {
    (void)at::empty({int64_t{1} << 50}, at::TensorOptions(at::kByte).device(kDevice));
  }));
  EXPECT_EQ(fault.exit, Exit::kNoRoom);
  EXPECT_EQ(fault.what, "step 3: the device's memory is exhausted");
  EXPECT_THAT(fault.why, HasSubstr("Tried to allocate"));
  // The device can still be used.
  EXPECT_EQ(torch::ones({3}, kDevice).sum().item<float>(), 3);
}

TEST_F(Gpu, RefusesOperationsThatAreNotRepeatable) {
  const Status status = GuardTorch("step 3", [&] {
    const at::Tensor x = torch::rand({2, 1, 8, 8}, kDevice).requires_grad_();
    at::adaptive_avg_pool2d(x, {3, 3}).sum().backward();
  });
  EXPECT_THAT(FaultOf(status).what, HasSubstr("does not have a deterministic implementation"));
}

// Last: nothing on the device works after it.
TEST_F(Gpu, ZThatFailsSaysSo) {
  const Fault fault = FaultOf(GuardTorch("step 3", [&] {
    // An index beyond the table stops the kernel.
    const at::Tensor table = torch::ones({3, 2}, kDevice);
    const at::Tensor at = torch::tensor({7}, at::TensorOptions(at::kLong).device(kDevice));
    (void)at::embedding(table, at).sum().item<float>();
  }));
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_THAT(fault.what, HasSubstr("the device failed"));
  EXPECT_LT(fault.what.size(), 500u);
}

}  // namespace
}  // namespace protium
