// SPDX-License-Identifier: Apache-2.0
// Mistakes a user makes: each is answered with one message, a place, a fix and the right exit code.
#include <gtest/gtest.h>

#include <fstream>

#include "whole/flights.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// The example job with `from` replaced by `to`, in a folder of its own.
std::string ChangedJob(const Scratch& scratch, const std::string& from, const std::string& to) {
  std::string text = ReadText(FlightsJob());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  const fs::path path = scratch.path() / "job.toml";
  std::ofstream(path) << text;
  return path.string();
}

Outcome RunJob(const Scratch& scratch, const std::string& job, const std::string& tables,
               const std::vector<std::string>& more = {}) {
  std::vector<std::string> argv = {
      ProtiumCommand(), "run",           job,
      "--json",         "--runs-dir",    (scratch.path() / "runs").string(),
      "--set",          "data=" + tables};
  argv.insert(argv.end(), more.begin(), more.end());
  Running command(argv, scratch.path());
  return command.Wait();
}

void ExpectRefusal(const Outcome& outcome, int exit, const std::vector<std::string>& parts) {
  EXPECT_EQ(outcome.exit, exit) << outcome.err;
  for (const std::string& part : parts) {
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " in\n" << outcome.err;
  }
}

}  // namespace

TEST(Refusal, OfAMisspeltKeyNamesPlaceAndNeighbour) {
  const Scratch scratch;
  const std::string job = ChangedJob(scratch, "batch_size = 512", "bach_size = 512");
  ExpectRefusal(RunJob(scratch, job, ExampleTables(1000)), 2,
                {"bach_size", "job.toml:", "batch_size"});
}

TEST(Refusal, OfAWrongTypeNamesPlaceAndValue) {
  const Scratch scratch;
  const std::string job = ChangedJob(scratch, "epochs     = 10", "epochs     = \"ten\"");
  ExpectRefusal(RunJob(scratch, job, ExampleTables(1000)), 2, {"epochs", "job.toml:", "ten"});
}

TEST(Refusal, OfAMissingColumnNamesTheNearest) {
  const Scratch scratch;
  const std::string job = ChangedJob(scratch, "\"part_of_day\"", "\"part_of_dya\"");
  ExpectRefusal(RunJob(scratch, job, ExampleTables(1000)), 2, {"part_of_dya", "part_of_day"});
}

TEST(Refusal, OfAWorkingFolderThatIsGone) {
  const Scratch scratch;
  const std::string gone = (scratch.path() / "gone").string();
  for (const char* verb : {"sql 'SELECT 1 AS a'", "runs list", "gang -- true", "doctor"}) {
    Running command({"/bin/sh", "-c",
                     "mkdir " + gone + " && cd " + gone + " && rmdir " + gone + " && " +
                         ProtiumCommand() + " " + verb},
                    scratch.path());
    ExpectRefusal(command.Wait(), 4, {"the folder that this command runs in cannot be found"});
  }
}

TEST(Refusal, OfAMissingFileExitsWithThree) {
  const Scratch scratch;
  ExpectRefusal(RunJob(scratch, FlightsJob(), (scratch.path() / "nowhere").string()), 3,
                {"nowhere"});
}

TEST(Refusal, OfMoreWorkersThanShardsNamesTheSetting) {
  const Scratch scratch;
  ExpectRefusal(RunJob(scratch, FlightsJob(), ExampleTables(1000), {"--set", "gang.workers=5"}), 2,
                {"workers", "shards"});
}

TEST(Refusal, OfAGangThatCanNeverFitNamesTheNumber) {
  const Scratch scratch;
  ExpectRefusal(
      RunJob(scratch, FlightsJob(), ExampleTables(1000), {"--set", "gang.gpus_per_worker=1"}), 2,
      {"gpu"});
  ExpectRefusal(RunJob(scratch, FlightsJob(), ExampleTables(1000), {"--engine", "local[1]"}), 2,
                {"workers=2", "1 found"});
}

TEST(Refusal, OfSqlThatDoesNotParseOrKnowItsColumns) {
  const Scratch scratch;
  const std::string job = ChangedJob(scratch, "l.distance", "l.distanse");
  ExpectRefusal(RunJob(scratch, job, ExampleTables(1000)), 2, {"distanse", "distance"});
}

TEST(Plan, RunsNothing) {
  const Scratch scratch;
  Running command({ProtiumCommand(), "plan", FlightsJob(), "--set", "data=" + ExampleTables(1000),
                   "--runs-dir", (scratch.path() / "runs").string()},
                  scratch.path());
  const Outcome plan = command.Wait();
  EXPECT_EQ(plan.exit, 0) << plan.err;
  EXPECT_FALSE(fs::exists(scratch.path() / "runs"));
  EXPECT_EQ(plan.out.find("SELECT"), std::string::npos) << "only --sql shows it\n" << plan.out;
  for (const char* part : {"rank", "512 rows", "not exact"}) {
    EXPECT_NE(plan.out.find(part), std::string::npos) << part << " in\n" << plan.out;
  }
}

}  // namespace protium::whole
