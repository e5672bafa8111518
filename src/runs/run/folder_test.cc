// SPDX-License-Identifier: Apache-2.0
#include "run/folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "base/fault.h"
#include "run/list.h"

namespace protium {

namespace fs = std::filesystem;

class RunFolders : public testing::Test {
 protected:
  fs::path runs_ = fs::temp_directory_path() / ("protium-runs-" + std::to_string(getpid()));
  void TearDown() override { fs::remove_all(runs_); }
  std::unique_ptr<RunFolder> Make(const std::string& name = "flights") {
    return RunFolder::Create(runs_, name, {"protium", "run"}).ValueOrDie();
  }
};

TEST_F(RunFolders, AreNamedAfterJobAndTime) {
  const auto run = Make("my flights/1");
  EXPECT_TRUE(
      std::regex_match(run->id(), std::regex("my-flights-1-[0-9]{8}-[0-9]{6}-[a-z0-9]{4}")));
  EXPECT_TRUE(fs::is_directory(run->path() / "logs"));
  EXPECT_TRUE(fs::is_directory(run->path() / "checkpoints"));
  const RunHeader header = ReadRunHeader(run->path()).ValueOrDie();
  EXPECT_EQ(header.state, RunState::kRunning);
  EXPECT_EQ(header.pid, getpid());
}

TEST_F(RunFolders, RefuseASecondJobAtTheSameTime) {
  auto run = Make();
  const fs::path folder = run->path();
  const Status second = RunFolder::Reopen(folder, {}).status();
  EXPECT_EQ(FaultOf(second).exit, Exit::kEnvironment);
  EXPECT_NE(FaultOf(second).what.find(std::to_string(getpid())), std::string::npos);
  run.reset();
  EXPECT_TRUE(RunFolder::Reopen(folder, {}).ok());
}

TEST_F(RunFolders, HaveTheirNameHoweverTheyAreWritten) {
  auto run = Make();
  const std::string id = run->id();
  const fs::path folder = run->path();
  run.reset();
  EXPECT_EQ(RunFolder::Reopen(folder / "", {}).ValueOrDie()->id(), id);
}

TEST_F(RunFolders, RememberHowTheRunEndedAndDropTheSpill) {
  auto run = Make();
  fs::create_directories(run->path() / "spill" / "deep");
  ASSERT_TRUE(run->Finish(RunState::kStopped).ok());
  EXPECT_FALSE(fs::exists(run->path() / "spill"));
  const fs::path folder = run->path();
  run.reset();
  EXPECT_EQ(ReadRunHeader(folder).ValueOrDie().state, RunState::kStopped);
  EXPECT_EQ(ListRuns(runs_).front().state(), "stopped");
}

TEST_F(RunFolders, ShowARunThatWasKilledAsCutOff) {
  auto run = Make();
  EXPECT_EQ(ListRuns(runs_).front().state(), "running");
  run.reset();
  EXPECT_EQ(ListRuns(runs_).front().state(), "cut off");
}

TEST_F(RunFolders, WriteFilesWholeOrNotAtAll) {
  const auto run = Make();
  ASSERT_TRUE(run->WriteFile("result.json", "first").ok());
  fs::create_directory(run->path() / ".result.json.part");
  EXPECT_FALSE(run->WriteFile("result.json", "second").ok());
  EXPECT_EQ(ReadTextFile(run->path() / "result.json").ValueOrDie(), "first");
}

TEST_F(RunFolders, AreFoundByAgeBeginningAndPath) {
  const fs::path older = Make("alpha")->path();
  const fs::path newer = Make("beta")->path();
  EXPECT_EQ(FindRun(runs_, "last").ValueOrDie().filename(), newer.filename());
  EXPECT_EQ(FindRun(runs_, "last~1").ValueOrDie().filename(), older.filename());
  EXPECT_EQ(FindRun(runs_, "al").ValueOrDie().filename(), older.filename());
  EXPECT_EQ(FindRun("elsewhere", newer.string()).ValueOrDie(), newer);
  EXPECT_EQ(FaultOf(FindRun(runs_, "last~2").status()).exit, Exit::kInput);
  EXPECT_EQ(FaultOf(FindRun(runs_, "gamma").status()).exit, Exit::kInput);
  const fs::path twin = Make("alpha")->path();
  EXPECT_NE(FaultOf(FindRun(runs_, "alpha").status()).fix.find(twin.filename().string()),
            std::string::npos);
}

TEST_F(RunFolders, ThatAreDamagedAreNamed) {
  const fs::path folder = Make()->path();
  std::ofstream(folder / "run.json") << "{\"state\": 7}";
  EXPECT_EQ(FaultOf(RunFolder::Reopen(folder, {}).status()).exit, Exit::kInput);
  EXPECT_TRUE(ListRuns(runs_).empty());
}

}  // namespace protium
