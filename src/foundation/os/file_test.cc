// SPDX-License-Identifier: Apache-2.0
#include "os/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/fault.h"
#include "os/memfd.h"
#include "os/publish.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

size_t FilesIn(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const fs::path path = folder.path() / "a";
  ASSERT_TRUE(WriteFile(path, "before").ok());
  {
    AtomicFile file = AtomicFile::Make(path).ValueOrDie();
    ASSERT_TRUE(file.Write("half").ok());
  }
  EXPECT_EQ(*ReadFile(path), "before");
  EXPECT_EQ(FilesIn(folder.path()), 1u);
  ASSERT_TRUE(WriteFile(path, "after").ok());
  EXPECT_EQ(*ReadFile(path), "after");
  EXPECT_EQ(FilesIn(folder.path()), 1u);
}

TEST(AtomicFile, LeavesNothingWhereItsProcessIsKilled) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const fs::path path = folder.path() / "a";
  ASSERT_TRUE(WriteFile(path, "before").ok());
  const pid_t child = ::fork();
  if (child == 0) {
    auto file = AtomicFile::Make(path);
    (void)file->Write("half of it");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(FilesIn(folder.path()), 1u);
  EXPECT_EQ(*ReadFile(path), "before");
}

TEST(RemoveLeftBeside, RemovesUnfinishedFilesOfThisNameAlone) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const fs::path path = folder.path() / "a.json";
  for (const char* name : {"a.json", "a.json.17", "a.json.lock", "a.json.", "b.json.17"}) {
    ASSERT_TRUE(WriteFile(folder.path() / name, name).ok());
  }
  RemoveLeftBeside(path);
  EXPECT_FALSE(fs::exists(folder.path() / "a.json.17"));
  for (const char* name : {"a.json", "a.json.lock", "a.json.", "b.json.17"}) {
    EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
  }
}

TEST(AtomicFile, ReplacesWhatIsThereAndNoFolder) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const fs::path path = folder.path() / "a";
  fs::create_symlink("nowhere", path);
  ASSERT_TRUE(WriteFile(path, "first").ok());
  ASSERT_TRUE(WriteFile(path, "second").ok());
  EXPECT_EQ(*ReadFile(path), "second");
  fs::create_directory(folder.path() / "b");
  EXPECT_FALSE(WriteFile(folder.path() / "b", "x").ok());
  EXPECT_FALSE(WriteFile(folder.path() / "c/d", "x").ok());
  EXPECT_EQ(FilesIn(folder.path()), 2u);
}

TEST(AtomicFile, HasTheRightsThatTheProcessGives) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const auto rights_under = [&](mode_t mask) {
    const mode_t before = ::umask(mask);
    EXPECT_TRUE(WriteFile(folder.path() / "a", "secret").ok());
    ::umask(before);
    return fs::status(folder.path() / "a").permissions();
  };
  EXPECT_EQ(rights_under(077), fs::perms(0600));
  EXPECT_EQ(rights_under(022), fs::perms(0644));
}

// Whether or not the data is in whole pages, the file holds it in order.
TEST(AtomicFile, HoldsWhatWentPastTheCacheAndWhatDidNot) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const auto memory = Memfd::Make("pages", 1 << 20).ValueOrDie();
  const auto pages = memory.Map().ValueOrDie();
  for (int64_t i = 0; i < pages.size(); ++i) pages.data()[i] = std::byte(i * 7 + (i >> 12));
  const auto all = pages.bytes();
  const std::vector<std::span<const std::byte>> pieces = {
      all.first(500'001), all.subspan(0, 300'000), all.first(4096 - 800'001 % 4096),
      all.subspan(4096), all.subspan(4097, 300'000)};
  AtomicFile file = AtomicFile::Make(folder.path() / "a").ValueOrDie();
  std::string expected;
  for (const auto piece : pieces) {
    ASSERT_TRUE(file.WritePastCache(piece).ok());
    expected.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    EXPECT_EQ(file.written(), int64_t(expected.size()));
  }
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_TRUE(*ReadFile(folder.path() / "a") == expected);
}

TEST(AtomicFile, NamesBytesAndPathWhenTheDiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not there";
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const fs::path path = folder.path() / "a";
  ASSERT_TRUE(WriteFile(path, "before").ok());
  AtomicFile file = AtomicFile::Make(path).ValueOrDie();
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_GE(::dup3(full.get(), file.fd(), O_CLOEXEC), 0);
  const Fault fault = FaultOf(file.Write("12345678"));
  EXPECT_EQ(fault.exit, Exit::kNoRoom);
  EXPECT_NE(fault.what.find("8 bytes to " + path.string()), std::string::npos) << fault.what;
  EXPECT_EQ(*ReadFile(path), "before");
}

TEST(PublishFolder, LeavesAWholeFolderAtEveryMoment) {
  const auto scratch = TemporaryFolder::Make().ValueOrDie();
  const fs::path target = scratch.path() / "model";
  const fs::path draft = scratch.path() / "model.partial";
  const auto publish = [&] {
    return MakeFolder(draft).ok() && WriteFile(draft / "a", "x").ok() &&
           PublishFolder(draft, target).ok();
  };
  ASSERT_TRUE(publish());
  std::atomic<int> missing = 0;
  {
    const std::jthread reader([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) missing += ::access(target.c_str(), F_OK) == 0 ? 0 : 1;
    });
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(publish());
  }
  EXPECT_EQ(missing, 0);
  EXPECT_TRUE(fs::exists(target / "a"));
  EXPECT_EQ(FilesIn(scratch.path()), 1u);
}

TEST(PublishFolder, DoesNotTakeThePlaceOfAFile) {
  const auto scratch = TemporaryFolder::Make().ValueOrDie();
  ASSERT_TRUE(WriteFile(scratch.path() / "model", "mine").ok());
  ASSERT_TRUE(MakeFolder(scratch.path() / "draft").ok());
  EXPECT_FALSE(PublishFolder(scratch.path() / "draft", scratch.path() / "model").ok());
  EXPECT_EQ(*ReadFile(scratch.path() / "model"), "mine");
}

TEST(ReadFile, ReadsFilesOfTheKernelWhoseSizeIsToldAsZero) {
  EXPECT_EQ(ReadFile("/proc/sys/kernel/random/boot_id", 4096)->size(), 37u);
  EXPECT_EQ(ReadFile("/proc/sys/kernel/random/boot_id", 36)->size(), 36u);
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  ASSERT_TRUE(WriteFile(folder.path() / "empty", "").ok());
  EXPECT_EQ(*ReadFile(folder.path() / "empty"), "");
}

TEST(ReadFile, RefusesMoreThanItsCap) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  ASSERT_TRUE(WriteFile(folder.path() / "a", "0123456789").ok());
  EXPECT_TRUE(ReadFile(folder.path() / "a", 10).ok());
  EXPECT_FALSE(ReadFile(folder.path() / "a", 9).ok());
  EXPECT_EQ(FaultOf(ReadFile(folder.path() / "none").status()).exit, Exit::kInput);
}

TEST(ReadTail, GivesWholeLines) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  ASSERT_TRUE(WriteFile(folder.path() / "a", "first\nsecond\nthird\n").ok());
  EXPECT_EQ(ReadTail(folder.path() / "a", 10), "third\n");
  EXPECT_EQ(ReadTail(folder.path() / "a", 1000), "first\nsecond\nthird\n");
  EXPECT_EQ(ReadTail(folder.path() / "none", 10), "");
}

}  // namespace
}  // namespace protium
