// SPDX-License-Identifier: Apache-2.0
#include "os/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/fault.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

class TemporaryFolders : public testing::Test {
 protected:
  size_t Number() const {
    return size_t(std::distance(fs::directory_iterator(base_.path()), fs::directory_iterator()));
  }
  // Makes a folder in a child, which is killed while it holds the folder.
  void LeaveOneBehind() const {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto folder = TemporaryFolder::MakeIn(base_.path());
      std::ofstream(folder->path() / "rows") << "rows";
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  const TemporaryFolder base_ = *TemporaryFolder::Make();
};

TEST_F(TemporaryFolders, AreRemovedWithAllInThem) {
  {
    const TemporaryFolder folder = *TemporaryFolder::MakeIn(base_.path());
    fs::create_directories(folder.path() / "a/b");
    EXPECT_EQ(fs::status(folder.path()).permissions(), fs::perms::owner_all);
    EXPECT_EQ(Number(), 1u);
  }
  EXPECT_EQ(Number(), 0u);
}

TEST_F(TemporaryFolders, OfAKilledProcessAreRemovedByTheNextThatMakesOne) {
  LeaveOneBehind();
  ASSERT_EQ(Number(), 1u);
  const TemporaryFolder folder = *TemporaryFolder::MakeIn(base_.path());
  EXPECT_EQ(Number(), 1u);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(TemporaryFolders, ThatAreInUseOrOfAnotherKindStay) {
  const TemporaryFolder one = *TemporaryFolder::MakeIn(base_.path());
  fs::create_directory(base_.path() / "protium-mine");
  fs::create_directory(base_.path() / "protium-new-abcdef");
  fs::create_symlink(one.path(), base_.path() / "protium-tmp-1-abcdef");
  const TemporaryFolder other = *TemporaryFolder::MakeIn(base_.path());
  EXPECT_TRUE(fs::exists(one.path()));
  EXPECT_EQ(Number(), 5u);
}

TEST_F(TemporaryFolders, OfThisProcessAreRemovedAtOnce) {
  ASSERT_EQ(::setenv("TMPDIR", base_.path().c_str(), 1), 0);
  std::optional<TemporaryFolder> one = *TemporaryFolder::Make();
  std::optional<TemporaryFolder> other = *TemporaryFolder::Make();
  std::ofstream(one->path() / "rows") << "rows";
  const auto no_more = RemoveTemporaryFolders();
  EXPECT_EQ(Number(), 0u);
  ::unsetenv("TMPDIR");
}

TEST_F(TemporaryFolders, OfThreadsThatGoOnDoNotAppearAfterTheRemoval) {
  ASSERT_EQ(::setenv("TMPDIR", base_.path().c_str(), 1), 0);
  {
    const std::jthread busy([](const std::stop_token& stop) {
      while (!stop.stop_requested()) (void)TemporaryFolder::Make();
    });
    for (int i = 0; i < 50; ++i) {
      const auto no_more = RemoveTemporaryFolders();
      for (int look = 0; look < 100; ++look) ASSERT_EQ(Number(), 0u) << i << " " << look;
    }
  }
  ::unsetenv("TMPDIR");
}

TEST_F(TemporaryFolders, NeedAPlace) {
  ASSERT_EQ(::setenv("TMPDIR", "/nowhere", 1), 0);
  const Fault fault = FaultOf(TemporaryFolder::Make().status());
  ::unsetenv("TMPDIR");
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_THAT(fault.what, testing::HasSubstr("/nowhere"));
  EXPECT_THAT(fault.fix, testing::HasSubstr("TMPDIR"));
}

}  // namespace
}  // namespace protium
