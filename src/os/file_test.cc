// SPDX-License-Identifier: Apache-2.0
#include "os/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/fault.h"

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

TEST(FileLock, IsHeldOnce) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  {
    const FileLock first = FileLock::Try(folder.path() / "lock").ValueOrDie();
    const FileLock second = FileLock::Try(folder.path() / "lock").ValueOrDie();
    EXPECT_TRUE(first.taken());
    EXPECT_FALSE(second.taken());
  }
  EXPECT_TRUE(FileLock::Try(folder.path() / "lock").ValueOrDie().taken());
}

}  // namespace
}  // namespace protium
