// SPDX-License-Identifier: Apache-2.0
#include "collective/window_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/fault.h"
#include "os/file.h"
#include "os/file_size_limit.h"

namespace protium {
namespace {

class WindowFiles : public testing::TestWithParam<bool> {
 protected:
  std::filesystem::path disk() const { return GetParam() ? folder_.path() : ""; }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_P(WindowFiles, KeepTheBytesOfARankThatWasKilled) {
  std::vector<UniqueFd> files(3);
  files[1] = MakeWindowFile(disk(), 100'000).ValueOrDie();
  files[2] = MakeWindowFile(disk(), 5'000).ValueOrDie();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "no file has a name";
  const pid_t rank = ::fork();
  if (rank == 0) {
    const auto own = OpenWindowFiles(1, files);
    if (own.ok()) std::memset((*own)->own().data(), 7, (*own)->own().size());
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(rank, nullptr, 0), rank);
  for (const int32_t later : {0, 1}) {
    const auto window = OpenWindowFiles(later, files).ValueOrDie();
    EXPECT_EQ(window->size(0), 0);
    EXPECT_EQ(window->size(1), 100'000);
    EXPECT_EQ(window->size(2), 5'000);
    EXPECT_EQ(window->Direct(1)[99'999], std::byte(7));
    std::byte last{1};
    ASSERT_TRUE(window->Read(2, 4'999, {&last, 1}).ok());
    EXPECT_EQ(last, std::byte(0));
    EXPECT_EQ(int64_t(window->own().size()), window->size(later));
  }
}

INSTANTIATE_TEST_SUITE_P(Places, WindowFiles, testing::Bool());

TEST(WindowFilesOnTheDisk, AreRefusedWhereItIsFull) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const FileSizeLimit limit(8 << 20);
  const Fault fault = FaultOf(MakeWindowFile(folder.path(), 16 << 20).status());
  EXPECT_EQ(fault.exit, Exit::kNoRoom);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace protium
