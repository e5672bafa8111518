// SPDX-License-Identifier: Apache-2.0
// Trainings by name, in a store of their own; checkpoints are written as ranks write them.
#include "model/kept_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "format/safetensors.h"
#include "os/file.h"
#include "os/temporary_folder.h"
#include "store/local_store.h"
#include "store/testing/flip.h"
#include "train/checkpoint.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class KeptTraining : public testing::Test {
 protected:
  TrainingPlace Place(const std::string& run) {
    fs::create_directories(folder_.path() / run);
    return {store_, folder_.path() / run};
  }
  // One epoch of a run: whatever it continues, and a checkpoint after it. Its weights are `value`.
  void Train(const std::string& run, float value, int64_t best_step = 0) {
    auto folder = CheckpointFolder::Open(Place(run).run / "checkpoints").ValueOrDie();
    std::vector<Status> damaged;
    const auto newest = folder.Newest(damaged).ValueOrDie();
    ASSERT_TRUE(damaged.empty());
    CheckpointState state = newest ? newest->state : CheckpointState();
    ++state.epoch;
    state.step += 10;
    if (best_step == 0) best_step = state.step;
    if (best_step == state.step) {
      state.best = {state.epoch, state.step, 0.5, {}, CheckpointFolder::BestFile(state.step), ""};
    }
    const float values[2] = {value, value};
    const NamedTensor tensor{"w", "F32", {2}, std::as_bytes(std::span(values))};
    ASSERT_TRUE(folder.Write(state, {{tensor}}, {{tensor}}, 3).ok());
  }
  ContinuedTraining Continue(const std::string& run) {
    auto continued = ContinueTraining(Place(run), "daily");
    EXPECT_TRUE(continued.ok()) << continued.status();
    return continued.ok() ? *continued : ContinuedTraining();
  }
  std::string Keep(const std::string& run, ContinuedTraining& continued) {
    const auto kept = KeepTraining(Place(run), continued, {});
    EXPECT_TRUE(kept.ok()) << kept.status();
    return kept.ValueOr("failed");
  }
  // A whole run.
  ContinuedTraining Run(const std::string& run, float value) {
    ContinuedTraining continued = Continue(run);
    Train(run, value);
    EXPECT_EQ(Keep(run, continued), "");
    return continued;
  }
  size_t Objects() { return LocalStore::Open({.folder = store_}).ValueOrDie()->List().size(); }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  fs::path store_ = folder_.path() / "store";
};

TEST_F(KeptTraining, EachRunContinuesWhereTheOneBeforeEnded) {
  EXPECT_EQ(Run("first", 1).version, 1);
  ContinuedTraining second = Continue("second");
  EXPECT_EQ(second.made, 1);
  EXPECT_EQ(second.run, "first");
  for (const char* file : {"state.json", "weights.safetensors", "optimizer.safetensors"}) {
    const fs::path path = fs::path("checkpoints/step-000000010") / file;
    EXPECT_EQ(ReadFile(Place("second").run / path).ValueOrDie(),
              ReadFile(Place("first").run / path).ValueOrDie());
  }
  Train("second", 2);
  EXPECT_EQ(Keep("second", second), "");
  EXPECT_EQ(second.version, 2);
  EXPECT_EQ(Continue("third").made, 2);
  // Only the newest one is kept.
  EXPECT_EQ(Objects(), 1u);
}

TEST_F(KeptTraining, OfTwoRunsAtTheSameTimeTheSecondKeepsNothing) {
  ContinuedTraining slow = Continue("slow");
  Run("quick", 1);
  Train("slow", 2);
  EXPECT_EQ(Keep("slow", slow), "quick");
  EXPECT_EQ(Continue("next").run, "quick");
}

TEST_F(KeptTraining, AResumedRunGoesOnWithItsOwn) {
  Run("first", 1);
  ContinuedTraining slow = Continue("slow");
  Train("slow", 2);
  Run("quick", 3);
  TrainingPlace again = Place("slow");
  again.resumed = true;
  const auto taken = ContinueTraining(again, "daily").ValueOrDie();
  EXPECT_EQ(taken.run, "first");
  EXPECT_EQ(taken.made, 1);
  EXPECT_TRUE(fs::exists(again.run / "checkpoints/step-000000020"));
  EXPECT_EQ(FaultOf(ContinueTraining(again, "other").status()).exit, Exit::kUsage);
}

TEST_F(KeptTraining, KeepingTheSameStateTwiceIsOneVersion) {
  ContinuedTraining first = Run("first", 1);
  EXPECT_EQ(Keep("first", first), "");
  EXPECT_EQ(first.version, 1);
}

TEST_F(KeptTraining, TheBestWeightsComeAlongAndAreThoseToBeginWith) {
  ContinuedTraining first = Continue("first");
  Train("first", 1);
  Train("first", 2, 10);  // Worse than the first epoch.
  ASSERT_EQ(Keep("first", first), "");
  Continue("second");
  EXPECT_TRUE(fs::exists(Place("second").run / "checkpoints/best/step-000000010.safetensors"));
  const fs::path copy = folder_.path() / "start.safetensors";
  const auto hash = CopyKeptWeights(store_, "daily", copy).ValueOrDie();
  EXPECT_EQ(hash, HashKeptWeights(store_, "daily").ValueOrDie());
  float value = 0;
  std::memcpy(&value, Safetensors::Read(copy)->tensors()[0].data.data(), sizeof value);
  EXPECT_EQ(value, 1);
  const Fault fault = FaultOf(HashKeptWeights(store_, "dayly").status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.fix, HasSubstr("daily"));
}

TEST_F(KeptTraining, WithFreshItBeginsAnewInPlaceOfWhatWasKept) {
  Run("first", 1);
  TrainingPlace fresh = Place("second");
  fresh.fresh = true;
  auto continued = ContinueTraining(fresh, "daily").ValueOrDie();
  EXPECT_EQ(continued.made, 0);
  EXPECT_FALSE(fs::exists(fresh.run / "checkpoints"));
  Train("second", 5);
  EXPECT_EQ(Keep("second", continued), "");
  EXPECT_EQ(Continue("third").run, "second");
}

TEST_F(KeptTraining, WhatIsGoneIsAFaultNotANewBeginning) {
  Run("first", 1);
  const auto store = LocalStore::Open({.folder = store_}).ValueOrDie();
  ASSERT_TRUE(store->Remove(store->List()[0].cause).ValueOrDie());
  const Fault fault = FaultOf(ContinueTraining(Place("second"), "daily").status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.fix, HasSubstr("protium cache rm daily"));
}

TEST_F(KeptTraining, AFlippedBitInAnyPartIsAFaultNotOtherWeights) {
  for (const char* part :
       {"best.safetensors", "optimizer.safetensors", "state.json", "weights.safetensors"}) {
    ContinuedTraining first = Continue("first");
    Train("first", 1);
    Train("first", 2, 10);
    ASSERT_EQ(Keep("first", first), "");
    const auto store = LocalStore::Open({.folder = store_}).ValueOrDie();
    const auto ref = store->refs().Get("training/daily").ValueOrDie();
    FlipBit(store->Find(ref->object).ValueOrDie()->Path(part));
    const Fault fault = FaultOf(ContinueTraining(Place("second"), "daily").status());
    EXPECT_EQ(fault.exit, Exit::kInput) << part;
    EXPECT_THAT(fault.what, HasSubstr("is damaged or gone")) << part;
    EXPECT_FALSE(CopyKeptWeights(store_, "daily", folder_.path() / "copy").ok()) << part;
    ASSERT_TRUE(store->refs().Drop("training/daily", ref->object).ValueOrDie());
    fs::remove_all(folder_.path() / "first");
  }
}

TEST_F(KeptTraining, ADamagedCheckpointIsNotKept) {
  ContinuedTraining first = Continue("first");
  Train("first", 1);
  fs::resize_file(Place("first").run / "checkpoints/step-000000010/optimizer.safetensors", 40);
  EXPECT_FALSE(KeepTraining(Place("first"), first, {}).ok());
  EXPECT_EQ(Objects(), 0u);
}

TEST_F(KeptTraining, WithoutAStoreItIsRefused) {
  store_.clear();
  const Fault fault = FaultOf(ContinueTraining(Place("first"), "daily").status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.where, "train.continues");
}

}  // namespace
}  // namespace protium
