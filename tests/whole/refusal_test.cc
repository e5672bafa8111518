// SPDX-License-Identifier: Apache-2.0
// Mistakes of users: each is reported with one message, a position, a fix and the right exit code.
#include <elf.h>
#include <gtest/gtest.h>

#include <fstream>

#include "whole/flights.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// The example job with `from` replaced by `to`, in its own folder.
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

TEST(Refusal, OfWhatIsNestedTooDeepNamesThePlace) {
  const Scratch scratch;
  std::string names = "a", lists;
  for (int i = 0; i < 10'000; ++i) names += ".a", lists += "[";
  for (const std::string& text :
       {"\n[" + names + "]\nx = 1\n", "\n" + names + " = 1\n", "\nx = " + lists + "\n"}) {
    const fs::path job = scratch.path() / "job.toml";
    std::ofstream(job) << text;
    for (const char* verb : {"check", "plan", "run"}) {
      Running command({ProtiumCommand(), verb, job.string()}, scratch.path());
      ExpectRefusal(command.Wait(), 2, {"nests deeper than 100 levels", "job.toml:2:"});
    }
  }
  Running command({ProtiumCommand(), "check", FlightsJob(), "--set", names + "=1"}, scratch.path());
  ExpectRefusal(command.Wait(), 2, {"--set names a setting deeper than 100 levels"});
}

TEST(Refusal, OfManyUnknownKeysTakesNoTime) {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "unknown" + std::to_string(i) + " = 1\n";
  std::ofstream(scratch.path() / "job.toml") << text;
  Running command({ProtiumCommand(), "check", (scratch.path() / "job.toml").string()},
                  scratch.path());
  const Outcome outcome = command.Wait();
  ExpectRefusal(outcome, 2, {"unknown key \"unknown0\"", "job.toml:1:"});
  EXPECT_LT(outcome.seconds, 8);
}

TEST(Check, RunsNoCodeThatTheJobNames) {
  const Scratch scratch;
  const fs::path library = scratch.path() / "own.so", script = scratch.path() / "devices.sh";
  // The first bytes of a library, but nothing that could be loaded.
  const Elf64_Ehdr header{.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                          .e_type = ET_DYN};
  std::ofstream(library).write(reinterpret_cast<const char*>(&header), sizeof header);
  std::ofstream(script) << "#!/bin/sh\ntouch " << (scratch.path() / "ran").string() << "\n";
  fs::permissions(script, fs::perms::all);
  const std::string job =
      ChangedJob(scratch, "\n[tables]", "\nextensions = [\"own.so\"]\n[tables]");
  std::vector<std::string> words = {ProtiumCommand(),
                                    "check",
                                    job,
                                    "--set",
                                    "data=" + ExampleTables(1000),
                                    "--set",
                                    "net.name=wide",
                                    "--set",
                                    "engine.discovery=" + script.string()};
  Running left_alone(words, scratch.path());
  const Outcome outcome = left_alone.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  for (const char* part : {"own.so", "net \"wide\"", "--load-extensions"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  }
  EXPECT_FALSE(fs::exists(scratch.path() / "ran"));
  words.push_back("--load-extensions");
  Running loaded(words, scratch.path());
  ExpectRefusal(loaded.Wait(), 3, {"own.so cannot be used"});
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
  for (const char* part : {"rank", "512 rows", "may differ between engines"}) {
    EXPECT_NE(plan.out.find(part), std::string::npos) << part << " in\n" << plan.out;
  }
}

}  // namespace protium::whole
