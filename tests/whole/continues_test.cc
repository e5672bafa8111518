// SPDX-License-Identifier: Apache-2.0
// Trainings that go on from run to run, as a user sees them (train.continues).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "whole/live_run.h"
#include "whole/own_job.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string TreesJob() {
  std::string job = With(kMachinesJob, "torch_estimator", "tree_estimator");
  return With(job, "epochs = 2\nbatch_size = 64\n", "") + "[trees]\nrounds = 5\nleaves = 7\n";
}

class Continues : public testing::Test {
 protected:
  std::vector<std::string> Words(const std::string& runs, const std::vector<std::string>& sets) {
    std::vector<std::string> words = {ProtiumCommand(), "run",       own_ / "job.toml",
                                      "--runs-dir",     own_ / runs, "--json"};
    for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
    return words;
  }
  std::map<std::string, std::string> Store() { return {{"PROTIUM_STORE", own_ / "store"}}; }
  Outcome Protium(std::vector<std::string> words) {
    words.insert(words.begin(), ProtiumCommand());
    Running command(words, own_.path(), Store());
    return command.Wait();
  }
  Outcome Run(const std::vector<std::string>& sets) {
    Running command(Words("runs", sets), own_.path(), Store());
    return command.Wait();
  }
  Outcome Daily(std::vector<std::string> sets = {}) {
    sets.push_back("train.continues=daily");
    sets.push_back("train.epochs=1");
    return Run(sets);
  }
  // What result.json says of it.
  static Json Continued(const Outcome& run) {
    EXPECT_EQ(run.exit, 0) << run.err;
    if (run.exit != 0) return Json::object();
    const fs::path folder = run.json["folder"].get<std::string>();
    return Json::parse(ReadText(folder / "result.json"))["continues"];
  }
  std::string Weights(const Outcome& run) {
    return run.exit == 0 ? ReadWeightsHash(run.json["model"].get<std::string>(), own_.path()) : "";
  }

  OwnJob own_;
};

TEST_F(Continues, ThreeRunsOfAnEpochAreOneOfThree) {
  const Outcome whole = Run({"train.epochs=3"});
  ASSERT_EQ(whole.exit, 0) << whole.err;
  const Outcome first = Daily();
  ASSERT_EQ(first.exit, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("daily begins anew: nothing is kept under this name yet"));
  EXPECT_THAT(first.err, HasSubstr("kept as daily, version 1"));
  const Outcome second = Daily({"gang.workers=2"});
  EXPECT_THAT(second.err, HasSubstr("continues daily after 1 epoch, kept by " +
                                    first.json["run"].get<std::string>()));
  const Outcome third = Daily();
  ASSERT_EQ(third.exit, 0) << third.err;
  EXPECT_EQ(Continued(third)["after"], 2);
  EXPECT_EQ(Continued(third)["version"], 3);
  EXPECT_NE(Weights(first), Weights(whole));
  EXPECT_FALSE(Weights(whole).empty());
  EXPECT_EQ(Weights(third), Weights(whole));
  EXPECT_EQ(third.json["metrics"], whole.json["metrics"]);
}

TEST_F(Continues, TreesAsWell) {
  own_.Write("job.toml", TreesJob());
  const Outcome whole = Run({"trees.rounds=15"});
  ASSERT_EQ(whole.exit, 0) << whole.err;
  Outcome last;
  for (int run = 0; run < 3; ++run) last = Run({"train.continues=forest"});
  ASSERT_EQ(last.exit, 0) << last.err;
  EXPECT_THAT(last.err, HasSubstr("continues forest after 10 rounds"));
  EXPECT_FALSE(Weights(whole).empty());
  EXPECT_EQ(Weights(last), Weights(whole));
}

TEST_F(Continues, OfTwoAtTheSameTimeTheSecondKeepsItsModelInItsRun) {
  const std::string first = Daily().json["run"];
  Running slow(Words("slow", {"train.continues=daily", "train.epochs=600"}), own_.path(), Store());
  ASSERT_TRUE(slow.AwaitChange(own_ / "slow", [&] {
    const fs::path run = OnlyRun(own_ / "slow");
    return !run.empty() && fs::exists(run / "continues.json");
  }));
  const Outcome quick = Daily();
  ASSERT_EQ(quick.exit, 0) << quick.err;
  EXPECT_EQ(Continued(quick)["from"], first);
  const Outcome ended = slow.Wait();
  ASSERT_EQ(ended.exit, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("is not kept as daily: " + quick.json["run"].get<std::string>() +
                                   " has kept its own"));
  EXPECT_FALSE(Weights(ended).empty());
  EXPECT_EQ(Continued(ended)["version"], nullptr);
  EXPECT_EQ(Continued(Daily())["from"], quick.json["run"]);
}

TEST_F(Continues, AKilledRunIsResumedAndKeepsWhatItWouldHaveKept) {
  const Outcome whole = Run({"train.epochs=301"});
  ASSERT_EQ(whole.exit, 0) << whole.err;
  Daily();
  Running killed(Words("killed", {"train.continues=daily", "train.epochs=300",
                                  "train.checkpoint.every_steps=20"}),
                 own_.path(), Store());
  ASSERT_TRUE(killed.AwaitChange(own_ / "killed", [&] {
    const fs::path run = OnlyRun(own_ / "killed");
    return !run.empty() && LastEventValue(run, "step") > 100;
  }));
  killed.Signal(SIGKILL);
  killed.Wait();
  const Outcome resumed = Protium({"resume", OnlyRun(own_ / "killed"), "--json"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(Weights(resumed), Weights(whole));
  EXPECT_EQ(Continued(resumed)["after"], 1);
  EXPECT_EQ(Continued(resumed)["version"], 2);
  EXPECT_EQ(Continued(Daily())["after"], 301);
}

TEST_F(Continues, OtherOptionsOrRowsAreRefusedAndBeginWithTheWeightsAlone) {
  const std::string run = Daily().json["run"];
  const Outcome options = Daily({"train.seed=5"});
  EXPECT_EQ(options.exit, 3) << options.err;
  EXPECT_THAT(options.err, HasSubstr("seed was 0, now it is 5"));
  EXPECT_THAT(options.err, HasSubstr("daily was kept by " + run));
  own_.Write("machines.csv", MachinesTable(650));
  const Outcome rows = Daily();
  EXPECT_EQ(rows.exit, 3) << rows.err;
  EXPECT_THAT(rows.err, HasSubstr("train.from = \"kept:daily\""));
  const Outcome from = Run({"train.from=kept:daily", "train.epochs=1"});
  EXPECT_EQ(from.exit, 0) << from.err;
  const Outcome plain = Run({"train.epochs=1"});
  EXPECT_NE(Weights(from), Weights(plain));
  const Outcome unknown = Run({"train.from=kept:dayly"});
  EXPECT_EQ(unknown.exit, 3) << unknown.err;
  EXPECT_THAT(unknown.err, HasSubstr("daily"));
}

TEST_F(Continues, WhatHasNoEndIsRefusedBeforeAnythingRuns) {
  for (const auto& [set, said] :
       {std::pair{"train.schedule=cosine", "the schedule \"cosine\" depends on the number"},
        std::pair{"train.from=kept:daily", "cannot both continue daily and begin"},
        std::pair{"folds.k=3", "a search does not continue"}}) {
    const Outcome refused = Daily({set});
    EXPECT_EQ(refused.exit, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(said));
  }
  EXPECT_THAT(Run({"train.continues=a/b"}).err, HasSubstr("letters, digits"));
  const Outcome off = own_.Run({"--set", "train.continues=daily"});
  EXPECT_EQ(off.exit, 2) << off.err;
  EXPECT_THAT(off.err, HasSubstr("PROTIUM_STORE"));
}

TEST_F(Continues, WhatHasANameIsListedAndRemovedByItAlone) {
  const std::string run = Daily().json["run"];
  EXPECT_THAT(Protium({"cache", "ls"}).out, HasSubstr("daily"));
  const Outcome all = Protium({"cache", "rm", "--all"});
  EXPECT_THAT(all.out, HasSubstr("daily remains: named objects are removed only by name"));
  EXPECT_THAT(Protium({"cache", "rm", run}).out, HasSubstr("daily remains"));
  EXPECT_EQ(Continued(Daily())["after"], 1);
  EXPECT_THAT(Protium({"cache", "rm", "daily"}).out, HasSubstr("1 object removed"));
  EXPECT_THAT(Daily().err, HasSubstr("daily begins anew"));
}

}  // namespace
}  // namespace protium::whole
