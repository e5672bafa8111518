// SPDX-License-Identifier: Apache-2.0
// bench_step [PART]: one training step of two processes: 512 rows each (64 for nets with
// convolutions or attention), huber loss, Adam (Adagrad for tables of many ids), four shards, one
// thread per shard. With PART, only the cases whose figure has it in its name.
//
// bench_step checkpoints FOLDER: how much longer the large net's steps take with a checkpoint every
// second, written to a new folder there. A second of steps with one and a second without alternate.
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "bench/ranks.h"
#include "collective/self.h"
#include "deep/cnn.h"
#include "deep/ft_transformer.h"
#include "deep/module_net.h"
#include "deep/text_classifier.h"
#include "deep/torch_numerics.h"
#include "nets/kernel_net.h"
#include "protium/nets.h"
#include "rows/rows.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/progress.h"
#include "train/saving.h"
#include "train/stepper.h"

namespace protium {
namespace {

constexpr int32_t kShards = 4;

// The net that tabular_mlp computes with its own kernels, as a user would write it.
struct Layers : torch::nn::Module {
  Layers(const TabularMlpOptions& options, const NetInputs& inputs) {
    int64_t in = inputs.Width(kNumericField);
    for (const int64_t width : options.hidden) {
      layers.push_back(Add(in, width));
      in = width;
    }
    layers.push_back(Add(in, inputs.outputs));
  }
  torch::nn::Linear Add(int64_t in, int64_t out) {
    return register_module("layer" + std::to_string(layers.size()), torch::nn::Linear(in, out));
  }
  torch::Tensor forward(const Batch& rows) {
    torch::Tensor x = layers[0](rows[kNumericField]);
    for (size_t i = 1; i < layers.size(); ++i) x = layers[i](torch::relu(x));
    return x;
  }
  std::vector<torch::nn::Linear> layers;
};

// A net over that many numeric columns, categories, and lists.
struct Case {
  const char* figure;
  int64_t rows_per_shard;
  int steps;
  NetBuilder builder;
  Json options;
  SyntheticRows::Spec rows;
  Choice optimizer = Adam();

  NetInputs inputs() const {
    return TabularInputs(rows.numeric, rows.cardinalities, 1, rows.lists);
  }
};

std::vector<Case> MakeCases() {
  const Json small = {{"hidden", {128, 64}}}, large = {{"hidden", {1000, 1000, 1000, 500}}};
  const std::vector<int64_t> categories = {24, 31, 300, 16};
  const Json tokens = {{"width", 64}};
  const Json words = {{"vocabulary", 20000}, {"layers", 1}};
  const Json items = {{"hidden", {64}}, {"embedding", 16}};
  const SyntheticRows::Spec million = {.numeric = 2, .cardinalities = {1'000'000}};
  return {
      {"step 67-128-64-1", 256, 300, KernelNets().at("tabular_mlp"), small, {.numeric = 67}},
      {"step 67-128-64-1, a module",
       256,
       300,
       ModuleBuilder<Layers, TabularMlpOptions>(),
       small,
       {.numeric = 67}},
      {"step 300-1000-1000-1000-500-1",
       256,
       15,
       KernelNets().at("tabular_mlp"),
       large,
       {.numeric = 300}},
      {"step cnn 28x28", 32, 60, MakeCnn, {{"hidden", {128}}}, {.lists = {{"pixels", 28 * 28}}}},
      {"step wide_and_deep",
       256,
       100,
       KernelNets().at("wide_and_deep"),
       small,
       {.numeric = 10, .cardinalities = categories}},
      {"step ft_transformer",
       32,
       20,
       MakeFtTransformer,
       tokens,
       {.numeric = 10, .cardinalities = categories}},
      {"step text_classifier",
       32,
       20,
       MakeTextClassifier,
       words,
       {.lists = {{"words", 64}}, .tokens = 20000}},
      {"step tabular_mlp, 1 M ids", 256, 200, KernelNets().at("tabular_mlp"), items, million,
       Adagrad()},
      // Any weight_decay moves all rows.
      {"step tabular_mlp, 1 M ids, whole table", 256, 10, KernelNets().at("tabular_mlp"), items,
       million, Adagrad({.weight_decay = 1e-30})}};
}

constexpr int kWarmUp = 5;

// A net, its weights and what steps it, in a rank's world.
struct Training {
  std::unique_ptr<Net> net;
  std::unique_ptr<Weights> weights;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<Stepper> stepper;
  std::unique_ptr<SyntheticRows> rows;
  std::vector<BatchRows> own;

  Result<StepResult> Run(int64_t step, bool save = false) {
    return stepper->Run({.step = step, .shards = own, .asks = {.save = save}});
  }
  Status Step(int64_t step) { return Run(step).status(); }
};

Result<Training> MakeTraining(const Case& c, Communicator& communicator) {
  PT_TRY(PrepareTorch(1));
  Training t;
  PT_LET(t.net, c.builder(c.options, c.inputs()));
  PT_LET(t.weights, Weights::Make(*t.net));
  t.net->Initialise(4);
  PT_LET(Optimizer optimizer, Optimizer::Make(c.optimizer, *t.weights));
  t.optimizer = std::make_unique<Optimizer>(std::move(optimizer));
  const std::vector<int32_t> first = ShardOwners(kShards, communicator.world());
  PT_LET(t.stepper, Stepper::Make({.first = first, .loss = HuberLoss(1)}, *t.net, *t.weights,
                                  *t.optimizer, communicator));
  SyntheticRows::Spec rows = c.rows;
  rows.rows = kShards * c.rows_per_shard;
  rows.seed = 8;
  t.rows = std::make_unique<SyntheticRows>(rows);
  const auto rank = size_t(communicator.rank());
  for (int32_t s = first[rank]; s < first[rank + 1]; ++s) {
    t.own.push_back(t.rows->batch(s * c.rows_per_shard, (s + 1) * c.rows_per_shard));
  }
  return t;
}

// The weights after the warm-up must be those of a world of one, bit for bit.
Status CheckAlone(const Case& c, const std::string& hash) {
  const auto alone = MakeSelfCommunicator();
  PT_LET(Training t, MakeTraining(c, *alone));
  for (int i = 0; i < kWarmUp; ++i) PT_TRY(t.Step(i));
  return t.weights->Hash() == hash ? Status::OK()
                                   : Status::Invalid("two ranks changed the weights");
}

Status Run(Communicator& communicator, const std::string& part) {
  const std::vector<Case> cases = MakeCases();
  double kernels = 0;  // Milliseconds of the first case, to compare the second with.
  for (const Case& c : cases) {
    if (std::string(c.figure).find(part) == std::string::npos) continue;
    PT_LET(Training t, MakeTraining(c, communicator));
    for (int i = 0; i < kWarmUp; ++i) PT_TRY(t.Step(i));
    const std::string hash = t.weights->Hash();
    PT_TRY(communicator.Barrier("timing"));
    const Stopwatch watch;
    for (int i = 0; i < c.steps; ++i) PT_TRY(t.Step(kWarmUp + i));
    const double milliseconds = watch.seconds() * 1e3 / c.steps;
    if (communicator.rank() == 0) {
      PT_TRY(CheckAlone(c, hash));
      PrintFigure(c.figure, milliseconds, "ms");
      if (&c == &cases[1]) PrintFigure("a module / the kernels", milliseconds / kernels, "x");
    }
    if (&c == &cases[0]) kernels = milliseconds;
    PT_TRY(communicator.Barrier("checked"));
  }
  return Status::OK();
}

// What Train() does between its steps to save them.
class Savings {
 public:
  Savings(Training& training, Communicator& communicator, const std::filesystem::path& folder)
      : training_(training),
        rows_({}, {}, nullptr, {}),
        progress_({}, 0),
        spec_{.folder = folder},
        input_{.net = *training.net,
               .weights = *training.weights,
               .rows = rows_,
               .communicator = &communicator},
        saving_(spec_, input_, {*training.weights, *training.optimizer}, progress_, state_) {}

  Status Begin() { return saving_.TakeUp({}).status(); }

  // Returns the seconds of that many steps, with a checkpoint after the first of them or with none.
  Result<double> Time(int64_t steps, bool save) {
    const Stopwatch watch;
    for (int64_t i = 0; i < steps; ++i) {
      PT_LET(const StepResult result, training_.Run(state_.step, save && i == 0));
      ++state_.step;
      PT_TRY(saving_.Stepped(result.saved));
      if (result.save) PT_TRY(saving_.Save());
    }
    PT_TRY(saving_.Finish());
    return watch.seconds();
  }

 private:
  Training& training_;
  ShardedRows rows_;
  Progress progress_;
  const TrainSpec spec_;
  const TrainInput input_;
  CheckpointState state_;
  Saving saving_;
};

Status RunSaving(Communicator& communicator, const std::filesystem::path& folder) {
  constexpr int kPairs = 30;
  const Case c = MakeCases()[2];
  PT_LET(Training t, MakeTraining(c, communicator));
  Savings savings(t, communicator, folder);
  PT_TRY(savings.Begin());
  PT_TRY(savings.Time(kWarmUp, true).status());
  PT_LET(const double one, savings.Time(c.steps, false));
  auto steps = int64_t(std::lround(c.steps / one));
  PT_TRY(communicator.Broadcast(std::as_writable_bytes(std::span(&steps, 1)), 0));
  std::vector<double> longer;
  for (int i = 0; i < kPairs; ++i) {
    double seconds[2];  // Without and with.
    for (const bool save : {i % 2 == 0, i % 2 != 0}) {
      PT_TRY(communicator.Barrier("timing"));
      PT_LET(seconds[save ? 1 : 0], savings.Time(steps, save));
    }
    longer.push_back((seconds[1] - seconds[0]) / seconds[0]);
  }
  std::ranges::sort(longer);
  if (communicator.rank() != 0) return Status::OK();
  PrintFigure("large net, a checkpoint a second", longer[kPairs / 2] * 100, "% longer");
  return Status::OK();
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  using protium::Communicator;
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "checkpoints" && argc > 2) {
    return protium::ExitCode(protium::RunProcessRanks(
        2, [&](Communicator& communicator) { return protium::RunSaving(communicator, argv[2]); }));
  }
  return protium::ExitCode(protium::RunProcessRanks(
      2, [&](Communicator& communicator) { return protium::Run(communicator, part); }));
}
