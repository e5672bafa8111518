// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::HasSubstr;

class CheckpointWriters : public testing::Test {
 protected:
  CheckpointWriters() : values_(1 << 20) {}
  CheckpointFolder Open() { return CheckpointFolder::Open(path_).ValueOrDie(); }
  // A checkpoint whose tensors all hold the number of their step.
  Status Write(CheckpointWriter& writer, int64_t step, int64_t best = 0) {
    std::fill(values_.begin(), values_.end(), float(step));
    CheckpointState state{.step = step};
    if (best > 0) {
      state.best = {.epoch = 1, .step = best, .file = CheckpointFolder::BestFile(best)};
    }
    const std::vector<NamedTensor> tensors = {
        {"w", "F32", {int64_t(values_.size())}, std::as_bytes(std::span(values_))},
        {"empty", "F32", {0}, {}}};
    const Status status = writer.Write(state, tensors, tensors);
    // Training continues and changes them while they are written.
    std::fill(values_.begin(), values_.end(), -1.0f);
    return status;
  }
  Checkpoint Newest() {
    std::vector<Status> damaged;
    auto newest = Open().Newest(damaged).ValueOrDie();
    EXPECT_TRUE(damaged.empty()) << damaged.front();
    return *std::move(newest);
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path path_ = folder_.path() / "run";
  std::vector<float> values_;
};

TEST_F(CheckpointWriters, WriteWhatWasHandedOver) {
  std::vector<int64_t> steps;
  {
    CheckpointWriter writer(Open(), 2);
    EXPECT_TRUE(writer.idle());
    for (const int64_t step : {3, 5, 8}) {
      ASSERT_TRUE(Write(writer, step).ok());
      for (const auto& each : writer.TakeWritten().ValueOrDie()) steps.push_back(each.state.step);
    }
    for (const auto& each : writer.Finish().ValueOrDie()) steps.push_back(each.state.step);
    EXPECT_TRUE(writer.idle());
    EXPECT_TRUE(writer.Finish().ValueOrDie().empty());
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{3, 5, 8}));
  const Checkpoint newest = Newest();
  EXPECT_EQ(newest.state.step, 8);
  const NamedTensor* const tensor = newest.weights.Find("w");
  ASSERT_NE(tensor, nullptr);
  float last = 0;
  std::memcpy(&last, tensor->data.data() + tensor->data.size() - sizeof(float), sizeof(float));
  EXPECT_EQ(last, 8);
}

// A state is handed over before the hash of the previous best weights is known.
TEST_F(CheckpointWriters, CarryTheHashOfTheBest) {
  CheckpointWriter writer(Open(), 2);
  for (const int64_t step : {1, 2, 3}) ASSERT_TRUE(Write(writer, step, 1).ok());
  const auto written = writer.Finish().ValueOrDie();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(written[2].state.best.xxh3, written[0].state.weights_xxh3);
  EXPECT_EQ(Newest().state.best.xxh3, written[0].state.weights_xxh3);
}

// As after epochs that are too short to leave a checkpoint each.
TEST_F(CheckpointWriters, WriteTheBestThatWasKeptWithTheNextOne) {
  const auto keep = [&](CheckpointWriter& writer, int64_t step) {
    std::fill(values_.begin(), values_.end(), float(step));
    const std::vector<NamedTensor> tensors = {
        {"w", "F32", {int64_t(values_.size())}, std::as_bytes(std::span(values_))}};
    ASSERT_TRUE(writer.KeepBest(step, tensors).ok());
    std::fill(values_.begin(), values_.end(), -1.0f);
  };
  CheckpointWriter writer(Open(), 2);
  ASSERT_TRUE(Write(writer, 1, 1).ok());
  keep(writer, 2);
  keep(writer, 3);
  ASSERT_TRUE(Write(writer, 4, 3).ok());
  ASSERT_TRUE(Write(writer, 5, 3).ok());
  const auto written = writer.Finish().ValueOrDie();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(written[2].state.best.xxh3, written[1].state.best.xxh3);
  const auto best = Safetensors::Read(path_ / CheckpointFolder::BestFile(3)).ValueOrDie();
  EXPECT_EQ(WeightsXxh3(best.tensors()), written[1].state.best.xxh3);
  float first = 0;
  std::memcpy(&first, best.Find("w")->data.data(), sizeof(float));
  EXPECT_EQ(first, 3);
  // Newest() compares the best weights with their hash.
  EXPECT_EQ(Newest().state.best.step, 3);
}

// The remembered weights are no longer the best when the next checkpoint comes.
TEST_F(CheckpointWriters, ForgetTheBestThatWasKeptWhereThereIsABetterOne) {
  CheckpointWriter writer(Open(), 2);
  const std::vector<NamedTensor> tensors = {{"empty", "F32", {0}, {}}};
  ASSERT_TRUE(writer.KeepBest(2, tensors).ok());
  ASSERT_TRUE(Write(writer, 3, 3).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_FALSE(std::filesystem::exists(path_ / CheckpointFolder::BestFile(2)));
  EXPECT_EQ(Newest().state.best.step, 3);
}

TEST_F(CheckpointWriters, EndWithTheOneInFlight) {
  { ASSERT_TRUE(Write(*std::make_unique<CheckpointWriter>(Open(), 1), 4).ok()); }
  EXPECT_EQ(Newest().state.step, 4);
}

TEST_F(CheckpointWriters, TellAFailureFromThenOn) {
  CheckpointWriter writer(Open(), 2);
  ASSERT_TRUE(Write(writer, 1).ok());
  ASSERT_TRUE(writer.Finish().ok());
  (void)Open();  // Another attempt takes over.
  ASSERT_TRUE(Write(writer, 2).ok());
  const Status failed = writer.Finish().status();
  EXPECT_THAT(FaultOf(failed).what, HasSubstr("attempt 2 has taken over"));
  EXPECT_THAT(FaultOf(failed).kept, HasSubstr("step-000000001"));
  EXPECT_EQ(writer.TakeWritten().status(), failed);
  EXPECT_EQ(Write(writer, 3), failed);
  EXPECT_FALSE(writer.idle());
}

}  // namespace
}  // namespace protium
