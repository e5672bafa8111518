// SPDX-License-Identifier: Apache-2.0
#include "deep/recorded_net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"
#include "deep/batch.h"
#include "deep/float_tensor.h"
#include "deep/module_net.h"
#include "deep/odd_net.h"
#include "deep/torch_numerics.h"
#include "nets/kernel_net.h"
#include "protium/nets.h"
#include "rows/rows.h"
#include "tensor/norm_statistics.h"
#include "tensor/predict.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/buffer_sums.h"
#include "train/stepper.h"

namespace protium {
namespace {

using testing::HasSubstr;

Result<std::unique_ptr<Net>> MakeOdd() {
  return ModuleBuilder<OddNet, TabularMlpOptions>()({{"dropout", 0.25}}, TabularInputs(6, {5, 9}));
}

// The hash of the weights after a few steps in a world of `world`.
std::string HashAfterSteps(int32_t world) {
  static const SyntheticRows rows({.rows = 400, .numeric = 6, .cardinalities = {5, 9}, .seed = 8});
  std::string hash;
  const auto statuses = RunThreadRanks(world, {}, [&](Communicator& communicator) -> Status {
    PT_TRY(PrepareTorch(1));
    PT_LET(auto net, MakeOdd());
    PT_LET(auto weights, Weights::Make(*net));
    net->Initialise(4);
    PT_LET(Optimizer optimizer, Optimizer::Make(Adam({.learning_rate = 0.01}), *weights));
    const std::vector<int32_t> first = ShardOwners(4, world);
    PT_LET(auto stepper,
           Stepper::Make({.first = first, .loss = SquaredLoss(), .train = {.seed = 9}}, *net,
                         *weights, optimizer, communicator));
    const auto rank = size_t(communicator.rank());
    for (int64_t step = 0; step < 4; ++step) {
      std::vector<BatchRows> own;
      for (int64_t s = first[rank]; s < first[rank + 1]; ++s) {
        own.push_back(rows.batch(100 * step + 20 * s, 100 * step + 20 * s + 17 + s));
      }
      PT_TRY(stepper->Run({.step = step, .shards = own}).status());
    }
    if (rank == 0) hash = weights->Hash();
    return Status::OK();
  });
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.ToString();
  return hash;
}

// LibTorch has one generator per process, so ranks that are threads would share it.
TEST(RecordedNet, StepsAreTheSameAgain) { EXPECT_EQ(HashAfterSteps(1), HashAfterSteps(1)); }

TEST(RecordedNet, ListsItsTensorsOnceInTheOrderOfRegistration) {
  const auto net = MakeOdd().ValueOrDie();
  std::vector<std::string> names;
  for (const Variable& variable : net->parameters()) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"unused", "again", "embedding.weight", "in.bias",
                                             "twice.weight", "twice.bias", "norm.weight",
                                             "norm.bias", "out.weight", "out.bias"}));
  names.clear();
  for (const Variable& variable : net->buffers()) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"norm.running_mean", "norm.running_var",
                                             "norm.num_batches_tracked"}));
  EXPECT_EQ(net->least_rows(), 2);
}

TEST(RecordedNet, GivesNoGradientToWhatIsNotUsedAndCountsBatches) {
  const auto net = MakeOdd().ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const SyntheticRows rows({.rows = 30, .numeric = 6, .cardinalities = {5, 9}, .seed = 8});
  std::vector<float> memory(size_t(weights->size()), 100.0f);
  std::vector<float> defined(weights->parts().size());
  const auto sink = weights->Views(memory.data());
  const uint64_t key = 3;
  const at::Tensor ones = torch::ones({30, 1});
  for (const bool add : {false, true}) {
    net->Forward(rows.batch(), &key);
    net->Backward(ValuesOf(ones), {sink, add, defined});
  }
  EXPECT_EQ(defined[0], 0);
  EXPECT_TRUE(torch::equal(TensorOf(sink[0]), torch::zeros({3})));
  for (size_t i = 1; i < defined.size(); ++i) EXPECT_EQ(defined[i], 2) << i;
  EXPECT_EQ(weights->buffers().back(), 2.0f);
  EXPECT_FALSE(torch::equal(TensorOf(sink[1]), torch::zeros_like(TensorOf(sink[1]))));
}

TEST(RecordedNet, DropoutIsAFunctionOfItsKeyAlone) {
  const auto net = MakeOdd().ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const SyntheticRows rows({.rows = 30, .numeric = 6, .cardinalities = {5, 9}, .seed = 8});
  const uint64_t keys[] = {5, 6};
  const at::Tensor one = TensorOf(net->Forward(rows.batch(), &keys[0])).clone();
  EXPECT_FALSE(torch::equal(one, TensorOf(net->Forward(rows.batch(), &keys[1]))));
  EXPECT_TRUE(torch::equal(one, TensorOf(net->Forward(rows.batch(), &keys[0]))));
}

TEST(RecordedNet, TrainsWithFrozenStatisticsAsItPredicts) {
  const auto net = ModuleBuilder<OddNet, TabularMlpOptions>()(Json::object(), TabularInputs(6, {5}))
                       .ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const SyntheticRows rows({.rows = 30, .numeric = 6, .cardinalities = {5}, .seed = 8});
  const uint64_t key = 3;
  net->Forward(rows.batch(), &key);  // Statistics of its own.
  const std::vector<float> before(weights->buffers().begin(), weights->buffers().end());
  const at::Tensor predicted = TensorOf(net->Forward(rows.batch(), nullptr)).clone();
  auto& norms = dynamic_cast<NormalisingNet&>(*net);
  norms.FreezeStatistics({true, true, false});
  EXPECT_TRUE(torch::equal(TensorOf(net->Forward(rows.batch(), &key)), predicted));
  EXPECT_TRUE(std::ranges::equal(weights->buffers(), before));
  norms.FreezeStatistics({false, false, false});
  EXPECT_FALSE(torch::equal(TensorOf(net->Forward(rows.batch(), &key)), predicted));
  EXPECT_EQ(weights->buffers().back(), 2.0f);
}

// The same net as tabular_mlp, which has handwritten kernels.
struct Mlp : torch::nn::Module {
  Mlp(const TabularMlpOptions& options, const NetInputs& inputs)
      : in(register_module("in", torch::nn::Linear(inputs.Width("numeric"), options.hidden[0]))),
        out(register_module("out", torch::nn::Linear(options.hidden[0], inputs.outputs))) {}
  torch::Tensor forward(const Batch& rows) { return out(torch::relu(in(rows["numeric"]))); }
  torch::nn::Linear in, out;
};

TEST(RecordedNet, HasTheGradientOfTheKernels) {
  const NetInputs inputs = TabularInputs(7, {}, 2);
  const Json options = {{"hidden", {5}}};
  const SyntheticRows rows({.rows = 30, .numeric = 7, .seed = 8});
  std::vector<float> gradients[2];
  std::vector<at::Tensor> outputs;
  const NetBuilder builders[] = {KernelNets().at("tabular_mlp"),
                                 ModuleBuilder<Mlp, TabularMlpOptions>()};
  for (int i = 0; i < 2; ++i) {
    const auto net = builders[i](options, inputs).ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    DrawUniform(5, -1, 1, weights->parameters());
    gradients[i].resize(size_t(weights->size()));
    std::vector<float> defined(weights->parts().size());
    const auto sink = weights->Views(gradients[i].data());
    const uint64_t key = 3;
    const at::Tensor by_outputs = torch::linspace(-1, 1, 60).view({30, 2});
    outputs.push_back(TensorOf(net->Forward(rows.batch(), &key)).clone());
    net->Backward(ValuesOf(by_outputs), {sink, false, defined});
  }
  EXPECT_TRUE(torch::allclose(outputs[0], outputs[1], 1e-5, 1e-6));
  for (size_t i = 0; i < gradients[0].size(); ++i) {
    ASSERT_NEAR(gradients[0][i], gradients[1][i], 1e-4) << i;
  }
}

// The ways in which a net can fail, one at a time.
enum class Way {
  kNone,
  kDoubleParameter,
  kFlags,
  kSparse,
  kNoField,
  kWide,
  kShort,
  kDoubles,
  kNothing,
  kThrows,
  kThrowsANumber,
  kThrowsBackward,
  kNotANumber,
  kNoParameters,
  kLargeNumbers,
  kNumbersThatGrow,
  kCountsRows,
  kWritesParameter,
  kWritesAsItPredicts,
};

struct ThrowingBackward : torch::autograd::Function<ThrowingBackward> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& x) {
    return x.clone();
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext*,
                                               const torch::autograd::tensor_list&) {
    throw std::runtime_error("no way back");
  }
};

struct WrongOptions {
  int32_t way = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("way", way);
  }
};

struct Wrong : torch::nn::Module {
  Wrong(const WrongOptions& options, const NetInputs&) : way(Way(options.way)) {
    const bool doubles = way == Way::kDoubleParameter;
    w = torch::ones({7, 1}, doubles ? torch::kDouble : torch::kFloat);
    if (way != Way::kNoParameters) w = register_parameter("w", w);
    if (way == Way::kFlags) register_buffer("flags", torch::zeros({2}, torch::kBool));
    constants = register_buffer("constants", torch::tensor({0.1f, -0.0f, 3e-41f}));
    const int64_t number = way == Way::kLargeNumbers      ? kMostWhole + 1
                           : way == Way::kNumbersThatGrow ? kMostWhole
                                                          : kMostWhole - 1;
    numbers = register_buffer("numbers", torch::tensor({number, int64_t{-7}}));
    if (way != Way::kSparse) return;
    const auto sparse = torch::nn::EmbeddingOptions(5, 1).sparse(true);
    table = register_module("table", torch::nn::Embedding(sparse));
  }
  torch::Tensor forward(const Batch& rows) {
    if (way == Way::kThrows) throw std::runtime_error("no way on");
    if (way == Way::kThrowsANumber) throw 7;
    if (way == Way::kSparse) return table(rows["categories"].select(1, 0));
    if (way == Way::kNoField) return rows["nothing"];
    if (way == Way::kNothing) return {};
    Write(rows);
    const auto y = torch::mm(rows["numeric"], w);
    return way == Way::kWide             ? torch::cat({y, y}, 1)
           : way == Way::kShort          ? y.slice(0, 1)
           : way == Way::kDoubles        ? y.to(torch::kDouble)
           : way == Way::kThrowsBackward ? ThrowingBackward::apply(y)
           : way == Way::kNotANumber     ? y.sub(100).log()
                                         : y;
  }
  void Write(const Batch& rows) {
    const torch::NoGradGuard no_graph;
    if (way == Way::kNumbersThatGrow) numbers += 1;
    if (way == Way::kCountsRows) numbers -= rows.size();
    if (way == Way::kWritesParameter) w.mul_(0.5);
    if (way == Way::kWritesAsItPredicts && !is_training()) constants.mul_(2);
  }
  Way way;
  torch::Tensor w, constants, numbers;
  torch::nn::Embedding table = nullptr;
};

Result<std::unique_ptr<Net>> MakeWrong(Way way) {
  return ModuleBuilder<Wrong, WrongOptions>()({{"way", int32_t(way)}}, TabularInputs(7, {5}));
}

const SyntheticRows& NineRows() {
  static const SyntheticRows rows({.rows = 9, .numeric = 7, .cardinalities = {5}, .seed = 8});
  return rows;
}

// The faults of all ranks in step 7 of epoch 2, when rank 1 of two has shards 1 and 2 and the net
// fails in this way, on that rank or on all.
std::vector<Fault> FaultsOfStep(Way way, bool everywhere) {
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& communicator) -> Status {
    const bool wrong = everywhere || communicator.rank() == 1;
    PT_LET(const auto net, MakeWrong(wrong ? way : Way::kNone));
    PT_LET(const auto weights, Weights::Make(*net));
    net->Initialise(1);
    PT_LET(Optimizer optimizer, Optimizer::Make(Adam(), *weights));
    PT_LET(const auto stepper, Stepper::Make({.first = {0, 1, 3}, .loss = SquaredLoss()}, *net,
                                             *weights, optimizer, communicator));
    const BatchRows shards[] = {NineRows().batch(0, 2), NineRows().batch(2, 5),
                                NineRows().batch(5, 9)};
    const std::span<const BatchRows> all(shards);
    const StepInput input{
        .step = 6, .epoch = 1, .shards = communicator.rank() == 0 ? all.first(1) : all.subspan(1)};
    return stepper->Run(input).status();
  });
  std::vector<Fault> faults;
  for (const Status& status : statuses) faults.push_back(status.ok() ? Fault{} : FaultOf(status));
  return faults;
}

std::string ErrorText(Way way, bool everywhere = true) {
  const auto faults = FaultsOfStep(way, everywhere);
  EXPECT_EQ(faults[0].what, faults[1].what);
  return faults[0].what;
}

TEST(RecordedNet, RefusesWhatCannotBeTrainedExactly) {
  EXPECT_EQ(ErrorText(Way::kNone), "");
  const auto made = [](Way way) { return FaultOf(MakeWrong(way).status()).what; };
  EXPECT_EQ(made(Way::kDoubleParameter), "parameter w of the net is Double");
  EXPECT_EQ(made(Way::kFlags), "buffer flags of the net is Bool");
  EXPECT_EQ(made(Way::kLargeNumbers), "buffer numbers of the net is Long");
  EXPECT_THAT(made(Way::kNoParameters), HasSubstr("the net has no parameters"));
  // Its table is a parameter that the other nets do not have.
  EXPECT_THAT(FaultsOfStep(Way::kSparse, true)[0].what,
              HasSubstr("the gradient of table.weight is sparse"));
  EXPECT_THAT(ErrorText(Way::kNoField, false), HasSubstr("rows have no field \"nothing\""));
  EXPECT_THAT(ErrorText(Way::kWritesParameter, false),
              HasSubstr("the net writes to its parameter w"));
}

TEST(RecordedNet, ThatGivesAnotherShapeIsRefusedWithBothShapes) {
  EXPECT_THAT(ErrorText(Way::kWide, false),
              HasSubstr("the net returned Float [3, 2] for 3 rows, but the "
                        "label needs float32 [3, 1]"));
  EXPECT_THAT(ErrorText(Way::kShort, false), HasSubstr("the net returned Float [2, 1] for 3 rows"));
  EXPECT_THAT(ErrorText(Way::kDoubles, false),
              HasSubstr("the net returned Double [3, 1] for 3 rows"));
  EXPECT_NE(ErrorText(Way::kNothing, false), "");
}

TEST(RecordedNet, ThatThrowsOnOneRankFailsOnAllNamingStepShardAndRank) {
  const std::string where = "step 7 of epoch 2, shard 1 on rank 1: ";
  EXPECT_EQ(ErrorText(Way::kThrows, false), where + "no way on");
  EXPECT_THAT(ErrorText(Way::kThrowsBackward, false), HasSubstr(where + "no way back"));
  EXPECT_EQ(ErrorText(Way::kThrowsANumber, false),
            where + "something was thrown that is not a std::exception");
}

TEST(RecordedNet, WhoseLossIsNoNumberInSomeShardsFailsOnAllRanksNamingThem) {
  EXPECT_EQ(ErrorText(Way::kNotANumber, false),
            "the loss is not finite at step 7 of epoch 2, shards 1, 2 on rank 1");
  EXPECT_EQ(ErrorText(Way::kNotANumber, true),
            "the loss is not finite at step 7 of epoch 2, shard 0 on rank 0, "
            "shards 1, 2 on rank 1");
}

TEST(RecordedNet, KeepsBuffersThatItDoesNotChangeToTheBit) {
  const auto net = MakeWrong(Way::kNone).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const std::vector<float> before(weights->buffers().begin(), weights->buffers().end());
  EXPECT_EQ(before[3], float(kMostWhole - 1));
  BufferSums sums(*weights);
  std::vector<float> sum(size_t(sums.count()));
  const uint64_t key = 1;
  for (const BatchRows& rows : {NineRows().batch(0, 2), NineRows().batch(2, 9)}) {
    sums.Keep();
    net->Forward(rows, &key);
    sums.Add(rows.size(), sum.data());
  }
  ASSERT_TRUE(sums.Apply(sum, 9).ok());
  EXPECT_EQ(std::memcmp(before.data(), weights->buffers().data(), before.size() * sizeof(float)),
            0);
}

TEST(RecordedNet, RefusesBuffersOfWholeNumbersThatShardsChangeDifferently) {
  EXPECT_EQ(ErrorText(Way::kCountsRows),
            "shards change the buffer numbers of the net in different ways");
  EXPECT_THAT(ErrorText(Way::kNumbersThatGrow, false),
              HasSubstr("the buffer numbers of the net grew beyond 16777216"));
}

TEST(RecordedNet, MayNotChangeBuffersAsItPredicts) {
  const auto net = MakeWrong(Way::kWritesAsItPredicts).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  std::vector<float> out(9);
  EXPECT_THAT(FaultOf(Predictor(*net, 1).Predict(NineRows().batch(), out)).what,
              HasSubstr("the net writes to its buffer constants while it predicts"));
}

}  // namespace
}  // namespace protium
