// SPDX-License-Identifier: Apache-2.0
// What one run keeps for the next, as a user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;
using testing::Not;

class Kept : public testing::Test {
 protected:
  Outcome Protium(std::vector<std::string> words) {
    words.insert(words.begin(), ProtiumCommand());
    Running command(words, own_.path(), {{"PROTIUM_STORE", own_ / "store"}});
    return command.Wait();
  }
  Outcome Run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"run", own_ / "job.toml", "--runs-dir", own_ / "runs",
                                      "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Protium(words);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return outcome;
  }
  std::string Weights(const Outcome& run) {
    return ReadWeightsHash(run.json["model"].get<std::string>(), own_.path());
  }
  std::string Why() {
    const Outcome why = Protium({"cache", "why", own_ / "job.toml"});
    EXPECT_EQ(why.exit, 0) << why.err;
    return why.out;
  }
  void ReplaceInJob(const std::string& from, const std::string& to) {
    std::string job = kMachinesJob;
    job.replace(job.find(from), from.size(), to);
    own_.Write("job.toml", job);
  }

  OwnJob own_;
};

TEST_F(Kept, TheSecondRunTakesTheRowsAndLearnsTheSameWeights) {
  const Outcome first = Run();
  EXPECT_THAT(first.err, HasSubstr("etl      600 rows"));
  const std::string run = first.json["run"].get<std::string>();
  const Outcome plan = Protium({"plan", own_ / "job.toml"});
  EXPECT_THAT(plan.out, HasSubstr("kept\n  etl  taken from " + run + ", 600 rows, "));
  const Outcome second = Run();
  EXPECT_THAT(second.err, HasSubstr("etl      kept from " + run + ", 600 rows  "));
  EXPECT_FALSE(Weights(first).empty());
  EXPECT_EQ(Weights(second), Weights(first));
  EXPECT_EQ(second.json["metrics"], first.json["metrics"]);
  EXPECT_THAT(Why(), HasSubstr("etl is taken from " + run));
  const Outcome fresh = Run({"--fresh"});
  EXPECT_THAT(fresh.err, Not(HasSubstr("kept from")));
  EXPECT_EQ(Weights(fresh), Weights(first));
  EXPECT_THAT(Why(), HasSubstr("etl is taken from " + fresh.json["run"].get<std::string>()));
}

TEST_F(Kept, WhyNamesWhatHasChanged) {
  EXPECT_EQ(Why(), "etl is made: nothing like it is kept yet\n");
  const std::string run = Run().json["run"].get<std::string>();
  ReplaceInJob("SELECT * FROM machines", "SELECT *, age + 1 AS older FROM machines");
  EXPECT_EQ(Why(), "etl is made: since " + run +
                       " kept it, the SQL is another\n"
                       "  was  SELECT * FROM machines\n"
                       "  now  SELECT *, age + 1 AS older FROM machines\n");
  ReplaceInJob("\"machines.csv\" }", "\"machines.csv\", null = \"NA\" }");
  EXPECT_THAT(Why(), HasSubstr("the files are read with other options"));
  ReplaceInJob("SELECT * FROM machines", "SELECT *, now() AS n FROM machines");
  EXPECT_EQ(Why(), "etl is made in every run: now: gives a different value in every run\n");
  own_.Write("job.toml", kMachinesJob);
  own_.Write("machines.csv", MachinesTable(601));
  EXPECT_THAT(Why(),
              HasSubstr("the file " + (own_ / "machines.csv").string() + " has other contents"));
  EXPECT_EQ(Run().json["metrics"]["validation"].contains("rmse"), true);
}

TEST_F(Kept, WhatIsKeptIsListedVerifiedAndRemoved) {
  const std::string run = Run().json["run"].get<std::string>();
  const Outcome list = Protium({"cache", "ls", "--json"});
  ASSERT_EQ(list.json["objects"].size(), 1u) << list.out << list.err;
  EXPECT_EQ(list.json["objects"][0]["run"], run);
  EXPECT_EQ(list.json["objects"][0]["rows"], 600);
  EXPECT_THAT(Protium({"cache"}).out, HasSubstr("1 object, "));
  EXPECT_EQ(Protium({"cache", "verify"}).out, "1 object is whole\n");
  const std::string object = list.json["objects"][0]["object"].get<std::string>();
  const auto file = own_ / "store" / "objects" / object.substr(0, 2) / object / "table.duckdb";
  std::fstream(file, std::ios::in | std::ios::out).seekp(9000).put('!');
  EXPECT_THAT(Protium({"cache", "verify"}).out, HasSubstr("was damaged: it is dropped"));
  Run();
  const Outcome none = Protium({"cache", "rm", "--input", own_ / "other.csv"});
  EXPECT_THAT(none.out, HasSubstr("0 objects removed"));
  const Outcome gone = Protium({"cache", "rm", "--input", own_ / "machines.csv"});
  EXPECT_THAT(gone.out, HasSubstr("1 object removed"));
  EXPECT_EQ(Protium({"cache", "rm"}).exit, 2);
  EXPECT_EQ(Protium({"cache", "lss"}).exit, 2);
}

TEST_F(Kept, SwitchedOffNothingIsKeptOrTaken) {
  Run();
  for (int i = 0; i < 2; ++i) {
    const Outcome off = own_.Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
    EXPECT_EQ(off.exit, 0) << off.err;
    EXPECT_THAT(off.err, Not(HasSubstr("kept from")));
  }
  const Outcome refused = own_.Protium({"cache", "ls"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("the store is switched off"));
}

}  // namespace
}  // namespace protium::whole
