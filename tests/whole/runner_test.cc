// SPDX-License-Identifier: Apache-2.0
// Functions as gangs: pt::Runner, in a user's own program (runner_program.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "whole/command.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

class Runners : public testing::Test {
 protected:
  Outcome Run(const std::vector<std::string>& settings, const std::string& engine = "local") {
    std::vector<std::string> argv = {
        PROTIUM_BINARIES "/runner_program", "run", "--engine", engine, "--runs-dir",
        (scratch_.path() / "runs").string()};
    for (const std::string& setting : settings) {
      argv.push_back("--set");
      argv.push_back(setting);
    }
    Running command(argv, scratch_.path());
    const Outcome outcome = command.Wait();
    EXPECT_THAT(command.Descendants(), testing::IsEmpty());
    return outcome;
  }
  std::string Table(int rows) {
    const fs::path path = scratch_.path() / "in.csv";
    std::ofstream out(path);
    out << "id\n";
    for (int i = 0; i < rows; ++i) out << i << "\n";
    return path.string();
  }
  // The first line of stdout.
  static Json Answer(const Outcome& outcome) {
    return ParseJson(outcome.out.substr(0, outcome.out.find('\n'))).ValueOr(Json());
  }

  Scratch scratch_;
};

TEST_F(Runners, GiveRankZerosValueAndTellEachRankWhereItIs) {
  const Outcome outcome = Run({"input=" + Table(1000)});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const Json told = Answer(outcome);
  ASSERT_EQ(told.size(), 3u) << outcome.out;
  int64_t rows = 0;
  for (size_t r = 0; r < told.size(); ++r) {
    EXPECT_EQ(told[r]["rank"], r);
    EXPECT_EQ(told[r]["world"], 3);
    EXPECT_EQ(told[r]["local_rank"], r);
    EXPECT_EQ(told[r]["local_world"], 3);
    EXPECT_EQ(told[r]["args"]["word"], "hello");
    rows += told[r]["rows"].get<int64_t>();
  }
  EXPECT_EQ(rows, 1000);
  for (const char* line : {"[0] a line\n", "[1] a line\n", "[2] a line\n"}) {
    EXPECT_THAT(outcome.err, HasSubstr(line));
  }
}

TEST_F(Runners, PrintTheLinesThatAreWanted) {
  const Outcome none = Run({"logs=none"});
  EXPECT_EQ(none.exit, 0) << none.err;
  EXPECT_THAT(none.err, testing::Not(HasSubstr("a line")));
  const Outcome first = Run({"logs=rank0", "workers=-2"});
  EXPECT_EQ(first.exit, 0) << first.err;
  EXPECT_EQ(Answer(first).size(), 2u);
  EXPECT_THAT(first.err, HasSubstr("[0] a line\n"));
  EXPECT_THAT(first.err, testing::Not(HasSubstr("[1]")));
}

TEST_F(Runners, FailAsGangsDoAndGoOnFromTheirFolder) {
  const Outcome refused = Run({"what=refuse"});
  EXPECT_EQ(refused.exit, 1);
  EXPECT_THAT(refused.err, HasSubstr("rank one does not want to"));
  EXPECT_THAT(refused.err, HasSubstr("rank 1 of 3"));
  const Outcome again = Run({"what=go on"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(Answer(again), 42);
  const Outcome unknown = Run({"what=tel"});
  EXPECT_NE(unknown.exit, 0);
  EXPECT_THAT(unknown.err, HasSubstr("no task is called \"tel\""));
}

TEST_F(Runners, ComputeTogether) {
  const Outcome outcome = Run({"what=mean"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(Answer(outcome), 1.0);
}

TEST_F(Runners, GiveTheRowsOfAllRanks) {
  const Outcome outcome = Run({"what=rows"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("3 batches\n"));
  const Outcome none = Run({"what=rank"});
  EXPECT_NE(none.exit, 0);
}

TEST_F(Runners, RunOnSparkOrOnTheDriversMachine) {
  const char* const address = std::getenv("PROTIUM_TEST_SPARK");
  if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
  for (const char* workers : {"workers=2", "workers=-2"}) {
    const Outcome outcome = Run({"input=" + Table(100), workers}, address);
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    const Json told = Answer(outcome);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0]["rows"].get<int64_t>() + told[1]["rows"].get<int64_t>(), 100);
    EXPECT_THAT(outcome.err, HasSubstr("[1] a line\n"));
  }
}

// The ranks of a barrier stage.
TEST_F(Runners, NameARankThatHangsOnSpark) {
  const char* const address = std::getenv("PROTIUM_TEST_SPARK");
  if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
  const Outcome outcome = Run({"what=hang", "workers=2"}, address);
  EXPECT_EQ(outcome.exit, 7) << outcome.err;
  EXPECT_THAT(outcome.err, ContainsRegex("warning  rank 1 on [^ ]+ has kept rank 0 waiting for "
                                         "[0-9.]+ s \\([0-9.]+ s in thought\\)"));
  EXPECT_THAT(outcome.err, ContainsRegex("error: rank 1 kept the others waiting for 3 seconds "
                                         "\\([0-9.]+ s in thought\\)"));
  EXPECT_THAT(outcome.err, HasSubstr("the task is at this moment in"));
  EXPECT_THAT(outcome.err, HasSubstr("pause"));
}

TEST_F(Runners, AreShownInThePlanAndNotRun) {
  Running command({PROTIUM_BINARIES "/runner_program", "plan", "--set", "workers=-2"},
                  scratch_.path());
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("tell"));
  EXPECT_THAT(outcome.out, HasSubstr("nothing was run"));
}

TEST_F(Runners, AreWhatTheExampleUses) {
  Running command({PROTIUM_BINARIES "/pi", "run", "--set", "darts=100000", "--runs-dir",
                   (scratch_.path() / "runs").string()},
                  scratch_.path());
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NEAR(Answer(outcome).value("pi", 0.0), 3.1416, 0.02);
  EXPECT_EQ(Answer(outcome)["ranks"], 4);
}

}  // namespace
}  // namespace protium::whole
