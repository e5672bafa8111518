// SPDX-License-Identifier: Apache-2.0
#include "deep/recorded_net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/script.h>
#include <torch/types.h>

#include <filesystem>

#include "base/fault.h"
#include "collective/thread_ranks.h"
#include "deep/module_net.h"
#include "deep/synthetic_rows.h"
#include "deep/tabular_mlp.h"
#include "deep/torch_script.h"
#include "learn/options.h"
#include "os/file.h"
#include "rows/rows.h"
#include "train/fingerprint.h"
#include "train/stepper.h"

namespace protium {
namespace {

using testing::HasSubstr;

// Dropout, batch norm with its count of batches, a parameter that is not used and one used twice.
struct OddNet : torch::nn::Module {
  OddNet(const TabularMlpOptions& options, const NetInputs& inputs)
      : embedding(
            register_module("embedding", torch::nn::Embedding(inputs.cardinalities.at(0), 4))),
        in(register_module("in", torch::nn::Linear(inputs.Width("numeric") + 4, 8))),
        twice(register_module("twice", torch::nn::Linear(8, 8))),
        norm(register_module("norm", torch::nn::BatchNorm1d(8))),
        drop(register_module("drop", torch::nn::Dropout(options.dropout))),
        out(register_module("out", torch::nn::Linear(8, inputs.outputs))) {
    unused = register_parameter("unused", torch::randn({3}));
    register_parameter("again", in->weight);
  }
  torch::Tensor forward(const Batch& rows) {
    const auto x = torch::cat({embedding(rows["categories"].select(1, 0)), rows["numeric"]}, 1);
    const auto y = norm(torch::relu(in(x)));
    return out(drop(twice(torch::relu(twice(y)))));
  }
  torch::nn::Embedding embedding;
  torch::nn::Linear in, twice;
  torch::nn::BatchNorm1d norm;
  torch::nn::Dropout drop;
  torch::nn::Linear out;
  torch::Tensor unused;
};

Result<std::unique_ptr<Net>> MakeOdd() {
  return ModuleBuilder<OddNet, TabularMlpOptions>()({{"dropout", 0.25}}, TabularInputs(6, {5, 9}));
}

// The hash of the weights after a few steps in a world of `world`.
std::string HashAfterSteps(int32_t world) {
  static const SyntheticRows rows({.rows = 400, .numeric = 6, .cardinalities = {5, 9}, .seed = 8});
  std::string hash;
  const auto statuses = RunThreadRanks(world, {}, [&](Communicator& communicator) -> Status {
    PT_TRY(UseThreads(1));
    PT_LET(auto net, MakeOdd());
    PT_LET(auto weights, Weights::Make(*net));
    net->Initialise(4);
    Optimizer optimizer({.learning_rate = 0.01}, *weights);
    const std::vector<int32_t> first = ShardOwners(4, world);
    PT_LET(auto stepper, Stepper::Make({.first = first, .loss = SquaredLoss(), .seed = 9}, *net,
                                       *weights, optimizer, communicator));
    const auto rank = size_t(communicator.rank());
    for (int64_t step = 0; step < 4; ++step) {
      std::vector<Batch> own;
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

// LibTorch's generator is one a process, so ranks that are threads would share it.
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
    net->Backward(ones, {sink, add, defined});
  }
  EXPECT_EQ(defined[0], 0);
  EXPECT_TRUE(torch::equal(sink[0], torch::zeros({3})));
  for (size_t i = 1; i < defined.size(); ++i) EXPECT_EQ(defined[i], 2) << i;
  EXPECT_EQ(weights->buffers().back(), 2.0f);
  EXPECT_FALSE(torch::equal(sink[1], torch::zeros_like(sink[1])));
}

TEST(RecordedNet, DropoutIsAFunctionOfItsKeyAlone) {
  const auto net = MakeOdd().ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const SyntheticRows rows({.rows = 30, .numeric = 6, .cardinalities = {5, 9}, .seed = 8});
  const uint64_t keys[] = {5, 6};
  const at::Tensor one = net->Forward(rows.batch(), &keys[0]).clone();
  EXPECT_FALSE(torch::equal(one, net->Forward(rows.batch(), &keys[1])));
  EXPECT_TRUE(torch::equal(one, net->Forward(rows.batch(), &keys[0])));
}

// The very net that tabular_mlp computes by hand.
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
  const NetBuilder builders[] = {MakeTabularMlp, ModuleBuilder<Mlp, TabularMlpOptions>()};
  for (int i = 0; i < 2; ++i) {
    const auto net = builders[i](options, inputs).ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    DrawUniform(5, -1, 1, weights->parameters());
    gradients[i].resize(size_t(weights->size()));
    std::vector<float> defined(weights->parts().size());
    const auto sink = weights->Views(gradients[i].data());
    const uint64_t key = 3;
    outputs.push_back(net->Forward(rows.batch(), &key).clone());
    net->Backward(torch::linspace(-1, 1, 60).view({30, 2}), {sink, false, defined});
  }
  EXPECT_TRUE(torch::allclose(outputs[0], outputs[1], 1e-5, 1e-6));
  for (size_t i = 0; i < gradients[0].size(); ++i) {
    ASSERT_NEAR(gradients[0][i], gradients[1][i], 1e-4) << i;
  }
}

struct Wrong : torch::nn::Module {
  Wrong(const TabularMlpOptions& options, const NetInputs& inputs) : which(options.hidden[0]) {
    register_parameter("w", torch::ones({7, 1}, which == 1 ? torch::kDouble : torch::kFloat));
    if (which == 2) register_buffer("flags", torch::zeros({2}, torch::kBool));
    if (which == 3) {
      table = register_module("table",
                              torch::nn::Embedding(torch::nn::EmbeddingOptions(5, 1).sparse(true)));
    }
  }
  torch::Tensor forward(const Batch& rows) {
    if (which == 3) return table(rows["categories"].select(1, 0));
    if (which == 4) return rows["nothing"];
    const auto y = torch::mm(rows["numeric"], named_parameters()["w"]);
    return which == 5 ? torch::cat({y, y}, 1) : y;
  }
  int32_t which;
  torch::nn::Embedding table = nullptr;
};

// One step over Wrong nets.
Fault StepOf(int32_t which) {
  const NetInputs inputs = TabularInputs(7, {5});
  const SyntheticRows rows({.rows = 9, .numeric = 7, .cardinalities = {5}, .seed = 8});
  const auto statuses = RunThreadRanks(1, {}, [&](Communicator& communicator) -> Status {
    PT_LET(auto net, (ModuleBuilder<Wrong, TabularMlpOptions>()({{"hidden", {which}}}, inputs)));
    PT_LET(auto weights, Weights::Make(*net));
    Optimizer optimizer({}, *weights);
    PT_LET(auto stepper, Stepper::Make({.first = {0, 1}, .loss = SquaredLoss()}, *net, *weights,
                                       optimizer, communicator));
    const Batch all = rows.batch();
    return stepper->Run({.shards = {&all, 1}}).status();
  });
  return statuses[0].ok() ? Fault{} : FaultOf(statuses[0]);
}

TEST(RecordedNet, RefusesWhatCannotBeTrainedExactly) {
  EXPECT_EQ(StepOf(0).what, "");
  EXPECT_EQ(StepOf(1).what, "parameter w of the net is Double");
  EXPECT_EQ(StepOf(2).what, "buffer flags of the net is Bool");
  EXPECT_THAT(StepOf(3).what, HasSubstr("the gradient of table.weight is sparse"));
  EXPECT_THAT(StepOf(4).what, HasSubstr("rows have no field \"nothing\""));
  EXPECT_THAT(StepOf(5).what, HasSubstr("the net gave Float [9, 2] for 9 rows, and what is learned "
                                        "needs float32 [9, 1]"));
}

// A file as `torch.jit.save` writes it.
std::string ScriptFile(const std::filesystem::path& folder) {
  torch::jit::Module module("Scripted");
  module.register_parameter("w", torch::ones({7, 1}).requires_grad_(), false);
  module.register_parameter("table", torch::arange(5, torch::kFloat).requires_grad_(), false);
  module.define(R"(
    def forward(self, numeric, categories):
      return torch.mm(numeric, self.w) + self.table[categories]
  )");
  const std::string file = folder / "net.pt";
  module.save(file);
  return file;
}

TEST(TorchScript, IsANetWithItsOwnParameters) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const Json options = {{"file", ScriptFile(folder.path())}, {"inputs", {"numeric", "categories"}}};
  const auto net = MakeTorchScript(options, TabularInputs(7, {5})).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const SyntheticRows rows({.rows = 9, .numeric = 7, .cardinalities = {5}, .seed = 8});
  const Batch all = rows.batch();
  const auto expected = all["numeric"].sum(1, true) + all["categories"].to(torch::kFloat);
  EXPECT_TRUE(torch::allclose(net->Forward(all, nullptr), expected));
  std::vector<float> memory(size_t(weights->size()));
  std::vector<float> defined(2);
  const uint64_t key = 1;
  net->Forward(all, &key);
  net->Backward(torch::ones({9, 1}), {weights->Views(memory.data()), false, defined});
  EXPECT_TRUE(
      torch::allclose(weights->Views(memory.data())[0], all["numeric"].sum(0).view({7, 1})));
}

TEST(TorchScript, NamesAFieldThatRowsDoNotHave) {
  const Fault fault =
      FaultOf(MakeTorchScript({{"file", "x.pt"}, {"inputs", {"numeric", "category"}}},
                              TabularInputs(7, {5}))
                  .status());
  EXPECT_EQ(fault.where, "net.inputs.1");
  EXPECT_THAT(fault.fix, HasSubstr("categories"));
}

}  // namespace
}  // namespace protium
