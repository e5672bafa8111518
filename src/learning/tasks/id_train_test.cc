// SPDX-License-Identifier: Apache-2.0
// Trainings of nets that have a row for each id.
#include <gmock/gmock.h>

#include <cstring>
#include <set>

#include "tasks/testing/train_task.h"
#include "tensor/id_tables.h"

namespace protium {
namespace {

class TrainsOnIds : public TrainTaskTest {
 protected:
  TrainsOnIds() {
    config_.net.categorical = {{.column = "c", .cardinality = 5},
                               {.column = "b", .cardinality = kAnyId}};
    config_.net.numeric = {"a"};
    config_.train.optimizer = Choice{"rowwise_adagrad", {{"learning_rate", 0.05}}};
  }
  std::string Trained(int32_t world, unsigned shuffle = 0) {
    Fresh("run" + std::to_string(++runs_));
    return RunToResult(world, Deal(700, world, shuffle)).weights_sha256;
  }

 private:
  int runs_ = 0;
};

TEST_F(TrainsOnIds, GiveTheSameWeightsForAnyWorkersAndOrderOfRows) {
  std::set<std::string> all;
  for (const char* optimizer : {"rowwise_adagrad", "sgd", "adam"}) {
    config_.train.optimizer = Choice{optimizer, {{"learning_rate", 0.02}}};
    const std::string one = Trained(1);
    all.insert(one);
    for (const int32_t world : {2, 3, 4}) EXPECT_EQ(Trained(world, unsigned(world)), one) << world;
  }
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(TrainsOnIds, GiveTheSameWeightsInLocalMode) {
  config_.train.mode = TrainMode::kLocal;
  config_.train.local.every = 3;
  EXPECT_EQ(Trained(3, 7), Trained(1));
}

TEST_F(TrainsOnIds, GiveTheSameWeightsWithClippingAndAverages) {
  config_.train.average = 0.9;
  config_.train.clip_norm = 0.3;
  const std::string exact = Trained(1);
  for (const int32_t world : {2, 3}) EXPECT_EQ(Trained(world, unsigned(world)), exact) << world;
  config_.train.mode = TrainMode::kLocal;
  config_.train.local = {.every = 3, .outer = {.momentum = 0.9, .rate = 0.7}};
  const std::string local = Trained(1);
  EXPECT_NE(local, exact);
  for (const int32_t world : {2, 3}) EXPECT_EQ(Trained(world, unsigned(world)), local) << world;
}

TEST_F(TrainsOnIds, GiveTheSameWeightsWithASharedOptimizerAndRoundedGradients) {
  const std::string whole = Trained(1);
  config_.train.share_optimizer = true;
  for (const int32_t world : {2, 3}) EXPECT_EQ(Trained(world, unsigned(world)), whole) << world;
  config_.train.gradients = Precision::kBfloat16;
  const std::string rounded = Trained(1);
  EXPECT_NE(rounded, whole);
  for (const int32_t world : {2, 4}) EXPECT_EQ(Trained(world, unsigned(world)), rounded) << world;
}

TEST_F(TrainsOnIds, GoOnInLocalModeAfterAStop) {
  config_.train.mode = TrainMode::kLocal;
  config_.train.local.every = 3;
  config_.train.epochs = 4;
  const std::string whole = Trained(2);
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  RunAndStop(2, Deal(700, 2, 0), 3);
  config_.resume = true;
  EXPECT_EQ(RunToResult(3, Deal(700, 3, 4)).weights_sha256, whole);
}

TEST_F(TrainsOnIds, GoOnAfterAStopInMidEpochWithTheSameBits) {
  const std::string whole = Trained(2);
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  const int64_t stopped = RunAndStop(2, Deal(700, 2, 0), 3);
  config_.resume = true;
  EXPECT_EQ(RunToResult(3, Deal(700, 3, 4)).weights_sha256, whole);
  EXPECT_EQ(Events("train_start")[0]["step"], stopped);
}

// 17 values of b, of which the training rows have all.
TEST_F(TrainsOnIds, StoreARowForEachIdOfTheTrainingRows) {
  const TrainResult result = RunToResult(2, Deal(700, 2, 0));
  const Safetensors file = Safetensors::Read(result.weights).ValueOrDie();
  const auto ids = IdTables::Read(file, 1, "").ValueOrDie();
  EXPECT_EQ(ids->seed, 5u);
  ASSERT_EQ(ids->columns[0].count(), 17);
  for (uint64_t b = 0; b < 17; ++b) EXPECT_EQ(ids->columns[0].Find(b), int32_t(b));
  EXPECT_EQ(file.Find("embedding.1.weight")->shape, (std::vector<int64_t>{17, 16}));
}

// A model that the next training begins with.
struct Learned {
  Safetensors file;
  std::shared_ptr<const IdTables> ids;
  std::vector<float> Row(uint64_t id) const {
    const NamedTensor* const table = file.Find("embedding.1.weight");
    std::vector<float> row(size_t(table->shape[1]));
    const auto at = size_t(ids->columns[0].Find(id)) * row.size() * sizeof(float);
    std::memcpy(row.data(), table->data.data() + at, row.size() * sizeof(float));
    return row;
  }
};

class BeginsWithIds : public TrainsOnIds {
 protected:
  Learned Learn(int32_t world, int rows) {
    const TrainResult result = RunOn(world, rows);
    Safetensors file = Safetensors::Read(result.weights).ValueOrDie();
    auto ids = IdTables::Read(file, 1, "").ValueOrDie();
    return {std::move(file), std::move(ids)};
  }
  // The next training begins with the model of this one, which has made so many epochs.
  void Begin(int32_t world, int rows, int64_t epochs) {
    const TrainResult result = RunOn(world, rows);
    config_.train.from.model = "the model";
    config_.train.from.weights = result.weights;
    config_.train.from.sha256 = result.weights_sha256;
    config_.train.from.epochs = epochs;
  }
  void Freeze() { config_.train.parameters = {{.name = "*", .rate = 0}}; }
  std::string LastNote() {
    const auto notes = Events("note");
    return notes.empty() ? "" : notes.back()["message"].get<std::string>();
  }

 private:
  TrainResult RunOn(int32_t world, int rows) {
    Fresh("learned" + std::to_string(++learned_));
    return RunToResult(world, Deal(rows, world, 0));
  }
  int learned_ = 0;
};

// Ten rows have nine ids in training, seven hundred all seventeen.
TEST_F(BeginsWithIds, GoOnWithTheRowsOfAModelAndBeginTheOthers) {
  const Learned model = Learn(2, 10);
  Freeze();
  const Learned fresh = Learn(1, 700);
  config_.train.parameters = {};
  Begin(2, 10, 2);
  Freeze();
  const Learned begun = Learn(3, 700);
  ASSERT_EQ(begun.ids->columns[0].count(), 17);
  int64_t continued = 0;
  for (const uint64_t id : begun.ids->columns[0].ids()) {
    const bool known = model.ids->columns[0].Find(id) != kUnseenId;
    EXPECT_EQ(begun.Row(id), known ? model.Row(id) : fresh.Row(id)) << id;
    if (known) {
      EXPECT_NE(model.Row(id), fresh.Row(id)) << id;
    }
    continued += known ? 1 : 0;
  }
  EXPECT_EQ(LastNote(), "ids: " + std::to_string(continued) +
                            " go on with the rows of the model, " + std::to_string(17 - continued) +
                            " begin");
  const NamedTensor* const dense = begun.file.Find("dense.0.weight");
  EXPECT_TRUE(std::ranges::equal(dense->data, model.file.Find("dense.0.weight")->data));
}

TEST_F(BeginsWithIds, KeepRowsThatNoRowHasUntilTheyExpire) {
  Begin(1, 700, 2);
  const Learned second = Learn(2, 10);
  EXPECT_EQ(second.ids->columns[0].count(), 17);
  ASSERT_EQ(second.ids->unread.size(), 1u);
  const int64_t read = std::ranges::count(second.ids->unread[0], 0);
  EXPECT_EQ(std::ranges::count(second.ids->unread[0], 1), 17 - read);
  // The second one makes two epochs without the others.
  Begin(2, 10, 2);
  const Learned third = Learn(1, 10);
  EXPECT_EQ(std::ranges::count(third.ids->unread[0], 3), 17 - read);
  config_.train.from.expire_epochs = 3;
  EXPECT_EQ(Learn(1, 10).ids->columns[0].count(), 17);
  config_.train.from.expire_epochs = 2;
  EXPECT_EQ(Learn(1, 10).ids->columns[0].count(), read);
  EXPECT_EQ(LastNote(), "ids: " + std::to_string(read) +
                            " go on with the rows of the model, 0 begin, " +
                            std::to_string(17 - read) + " have expired");
}

TEST_F(BeginsWithIds, GiveTheSameWeightsForAnyWorkersAndAfterAStop) {
  Begin(1, 10, 2);
  const std::string one = Trained(1);
  for (const int32_t world : {2, 3}) EXPECT_EQ(Trained(world, unsigned(world)), one) << world;
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  RunAndStop(2, Deal(700, 2, 0), 3);
  config_.resume = true;
  EXPECT_EQ(RunToResult(3, Deal(700, 3, 4)).weights_sha256, one);
}

// Other hosts may not see the file.
TEST_F(BeginsWithIds, GoOnWhereRank0AloneSeesTheModel) {
  Begin(1, 700, 2);
  Begin(1, 10, 2);
  const Learned seen = Learn(1, 10);
  of_rank_ = [](int32_t rank, TrainConfig& config) {
    if (rank != 0) config.train.from.weights = "/nowhere/start.safetensors";
  };
  const Learned unseen = Learn(3, 10);
  EXPECT_GT(std::ranges::max(seen.ids->unread[0]), 0);
  EXPECT_EQ(unseen.ids->unread, seen.ids->unread);
  EXPECT_EQ(WeightsSha256(unseen.file.tensors()), WeightsSha256(seen.file.tensors()));
}

// The model's rows of ids are left behind where only others of its parameters are taken.
TEST_F(BeginsWithIds, TakeSomeParametersAlone) {
  const Learned model = Learn(1, 10);
  Begin(1, 10, 2);
  config_.train.from.parameters = {"dense.*"};
  Freeze();
  const Learned begun = Learn(1, 700);
  EXPECT_TRUE(begun.ids->unread.empty());
  const NamedTensor* const dense = begun.file.Find("dense.0.weight");
  EXPECT_TRUE(std::ranges::equal(dense->data, model.file.Find("dense.0.weight")->data));
  const uint64_t known = model.ids->columns[0].ids().front();
  EXPECT_NE(begun.Row(known), model.Row(known));
}

TEST_F(BeginsWithIds, RefuseAModelWithoutIds) {
  config_.net.categorical.pop_back();
  Begin(1, 10, 2);
  config_.net.categorical.push_back({.column = "b", .cardinality = kAnyId});
  const Fault fault = FaultOf(Run(1, Deal(10, 1, 0)));
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_EQ(fault.what, "the ids of the net are missing: the model");
}

TEST_F(TrainsOnIds, LearnWhatIdsSay) {
  config_.train.epochs = 20;
  config_.train.batch_size = 32;
  const TrainResult result = RunToResult(1, Deal(2000, 1, 0));
  EXPECT_LT(result.validation["rmse"].get<double>(),
            result.history[0]["validation"]["rmse"].get<double>() / 2);
}

}  // namespace
}  // namespace protium
