// SPDX-License-Identifier: Apache-2.0
// Jobs whose nets learn tables row by row: one set of weights for any gang, whatever happens to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/own_job.h"

namespace protium::whole {

using testing::HasSubstr;

namespace {

// The machines' numbers are a column of 3,000 categories.
class TableRun {
 public:
  explicit TableRun(const std::vector<std::string>& settings, const std::string& verb = "run")
      : command_(Command(scratch_, settings, verb), scratch_.path()) {}

  Running& command() { return command_; }
  const Scratch& scratch() const { return scratch_; }
  std::string Weights() {
    const Outcome run = command_.Wait();
    EXPECT_EQ(run.exit, 0) << run.err;
    return ModelWeights(run, scratch_);
  }

 private:
  static std::vector<std::string> Command(const Scratch& scratch,
                                          const std::vector<std::string>& settings,
                                          const std::string& verb) {
    std::ofstream(scratch.path() / "machines.csv") << MachinesTable(3000);
    std::ofstream(scratch.path() / "job.toml")
        << With(kMachinesJob, R"(inputs = ["kind"])", R"(inputs = ["kind", "id"])");
    std::vector<std::string> words = {ProtiumCommand(), verb,
                                      (scratch.path() / "job.toml").string()};
    if (verb == "run") {
      words.insert(words.end(), {"--json", "--runs-dir", (scratch.path() / "runs").string()});
    }
    for (const std::string& each : settings) words.insert(words.end(), {"--set", each});
    return words;
  }

  Scratch scratch_;
  Running command_;
};

std::vector<std::string> Settings(const std::string& workers) {
  return {"train.optimizer.name=rowwise_adagrad", "train.epochs=12",
          "train.checkpoint.every_steps=50", "gang.workers=" + workers, "gang.max_restarts=0"};
}

const std::string& Undisturbed() {
  static const std::string weights = TableRun(Settings("1")).Weights();
  return weights;
}

}  // namespace

TEST(TablesByRow, HaveOneSetOfWeightsInABendingGangThatLosesARank) {
  ASSERT_FALSE(Undisturbed().empty());
  TableRun run(Settings("{min=1,max=2}"));
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 60));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  EXPECT_EQ(run.Weights(), Undisturbed());
  EXPECT_FALSE(EventsNamed(run.scratch(), "gang_entered").empty());
}

TEST(TablesByRow, AreResumedToTheSameBits) {
  TableRun run(Settings("2"));
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 120));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  ASSERT_EQ(run.command().Wait().exit, 1);
  Running resume({ProtiumCommand(), "resume", OnlyRun(run.scratch()).string(), "--json"},
                 run.scratch().path());
  EXPECT_EQ(ModelWeights(resume.Wait(), run.scratch()), Undisturbed());
}

TEST(TablesByRow, AreAnnouncedByThePlanAndSoAreWholeOnes) {
  EXPECT_THAT(TableRun({"train.optimizer.name=adagrad"}, "plan").command().Wait().out,
              HasSubstr("adagrad updates only the rows that a step"));
  EXPECT_THAT(TableRun({"train.optimizer.name=adam"}, "plan").command().Wait().out,
              HasSubstr("adam updates all their rows in each step"));
}

}  // namespace protium::whole
