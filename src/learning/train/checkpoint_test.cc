// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::HasSubstr;

const float kValues[3] = {1, 2, 3};

std::vector<NamedTensor> Tensors() {
  return {{"w", "F32", {3}, std::as_bytes(std::span(kValues))}};
}

class Checkpoints : public testing::Test {
 protected:
  CheckpointFolder Open() { return CheckpointFolder::Open(path_).ValueOrDie(); }
  static Status Write(CheckpointFolder& folder, int64_t step, int64_t best = 0) {
    CheckpointState state{.step = step};
    if (best > 0) {
      state.best = {1, best, 0.5, {}, CheckpointFolder::BestFile(best), WeightsXxh3(Tensors())};
    }
    return folder.Write(state, Tensors(), Tensors(), 2).status();
  }
  int64_t NewestStep(const CheckpointFolder& folder) {
    damaged_.clear();
    const auto newest = folder.Newest(damaged_).ValueOrDie();
    return newest ? newest->state.step : -1;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path path_ = folder_.path() / "run";
  std::vector<Status> damaged_;
};

TEST_F(Checkpoints, GiveBackTheNewest) {
  auto folder = Open();
  EXPECT_EQ(NewestStep(folder), -1);
  for (const int64_t step : {9, 10, 11}) ASSERT_TRUE(Write(folder, step).ok());
  EXPECT_EQ(NewestStep(folder), 11);
  EXPECT_FALSE(std::filesystem::exists(path_ / "step-000000009"));
  EXPECT_TRUE(std::filesystem::exists(path_ / "step-000000010"));
}

TEST_F(Checkpoints, OfAnOlderAttemptAreRefused) {
  auto old = Open();
  ASSERT_TRUE(Write(old, 1).ok());
  auto fresh = Open();
  EXPECT_THAT(FaultOf(Write(old, 2)).what, HasSubstr("attempt 2 has taken over"));
  ASSERT_TRUE(Write(fresh, 3).ok());
  EXPECT_EQ(NewestStep(fresh), 3);
}

TEST_F(Checkpoints, ThatAreDamagedGiveWayToTheOneBefore) {
  auto folder = Open();
  ASSERT_TRUE(Write(folder, 1).ok());
  ASSERT_TRUE(Write(folder, 2).ok());
  std::filesystem::resize_file(path_ / "step-000000002" / "weights.safetensors", 50);
  EXPECT_EQ(NewestStep(folder), 1);
  ASSERT_EQ(damaged_.size(), 1u);
  EXPECT_THAT(FaultOf(damaged_[0]).what, HasSubstr("step-000000002"));
  ASSERT_TRUE(Write(folder, 1).ok());
  EXPECT_FALSE(std::filesystem::exists(path_ / "step-000000002"));
  EXPECT_EQ(NewestStep(folder), 1);
}

// Flips one bit near the end of a file, where the numbers are.
void Damage(const std::filesystem::path& file) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(-3, std::ios::end);
  const char byte = char(stream.peek() ^ 1);
  stream.seekp(-3, std::ios::end);
  stream.put(byte);
}

TEST_F(Checkpoints, OfWhichOneBitChangedGiveWayToTheOneBefore) {
  for (const char* name : {"weights.safetensors", "optimizer.safetensors"}) {
    auto folder = Open();
    for (const int64_t step : {1, 2}) ASSERT_TRUE(Write(folder, step).ok());
    Damage(path_ / "step-000000002" / name);
    EXPECT_EQ(NewestStep(folder), 1) << name;
    ASSERT_EQ(damaged_.size(), 1u);
    EXPECT_THAT(FaultOf(damaged_[0]).what, HasSubstr(name));
  }
}

TEST_F(Checkpoints, OfWhichTheStateChangedGiveWayToTheOneBefore) {
  auto folder = Open();
  for (const int64_t step : {1, 2}) ASSERT_TRUE(Write(folder, step).ok());
  const auto file = path_ / "step-000000002" / "state.json";
  std::string text = *ReadFile(file);
  text.replace(text.find("\"epoch_step\": 0"), 15, "\"epoch_step\": 3");
  ASSERT_TRUE(WriteFile(file, text).ok());
  EXPECT_EQ(NewestStep(folder), 1);
  ASSERT_EQ(damaged_.size(), 1u);
  EXPECT_THAT(FaultOf(damaged_[0]).what, HasSubstr("state.json is damaged"));
}

TEST_F(Checkpoints, WhoseBestWeightsChangedGiveWayToTheOneBefore) {
  auto folder = Open();
  for (const int64_t step : {1, 2}) ASSERT_TRUE(Write(folder, step, step).ok());
  Damage(path_ / CheckpointFolder::BestFile(2));
  EXPECT_EQ(NewestStep(folder), 1);
}

TEST_F(Checkpoints, WhoseBestWeightsAreLostGiveWayToAnOlderOneThatHasItsOwn) {
  auto folder = Open();
  ASSERT_TRUE(Write(folder, 1, 1).ok());
  ASSERT_TRUE(Write(folder, 2, 2).ok());
  Damage(path_ / CheckpointFolder::BestFile(2));
  EXPECT_EQ(NewestStep(folder), 1) << "from there the best weights are computed again";
  ASSERT_EQ(damaged_.size(), 1u);
}

TEST_F(Checkpoints, AreTakenWithoutTheirBestWeightsWhereAllHaveLostThem) {
  auto folder = Open();
  for (const int64_t step : {1, 2, 3}) ASSERT_TRUE(Write(folder, step, 1).ok());
  Damage(path_ / CheckpointFolder::BestFile(1));
  const auto newest = folder.Newest(damaged_).ValueOrDie();
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->state.step, 3);
  EXPECT_THAT(damaged_, testing::IsEmpty());
  EXPECT_THAT(FaultOf(newest->best).what, HasSubstr("step-000000001.safetensors is damaged"));
}

TEST_F(Checkpoints, FindTheirBestWeightsInTheCheckpointOfTheirStep) {
  auto folder = Open();
  for (const int64_t step : {1, 2}) ASSERT_TRUE(Write(folder, step, 1).ok());
  const auto best = path_ / CheckpointFolder::BestFile(1);
  std::filesystem::remove(best);
  const auto newest = folder.Newest(damaged_).ValueOrDie();
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->state.step, 2);
  EXPECT_TRUE(newest->best.ok());
  EXPECT_TRUE(std::filesystem::exists(best));
}

TEST_F(Checkpoints, ThatAreLeftCanBecomeTheBest) {
  auto folder = Open();
  for (const int64_t step : {2, 3}) ASSERT_TRUE(Write(folder, step, 1).ok());
  std::vector<int64_t> steps;
  for (const CheckpointState& each : folder.ListIntact()) steps.push_back(each.step);
  EXPECT_THAT(steps, testing::ElementsAre(2, 3));
  ASSERT_TRUE(folder.KeepAsBest(3).ok());
  EXPECT_TRUE(Safetensors::Read(path_ / CheckpointFolder::BestFile(3)).ok());
}

TEST_F(Checkpoints, WrittenAgainAlwaysHaveTheirBestWeights) {
  auto folder = Open();
  ASSERT_TRUE(Write(folder, 1, 1).ok());
  std::atomic<int> missing = 0;
  {
    const std::jthread reader([&](const std::stop_token& stop) {
      const auto best = path_ / CheckpointFolder::BestFile(1);
      while (!stop.stop_requested()) missing += std::filesystem::exists(best) ? 0 : 1;
    });
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(Write(folder, 1, 1).ok());
  }
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(NewestStep(folder), 1);
}

TEST_F(Checkpoints, HalfWrittenOnesAreRemovedAtTheNextStart) {
  ASSERT_TRUE(MakeFolder(path_ / "step-000000007.partial").ok());
  auto folder = Open();
  EXPECT_FALSE(std::filesystem::exists(path_ / "step-000000007.partial"));
  EXPECT_EQ(NewestStep(folder), -1);
}

TEST_F(Checkpoints, KeepTheBestWeightsThatTheyName) {
  auto folder = Open();
  for (const int64_t step : {1, 2}) ASSERT_TRUE(Write(folder, step, step).ok());
  const auto exists = [&](int64_t step) {
    return std::filesystem::exists(path_ / CheckpointFolder::BestFile(step));
  };
  EXPECT_TRUE(exists(1) && exists(2));
  for (const int64_t step : {3, 4}) ASSERT_TRUE(Write(folder, step, 2).ok());
  EXPECT_FALSE(exists(1));
  EXPECT_TRUE(exists(2));
  EXPECT_FALSE(std::filesystem::exists(path_ / "step-000000002"));
  EXPECT_TRUE(Safetensors::Read(path_ / CheckpointFolder::BestFile(2)).ok());
}

TEST(Resumable, NamesWhatChanged) {
  const Json then = {{"shards", 4}, {"rows", {{10, "aa"}, {9, "bb"}}}};
  Json now = then;
  EXPECT_TRUE(Resumable(then, now, "x").ok());
  now["rows"] = {{10, "aa"}, {8, "cc"}};
  EXPECT_EQ(FaultOf(Resumable(then, now, "x")).what,
            "input changed: the checkpoint was made with 19 rows, now there are 18");
  now["rows"] = {{10, "aa"}, {9, "cc"}};
  EXPECT_THAT(FaultOf(Resumable(then, now, "x")).what, HasSubstr("19 with other content"));
  now["shards"] = 5;
  EXPECT_EQ(FaultOf(Resumable(then, now, "x")).why, "shards was 4, now it is 5");
}

TEST(Resumable, RefusesACheckpointOfOtherArithmeticAndSaysWhatDiffers) {
  const Json then = {{"fingerprint", {{"torch", "2.11.0"}, {"device", "cpu"}}}};
  Json now = then;
  now["fingerprint"]["arithmetic"] = 2;
  const Fault fault = FaultOf(Resumable(then, now, "x"));
  EXPECT_EQ(fault.what, "fingerprint changed since the checkpoint");
  EXPECT_EQ(fault.why, "arithmetic was null, now it is 2");
}

}  // namespace
}  // namespace protium
