// SPDX-License-Identifier: Apache-2.0
// Streams over folders that are killed, stopped, and run out of disk, at any moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "whole/live_streams.h"

namespace protium::whole {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Streams, WhoseProcessIsKilledAtAnyMomentLoseAndRepeatNothing) {
  constexpr int kFiles = 40, kRows = 37;
  for (int i = 0; i < kFiles; ++i) Put("f" + std::to_string(100 + i) + ".csv", i * kRows, kRows);
  SetTimes();
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  EXPECT_GT(RunAndSend(SIGKILL, -SIGKILL), 0);
  EXPECT_EQ(Files(), undisturbed);
  HasEach(kFiles * kRows);
}

// They end the batch that they are at.
TEST_F(Streams, EndWholeAtEverySignal) {
  constexpr int kFiles = 8, kRows = 37;
  for (int i = 0; i < kFiles; ++i) Put("f" + std::to_string(100 + i) + ".csv", i * kRows, kRows);
  SetTimes();
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  for (const int signal : {SIGTERM, SIGINT}) {
    EXPECT_GT(RunAndSend(signal, 0), 0);
    EXPECT_EQ(Files(), undisturbed);
  }
  HasEach(kFiles * kRows);
}

TEST_F(Streams, EndAtASignalBeforeTheirFirstEvent) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Running command(StreamWords({"--json"}), path());
    ASSERT_TRUE(command.AwaitChange(path(), [&] { return fs::exists(log()); }));
    command.Signal(signal);
    const Outcome ended = command.Wait();
    EXPECT_EQ(ended.exit, 0) << ended.err;
    EXPECT_EQ(ended.json["state"], "ended");
    fs::remove_all(path() / "streams");
  }
}

// The moments between two writes, one by one.
TEST_F(Streams, GoOnFromEveryStateThatAKillLeaves) {
  Put("a.csv", 0, 90);
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  const std::string whole = ReadText(log());
  const size_t ended = whole.rfind('\n', whole.size() - 2) + 1;
  const size_t began = whole.rfind('\n', ended - 2) + 1;
  const fs::path last = path() / "out" / undisturbed.rbegin()->first;
  const auto go_on = [&](const std::string& text, bool written, const char* says) {
    std::ofstream(log(), std::ios::binary | std::ios::trunc) << text;
    if (!written) fs::remove(last);
    const Outcome run = Once();
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr(says));
    EXPECT_EQ(Files(), undisturbed);
    EXPECT_EQ(ReadText(log()), whole);
  };
  go_on(whole.substr(0, ended), true, "its rows are there");
  go_on(whole.substr(0, ended + 5), true, "its rows are there");
  go_on(whole.substr(0, ended), false, "it is made again");
  go_on(whole.substr(0, began), false, "");
  go_on(whole.substr(0, began + 9), false, "");
}

// What a batch began with may be damaged or replaced before it is made again.
TEST_F(Streams, MakeABatchAgainWhateverBecameOfItsModel) {
  Put("a.csv", 0, 30);
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  const std::string whole = ReadText(log());
  const auto begin = [&] {
    std::ofstream(log(), std::ios::binary | std::ios::trunc)
        << whole.substr(0, whole.find('\n') + 1);
    fs::remove(path() / "out" / undisturbed.begin()->first);
  };
  const auto folder = [&](const char* rounds) {
    return path() / "runs" / Models()[rounds].parent_path().filename() / "model";
  };
  begin();
  const std::string weights = ReadText(folder("5") / "weights.safetensors");
  std::ofstream(folder("5") / "weights.safetensors", std::ios::app) << "damage";
  const Outcome damaged = Once();
  EXPECT_EQ(damaged.exit, 3);
  EXPECT_THAT(damaged.err, HasSubstr("weights.safetensors"));
  EXPECT_THAT(Rows(), IsEmpty());
  std::ofstream(folder("5") / "weights.safetensors", std::ios::binary) << weights;
  ASSERT_EQ(Once().exit, 0);
  EXPECT_EQ(Files(), undisturbed);

  begin();
  fs::remove_all(folder("5"));
  fs::copy(folder("6"), folder("5"), fs::copy_options::recursive);
  const Outcome replaced = Once();
  EXPECT_EQ(replaced.exit, 0) << replaced.err;
  EXPECT_THAT(replaced.err, HasSubstr("is gone: the current one scores it"));
  EXPECT_NE(Files(), undisturbed);
  HasEach(30);
}

// It is in memory.
TEST_F(Streams, KeepTheirModelWhileItsFilesAreCutOff) {
  Running command(StreamWords(), path());
  Put("a.csv", 0, 10);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 10; }));
  const fs::path model = path() / "runs" / Models()["5"].parent_path().filename() / "model";
  std::ofstream(model / "weights.safetensors", std::ios::trunc) << "";
  Put("b.csv", 10, 500);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 510; }));
  command.Signal(SIGTERM);
  EXPECT_EQ(command.Wait().exit, 0);
  std::set<std::string> versions;
  for (const Json& row : Rows()) versions.insert(row["version"].get<std::string>());
  EXPECT_EQ(versions.size(), 1u);
  HasEach(510);
}

TEST_F(Streams, EndAtASignalWhilePaused) {
  Running command(StreamWords(), path());
  Put("a.csv", 0, 10);
  ASSERT_TRUE(command.AwaitChange(path(), [&] { return Rows().size() == 10; }));
  ASSERT_EQ(Ask("pause").exit, 0);
  ASSERT_TRUE(command.AwaitChange(path() / "streams/live",
                                  [&] { return Ask("status").json["state"] == "paused"; }));
  Put("b.csv", 10, 10);
  command.Signal(SIGTERM);
  EXPECT_EQ(command.Wait().exit, 0);
  HasEach(10);
  ASSERT_EQ(Ask("resume").exit, 0);
  ASSERT_EQ(Once().exit, 0);
  HasEach(20);
}

// First that of the log, then that of the rows.
TEST_F(Streams, GoOnOnceADiskHasRoomAgain) {
  Put("a.csv", 0, 40);
  Put("b.csv", 40, 800);
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  for (const char* const name : {"streams", "out"}) {
    for (const char* const each : {"streams", "out"}) fs::remove_all(path() / each);
    const fs::path disk = path() / name, ballast = disk / "ballast";
    fs::create_directory(disk);
    if (geteuid() != 0 || mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
      GTEST_SKIP() << "a small disk can only be made by root with mount rights";
    }
    std::ofstream(ballast) << std::string(64 << 10, 'x');
    const Outcome full = Once();
    EXPECT_EQ(full.exit, 6) << full.err;
    EXPECT_THAT(full.err, HasSubstr(disk.string()));
    fs::remove(ballast);
    EXPECT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=4m"), 0);
    const Outcome run = Once();
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(Files(), undisturbed);
    umount2(disk.c_str(), MNT_DETACH);
  }
}

// The kernel refuses writes beyond the limit as a full disk does.
TEST_F(Streams, OnAFullDiskLoseNothing) {
  Put("a.csv", 0, 400);
  ASSERT_EQ(Once().exit, 0);
  const auto undisturbed = Files();
  fs::remove_all(path() / "out");
  fs::remove_all(path() / "streams");
  for (const rlim_t bytes : {300, 700, 1500, 3000}) {
    struct rlimit before {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit small { bytes, before.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
    Running command(StreamWords({"--once"}), path());
    ::setrlimit(RLIMIT_FSIZE, &before);
    const Outcome full = command.Wait();
    EXPECT_NE(full.exit, 0);
    EXPECT_GT(full.exit, 0) << "it ended by itself";
  }
  const Outcome run = Once();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(Files(), undisturbed);
}

}  // namespace protium::whole
