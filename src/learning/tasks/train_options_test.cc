// SPDX-License-Identifier: Apache-2.0
// Options of training, each with the same bits for any number of ranks and after a stop.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "format/safetensors.h"
#include "tasks/testing/train_task.h"

namespace protium {
namespace {

using testing::HasSubstr;

class TrainOptionsTest : public TrainTaskTest {};

struct Recipe {
  const char* name;
  std::function<void(TrainOptions&)> set;
};

void PrintTo(const Recipe& recipe, std::ostream* out) { *out << recipe.name; }

const Recipe kRecipes[] = {
    {"adamw", [](TrainOptions& t) { t.optimizer = AdamW({.learning_rate = 0.01}); }},
    {"sgd",
     [](TrainOptions& t) {
       t.optimizer = Sgd({.learning_rate = 0.01, .momentum = 0.9, .nesterov = true});
     }},
    {"adagrad", [](TrainOptions& t) { t.optimizer = Adagrad({.initial = 0.1}); }},
    {"rowwise_adagrad", [](TrainOptions& t) { t.optimizer = RowwiseAdagrad({.initial = 0.1}); }},
    {"lazy_adam", [](TrainOptions& t) { t.optimizer = LazyAdam({.learning_rate = 0.01}); }},
    {"rmsprop",
     [](TrainOptions& t) { t.optimizer = Rmsprop({.momentum = 0.5, .centered = true}); }},
    {"step", [](TrainOptions& t) { t.schedule = StepSchedule({.every_steps = 7}); }},
    {"cosine", [](TrainOptions& t) { t.schedule = Cosine(); }},
    {"one_cycle", [](TrainOptions& t) { t.schedule = OneCycle(); }},
    {"reduce_on_plateau",
     [](TrainOptions& t) {
       t.optimizer = Adam({.learning_rate = 0.3});
       t.schedule = ReduceOnPlateau({.factor = 0.5, .patience = 0, .least = 0.3});
     }},
    {"warm_up", [](TrainOptions& t) { t.warm_up.share = 0.5; }},
    {"clipping",
     [](TrainOptions& t) {
       t.clip_norm = 0.5;
       t.clip_value = 0.01;
     }},
    {"average", [](TrainOptions& t) { t.average = 0.9; }},
    {"micro_batches", [](TrainOptions& t) { t.micro_batches = 3; }},
    {"changes",
     [](TrainOptions& t) {
       t.changes = {{.after = 2, .optimizer = {{"learning_rate", 0.01}, {"weight_decay", 0.1}}},
                    {.after = 3, .optimizer = {{"learning_rate", 0.03}}}};
     }},
    {"parameters",
     [](TrainOptions& t) {
       t.clip_norm = 0.5;
       t.parameters = {{.name = "embedding.*", .rate = 0}, {.name = "*.bias", .rate = 3}};
     }},
    {"unfreezing",
     [](TrainOptions& t) {
       t.clip_norm = 0.5;
       t.parameters = {{.name = "output.*"}, {.name = "*", .rate = 0}};
       t.changes = {{.after = 1, .parameters = {{.name = "embedding.*", .rate = 0}}},
                    {.after = 2, .optimizer = {{"learning_rate", 0.01}}},
                    {.after = 3, .parameters = {{.name = "*", .rate = 0.5}}}};
     }},
    {"early_stopping", [](TrainOptions& t) { t.early_stopping = {.patience = 2, .least = 5}; }}};

class TrainRecipe : public TrainTaskTest, public testing::WithParamInterface<Recipe> {};

TEST_P(TrainRecipe, GivesTheSameBitsForAnyWorkersAndAfterAStop) {
  config_.train.epochs = 4;
  const TrainResult plain = RunToResult(1, Deal(700, 1, 0));
  GetParam().set(config_.train);
  Fresh("whole");
  const TrainResult whole = RunToResult(1, Deal(700, 1, 0));
  if (std::string(GetParam().name) != "early_stopping") {
    EXPECT_NE(whole.weights_sha256, plain.weights_sha256);
  }
  for (const int32_t world : {2, 4}) {
    Fresh("run" + std::to_string(world));
    EXPECT_EQ(RunToResult(world, Deal(700, world, 3)).weights_sha256, whole.weights_sha256)
        << world;
  }
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  const int64_t stopped = RunAndStop(2, Deal(700, 2, 0), 24);
  config_.resume = true;
  const TrainResult resumed = RunToResult(3, Deal(700, 3, 4));
  EXPECT_EQ(Events("train_start")[0]["step"], stopped);
  EXPECT_EQ(resumed.weights_sha256, whole.weights_sha256);
  EXPECT_EQ(resumed.steps, whole.steps);
  EXPECT_EQ(resumed.validation, whole.validation);
}

INSTANTIATE_TEST_SUITE_P(Options, TrainRecipe, testing::ValuesIn(kRecipes),
                         [](const testing::TestParamInfo<Recipe>& info) {
                           return std::string(info.param.name);
                         });

TEST_F(TrainOptionsTest, LeavesNoCheckpointOfAShortEpochAndStillTheBestWeights) {
  config_.train.epochs = 12;
  config_.train.optimizer = Adam({.learning_rate = 0.3});  // The last epoch is not the best.
  for (const double average : {0.0, 0.9}) {
    config_.train.average = average;
    config_.train.checkpoint.every_seconds = 1e-9;
    Fresh(fmt::format("all{}", average));
    const TrainResult all = RunToResult(2, Deal(700, 2, 0));
    EXPECT_GE(Events("checkpoint").size(), 12u);
    config_.train.checkpoint.every_seconds = 30;
    Fresh(fmt::format("few{}", average));
    const TrainResult few = RunToResult(2, Deal(700, 2, 0));
    const double seconds = few.history.back()["seconds"];
    EXPECT_LE(double(Events("checkpoint").size()), 1 + seconds);
    EXPECT_EQ(few.best_epoch, all.best_epoch);
    EXPECT_EQ(few.weights_sha256, all.weights_sha256);
    EXPECT_EQ(few.validation, all.validation);
  }
}

TEST_F(TrainOptionsTest, EndsEarlyAndStaysEnded) {
  config_.train.epochs = 50;
  config_.train.early_stopping = {.patience = 2, .least = 1000};
  const TrainResult result = RunToResult(2, Deal(700, 2, 0));
  EXPECT_EQ(result.history.size(), 3u);
  EXPECT_EQ(result.steps, 30);
  ASSERT_EQ(Events("note").size(), 1u);
  EXPECT_EQ(Events("note")[0]["message"],
            "training ends after epoch 3 of 50: rmse did not improve for 2 epochs");
  config_.resume = true;
  const TrainResult again = RunToResult(1, Deal(700, 1, 0));
  EXPECT_EQ(again.steps, 30);
  EXPECT_EQ(again.weights_sha256, result.weights_sha256);
  config_.train.early_stopping.patience = 0;
  config_.train.epochs = 4;
  EXPECT_EQ(RunToResult(1, Deal(700, 1, 0)).steps, 40);
}

TEST_F(TrainOptionsTest, ResumesWithMoreEpochsOnlyWhereRatesAllow) {
  RunToResult(1, Deal(700, 1, 0));
  config_.resume = true;
  config_.train.epochs = 3;
  EXPECT_EQ(RunToResult(1, Deal(700, 1, 0)).steps, 30);
  Fresh("cosine");
  config_.resume = false;
  config_.train.schedule = Cosine();
  RunToResult(1, Deal(700, 1, 0));
  config_.resume = true;
  config_.train.epochs = 4;
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("options changed"));
}

TEST_F(TrainOptionsTest, GoesOnWithChangesThatAreToComeAndNotWithOthers) {
  const ChangeOptions faster{.after = 2, .optimizer = {{"learning_rate", 0.02}}};
  const ChangeOptions slower{.after = 3, .optimizer = {{"learning_rate", 0.001}}};
  config_.train.epochs = 4;
  config_.train.changes = {faster, slower};
  const TrainResult whole = RunToResult(1, Deal(700, 1, 0));
  EXPECT_EQ(whole.history[1]["learning_rate"], 0.001);
  EXPECT_EQ(whole.history[2]["learning_rate"], 0.02);
  EXPECT_EQ(whole.history[3]["learning_rate"], 0.001);

  Fresh("parts");
  config_.train.epochs = 2;
  config_.train.changes.clear();
  RunToResult(1, Deal(700, 1, 0));
  config_.resume = true;
  config_.train.epochs = 3;
  config_.train.changes = {faster};
  RunToResult(2, Deal(700, 2, 0));
  config_.train.epochs = 4;
  config_.train.changes = {faster, slower};
  EXPECT_EQ(RunToResult(1, Deal(700, 1, 0)).weights_sha256, whole.weights_sha256);

  config_.train.epochs = 5;
  config_.train.changes = {{.after = 2, .optimizer = {{"learning_rate", 0.03}}}, slower};
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("options changed"));
  config_.train.changes = {faster};
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("options changed"));
}

std::map<std::string, std::string> TensorsOf(const TrainResult& result) {
  const Safetensors file = Safetensors::Read(result.weights).ValueOrDie();
  std::map<std::string, std::string> bytes;
  for (const NamedTensor& each : file.tensors()) {
    bytes[each.name] = {reinterpret_cast<const char*>(each.data.data()), each.data.size()};
  }
  return bytes;
}

// Frozen: all but the outputs; after one epoch the embeddings; after two none. At each epoch's end
// the run is stopped and goes on with another number of workers.
TEST_F(TrainOptionsTest, LetsFrozenParametersLearnFromAnEpochOn) {
  const std::vector<ChangeOptions> changes = {
      {.after = 1, .parameters = {{.name = "embedding.*", .rate = 0}}},
      {.after = 2, .parameters = {{.name = "*"}}}};
  config_.train.parameters = {{.name = "output.*"}, {.name = "*", .rate = 0}};
  config_.train.epochs = 3;
  config_.held_out.clear();  // The last epoch's weights are those of the model.
  config_.train.changes = changes;
  const TrainResult whole = RunToResult(2, Deal(700, 2, 0));
  Fresh("parts");
  std::vector<std::map<std::string, std::string>> after;
  std::string last;
  for (int32_t epoch = 0; epoch < 3; ++epoch) {
    config_.resume = epoch > 0;
    config_.train.epochs = epoch + 1;
    config_.train.changes.assign(changes.begin(), changes.begin() + epoch);
    const int32_t world = 1 + epoch % 2;
    const TrainResult part = RunToResult(world, Deal(700, world, 0));
    after.push_back(TensorsOf(part));
    last = part.weights_sha256;
  }
  EXPECT_EQ(last, whole.weights_sha256);
  const auto changed = [&](size_t epoch, const std::string& name) {
    return after[epoch].at(name) != after[epoch - 1].at(name);
  };
  EXPECT_TRUE(changed(1, "dense.0.weight"));
  EXPECT_TRUE(changed(1, "output.weight"));
  EXPECT_FALSE(changed(1, "embedding.0.weight"));
  EXPECT_TRUE(changed(2, "embedding.0.weight"));
}

// The statistics of the second batch norm go on after one epoch, those of the first never.
TEST_F(TrainOptionsTest, FreezesTheStatisticsOfBatchNorm) {
  config_.net.net.options["batch_norm"] = true;
  config_.train.epochs = 3;
  config_.held_out.clear();
  const TrainResult plain = RunToResult(1, Deal(700, 1, 0));
  config_.train.parameters = {{.name = "norm.*.running_*", .rate = 0},
                              {.name = "norm.0.*", .rate = 0}};
  Fresh("frozen");
  const auto frozen = TensorsOf(RunToResult(1, Deal(700, 1, 0)));
  config_.train.changes = {{.after = 1, .parameters = {{.name = "norm.0.running_*", .rate = 0}}}};
  Fresh("whole");
  const TrainResult whole = RunToResult(1, Deal(700, 1, 0));
  EXPECT_NE(whole.weights_sha256, plain.weights_sha256);
  const std::string zeros(16 * sizeof(float), 0);
  EXPECT_EQ(frozen.at("norm.0.running_mean"), zeros);
  EXPECT_EQ(frozen.at("norm.1.running_mean"), zeros.substr(0, 8 * sizeof(float)));
  EXPECT_EQ(TensorsOf(whole).at("norm.0.running_mean"), zeros);
  EXPECT_NE(TensorsOf(whole).at("norm.1.running_mean"), frozen.at("norm.1.running_mean"));
  EXPECT_NE(TensorsOf(plain).at("norm.0.running_mean"), zeros);
  for (const int32_t world : {2, 4}) {
    Fresh("run" + std::to_string(world));
    EXPECT_EQ(RunToResult(world, Deal(700, world, 3)).weights_sha256, whole.weights_sha256);
  }
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  RunAndStop(2, Deal(700, 2, 0), 14);
  config_.resume = true;
  EXPECT_EQ(RunToResult(3, Deal(700, 3, 4)).weights_sha256, whole.weights_sha256);
}

TEST_F(TrainOptionsTest, RefusesStatisticsThatCannotBeFrozen) {
  const auto refused = [&](std::vector<ParameterOptions> parameters) {
    config_.train.parameters = std::move(parameters);
    return FaultOf(Run(1, Deal(700, 1, 0)));
  };
  EXPECT_EQ(refused({{.name = "norm.0.running_*", .rate = 0}}).what,
            "no parameter of the net is called \"norm.0.running_*\"");
  config_.net.net.options["batch_norm"] = true;
  EXPECT_EQ(refused({{.name = "*.running_mean", .rate = 0}}).what,
            "one of the two statistics of norm.0 alone would be frozen");
  const Fault slow = refused({{.name = "*", .rate = 0}, {.name = "*.running_*", .rate = 0.5}});
  EXPECT_EQ(slow.what, "statistics of batch norm have no rate of 0.5");
  EXPECT_EQ(slow.where, "train.parameters.1.rate");
}

TEST_F(TrainOptionsTest, RefusesAPatternOfALaterEpochBeforeTheFirstStep) {
  config_.train.changes = {{.after = 1, .parameters = {{.name = "conv*"}}}};
  const Fault fault = FaultOf(Run(1, Deal(700, 1, 0)));
  EXPECT_EQ(fault.what, "no parameter of the net is called \"conv*\"");
  EXPECT_EQ(fault.where, "train.changes.0.parameters.0.name");
  EXPECT_TRUE(Events("train_start").empty());
}

TEST_F(TrainOptionsTest, KeepsTheAverageOfTheWeightsAndMeasuresIt) {
  config_.train.average = 0.99;
  config_.held_out.clear();
  const TrainResult averaged = RunToResult(2, Deal(700, 2, 0));
  Fresh("plain");
  config_.train.average = 0;
  const TrainResult plain = RunToResult(2, Deal(700, 2, 0));
  EXPECT_NE(averaged.weights_sha256, plain.weights_sha256);
  // Apart from the average, training continues with the weights of a run without it.
  for (size_t epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(averaged.history[epoch]["loss"], plain.history[epoch]["loss"]);
  }
}

TEST_F(TrainOptionsTest, StartsFromTheWeightsOfAModel) {
  const TrainResult first = RunToResult(1, Deal(700, 1, 0));
  Fresh("next");
  config_.train.from.model = "first";
  config_.train.from.weights = first.weights;
  config_.train.from.sha256 = first.weights_sha256;
  const TrainResult next = RunToResult(1, Deal(700, 1, 0));
  EXPECT_LT(next.history[0]["loss"].get<double>(), first.history[0]["loss"].get<double>());
  for (const int32_t world : {2, 3}) {
    Fresh("next" + std::to_string(world));
    EXPECT_EQ(RunToResult(world, Deal(700, world, 5)).weights_sha256, next.weights_sha256);
  }
  Fresh("part");
  config_.train.from.parameters = {"embedding.*"};
  const TrainResult part = RunToResult(1, Deal(700, 1, 0));
  EXPECT_NE(part.weights_sha256, next.weights_sha256);
  config_.resume = true;
  config_.train.from.parameters = {"dense.*"};
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("options changed"));
}

TEST_F(TrainOptionsTest, RefusesWeightsThatDoNotFit) {
  const TrainResult first = RunToResult(1, Deal(700, 1, 0));
  Fresh("next");
  config_.train.from.model = "first";
  config_.train.from.weights = first.weights;
  config_.train.from.sha256 = first.weights_sha256;
  config_.net.net.options["hidden"] = {16, 9};
  const Fault shape = FaultOf(Run(1, Deal(700, 1, 0)));
  EXPECT_EQ(shape.exit, Exit::kInput);
  EXPECT_EQ(shape.what, "the weights of the model first do not fit the net");
  EXPECT_EQ(shape.why, "its dense.1.weight is F32 [8, 16], the net's is F32 [9, 16]");
  config_.net.net.options["hidden"] = {16, 8};
  config_.net.net.options["batch_norm"] = true;
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).why,
              HasSubstr("it has no norm.0.weight; its tensors are dense.0.bias, dense.0.weight"));
  config_.train.from.parameters = {"embed*", "conv*"};
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("called \"conv*\""));
  config_.train.from.sha256 = "other";
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what,
              HasSubstr("the weights to start from have changed"));
}

// The sum of log(1 + |output - label|).
LossSums LogarithmOfErrors(std::span<const float> outputs, const PackedRows& rows,
                           std::span<float> gradient) {
  LossSums sums;
  for (int64_t i = 0; i < rows.size(); ++i) {
    const float error = outputs[size_t(i)] - *rows.floats(kLabelField).at(i);
    gradient[size_t(i)] = (error < 0 ? -1.0f : 1.0f) / (1 + std::abs(error));
    sums.loss += std::log1p(std::abs(double(error)));
    sums.weight += 1;
  }
  return sums;
}

TEST_F(TrainOptionsTest, TakesLossesAndMetricsOfAProgram) {
  rows_.losses["own"] = [](const Json&, const std::vector<double>&) -> Result<Loss> {
    return LogarithmOfErrors;
  };
  rows_.metrics = {{"worst_half", "of our own", {TargetKind::kValues}, false, [](TargetKind) {
                      return MakeMeanOf([](const Judged& row) {
                        return double(std::abs(row.labels[0] - row.scores[0]) > 10);
                      });
                    }}};
  config_.loss = {"own"};
  config_.train.metrics = {"worst_half"};
  config_.train.best = "worst_half";
  const TrainResult one = RunToResult(1, Deal(700, 1, 0));
  EXPECT_TRUE(one.validation["worst_half"].is_number());
  Fresh("more");
  const TrainResult more = RunToResult(3, Deal(700, 3, 4));
  EXPECT_EQ(more.weights_sha256, one.weights_sha256);
  EXPECT_EQ(more.validation, one.validation);
}

TEST_F(TrainOptionsTest, ReportsTheLearningRate) {
  config_.train.optimizer = Sgd({.learning_rate = 0.5});
  config_.train.schedule = StepSchedule({.every_steps = 10, .factor = 0.1});
  const TrainResult result = RunToResult(2, Deal(700, 2, 0));
  EXPECT_DOUBLE_EQ(Events("step").front()["learning_rate"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(result.history[0]["learning_rate"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(result.history[1]["learning_rate"].get<double>(), 0.05);
}

// y depends on all three, but c has one value in all held-out rows.
TEST_F(TrainOptionsTest, TellsWhichColumnsMatter) {
  config_.train.epochs = 12;
  config_.train.optimizer = Choice{"adam", {{"learning_rate", 0.02}}};
  const Json one = RunToResult(1, Deal(1500, 1, 1)).importance;
  EXPECT_EQ(one["metric"], "rmse");
  EXPECT_EQ(one["rows"], 150);
  std::vector<std::string> names;
  for (const Json& each : one["columns"]) {
    names.push_back(each["column"]);
    EXPECT_DOUBLE_EQ(each["worse"].get<double>(),
                     each["value"].get<double>() - one["value"].get<double>());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("a", "b", "c"));
  EXPECT_EQ(names.at(2), "c");
  EXPECT_GT(one["columns"][1]["worse"].get<double>(), 1);
  EXPECT_EQ(one["columns"][2]["worse"].get<double>(), 0);
  Fresh("three");
  EXPECT_EQ(RunToResult(3, Deal(1500, 3, 2)).importance, one);
}

// Of one row each shard has nothing to permute; the rows of all shards have.
TEST_F(TrainOptionsTest, TellsWhichColumnsMatterWhenShardsAreSmall) {
  config_.train.epochs = 12;
  config_.train.optimizer = Choice{"adam", {{"learning_rate", 0.02}}};
  config_.train.validation.importance_rows = 1;
  const Json one = RunToResult(1, Deal(1500, 1, 1)).importance;
  EXPECT_GT(one["columns"][0]["worse"].get<double>(), 0.01) << Dump(one);
  Fresh("three");
  EXPECT_EQ(RunToResult(3, Deal(1500, 3, 2)).importance, one);
}

TEST_F(TrainOptionsTest, LooksAtFewerRowsWhenAsked) {
  config_.train.validation.importance_rows = 40;
  config_.train.metrics = {"r2"};
  config_.train.best = "r2";
  const TrainResult some = RunToResult(2, Deal(700, 2, 0));
  EXPECT_EQ(some.importance["rows"], 40);
  const Json most = some.importance["columns"][0];
  EXPECT_DOUBLE_EQ(most["worse"].get<double>(),
                   some.importance["value"].get<double>() - most["value"].get<double>());
  Fresh("none");
  config_.train.validation.importance_rows = 0;
  const TrainResult none = RunToResult(2, Deal(700, 2, 0));
  EXPECT_TRUE(none.importance.is_null());
  EXPECT_EQ(none.weights_sha256, some.weights_sha256);
  Fresh("unvalidated");
  config_.held_out.clear();
  EXPECT_TRUE(RunToResult(2, Deal(700, 2, 0)).importance.is_null());
}

}  // namespace
}  // namespace protium
