// SPDX-License-Identifier: Apache-2.0
// A job whose ranks lease devices that a script makes up; the CPU computes in their place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "whole/flights.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

class Devices : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(script_)
        << "#!/bin/sh\necho '{\"name\": \"gpu\", \"addresses\": [\"0\", \"1\"]}'\n";
    fs::permissions(script_, fs::perms::owner_all);
  }

  std::vector<std::string> Command(const std::string& runs, int workers,
                                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> settings = {"gang.workers=" + std::to_string(workers),
                                         "gang.gpus_per_worker=1",
                                         "engine.discovery=" + script_.string()};
    settings.insert(settings.end(), more.begin(), more.end());
    std::vector<std::string> argv = FlightsCommand(scratch_, ExampleTables(3000), settings);
    *(std::find(argv.begin(), argv.end(), "--runs-dir") + 1) = (scratch_.path() / runs).string();
    return argv;
  }
  Outcome Run(const std::string& runs, int workers,
              const std::vector<std::string>& more = {}) const {
    Running command(Command(runs, workers, more), scratch_.path(), stand_in_);
    return command.Wait();
  }

  // The events so far of the only run in `runs`.
  static std::string EventText(const fs::path& runs) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(runs, ignored)) {
      if (entry.is_directory()) return ReadText(entry.path() / "events.jsonl");
    }
    return "";
  }

  // The content of the run's result.json.
  static Json Result(const Outcome& run) {
    const fs::path folder = run.json["folder"].get<std::string>();
    return *ParseJson(ReadText(folder / "result.json"));
  }

  const Scratch scratch_;
  const fs::path script_ = scratch_.path() / "two";
  const std::map<std::string, std::string> stand_in_ = {{"PROTIUM_DEVICE", "cpu"}};
};

}  // namespace

TEST_F(Devices, GiveTheSameModelAndPredictionsForOneAndTwoWorkers) {
  const Outcome one = Run("one", 1), two = Run("two_workers", 2);
  ASSERT_EQ(one.exit, 0) << one.err;
  ASSERT_EQ(two.exit, 0) << two.err;
  EXPECT_EQ(Result(one)["fingerprint"]["device"], "cpu in a device's place");
  EXPECT_EQ(ModelWeights(two, scratch_), ModelWeights(one, scratch_));
  EXPECT_EQ(two.json["metrics"], one.json["metrics"]);
}

// It continues by itself, with the same bits.
TEST_F(Devices, GoToARunOfAHigherPriorityAndComeBack) {
  const std::vector<std::string> more = {"train.epochs=60"};
  const Outcome alone = Run("alone", 2, more);
  ASSERT_EQ(alone.exit, 0) << alone.err;
  const fs::path runs = scratch_.path() / "low";
  Running low(Command("low", 2, more), scratch_.path(), stand_in_);
  ASSERT_TRUE(low.AwaitChange(
      runs, [&] { return EventText(runs).find("\"epoch\":2") != std::string::npos; }));
  const Outcome high = Run("high", 2, {"gang.priority=1"});
  ASSERT_EQ(high.exit, 0) << high.err;
  const Outcome ended = low.Wait();
  ASSERT_EQ(ended.exit, 0) << ended.err;
  EXPECT_EQ(ModelWeights(ended, scratch_), ModelWeights(alone, scratch_));
  const std::string events = EventText(runs);
  EXPECT_THAT(events, testing::HasSubstr("the gang pauses after this step: gang train of pid"));
  EXPECT_THAT(events, testing::HasSubstr("the gang continues: there is room again"));
  EXPECT_THAT(events, testing::Not(testing::HasSubstr("\"event\":\"restart\"")));
}

TEST_F(Devices, LeaveTheSameModelAfterAKill) {
  const std::vector<std::string> more = {"train.epochs=6", "train.checkpoint.every_steps=5"};
  const Outcome whole = Run("whole", 2, more);
  ASSERT_EQ(whole.exit, 0) << whole.err;
  const fs::path runs = scratch_.path() / "killed";
  Running command(Command("killed", 2, more), scratch_.path(), stand_in_);
  const auto trained = [&] {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(runs, ignored)) {
      if (entry.is_directory() && LastEventValue(entry.path(), "step") >= 12) return true;
    }
    return false;
  };
  ASSERT_TRUE(command.AwaitChange(runs, trained));
  command.Signal(SIGKILL);
  command.Wait();
  Running again({ProtiumCommand(), "resume", "last", "--json", "--runs-dir", runs.string()},
                scratch_.path(), stand_in_);
  const Outcome resumed = again.Wait();
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, scratch_), ModelWeights(whole, scratch_));
}

TEST_F(Devices, ScoreForASavedModelWhenAsked) {
  const Outcome run = Run("run", 2);
  ASSERT_EQ(run.exit, 0) << run.err;
  const fs::path output = scratch_.path() / "scored.parquet";
  Running predict({ProtiumCommand(), "predict", "--model", run.json["model"].get<std::string>(),
                   "--data", ExampleTables(500, 9), "--output", output.string(), "--gpus", "1"},
                  scratch_.path(),
                  {{"PROTIUM_DEVICE", "cpu"}, {"PROTIUM_DISCOVERY", script_.string()}});
  const Outcome scored = predict.Wait();
  EXPECT_EQ(scored.exit, 0) << scored.err;
  EXPECT_TRUE(fs::exists(output));
}

TEST_F(Devices, WithoutCudaAreRefusedBeforeAnythingStarts) {
  Running command(Command("leased", 1), scratch_.path());
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 4) << outcome.err;
  EXPECT_THAT(outcome.err, testing::HasSubstr("needs LibTorch with CUDA"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("PROTIUM_LIBTORCH"));
}

// Needed only by some nets; the flights job's own does not need it.
TEST_F(Devices, AreNotNeededToLoadTheLibTorchThatIsNamed) {
  const std::string net = R"(net={ name = "ft_transformer", width = 8, heads = 2, layers = 1 })";
  const auto run = [&](const fs::path& torch, const std::vector<std::string>& settings) {
    Running command(FlightsCommand(scratch_, ExampleTables(3000), settings), scratch_.path(),
                    {{"PROTIUM_LIBTORCH", torch.string()}});
    return command.Wait();
  };
  const Outcome outcome = run(Repository() / ".deps" / "py" / "torch", {net});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  // That it is loaded from there is shown by a failure to load it.
  const fs::path broken = scratch_.path() / "broken";
  fs::create_directories(broken);
  std::ofstream(broken / "libtorch_cpu.so") << "no library";
  EXPECT_EQ(run(broken, {}).exit, 0);
  const Outcome refused = run(broken, {net});
  EXPECT_EQ(refused.exit, 4) << refused.err;
  EXPECT_THAT(refused.err, testing::HasSubstr((broken / "libtorch_cpu.so").string()));
}

}  // namespace protium::whole
