// SPDX-License-Identifier: Apache-2.0
#include "collective/disk_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"
#include "os/file.h"
#include "os/file_size_limit.h"

namespace protium {
namespace {

class DiskWindow : public testing::Test {
 protected:
  bool NothingHasAName() const { return std::filesystem::is_empty(folder_.path()); }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(DiskWindow, ShowsTheBytesOfEveryRankToAll) {
  const auto statuses = RunThreadRanks(3, {}, [&](Communicator& ranks) -> Status {
    const auto size = [](int32_t rank) { return rank == 0 ? 0 : int64_t{100'000} + rank; };
    PT_LET(const auto window, MakeDiskWindow(folder_.path(), size(ranks.rank()), ranks));
    EXPECT_TRUE(NothingHasAName());
    for (std::byte& each : window->own()) {
      if (each != std::byte(0)) return Status::Invalid("it is not zeros at first");
      each = std::byte(ranks.rank());
    }
    PT_TRY(ranks.Barrier("filled"));
    for (int32_t r = 0; r < ranks.world(); ++r) {
      if (window->size(r) != size(r)) return Status::Invalid("the size of rank ", r);
      if (size(r) == 0) continue;
      std::byte last{};
      PT_TRY(window->Read(r, size(r) - 1, {&last, 1}));
      if (last != std::byte(r)) return Status::Invalid("the last byte of rank ", r);
      if (window->Direct(r)[7] != std::byte(r)) return Status::Invalid("a byte of rank ", r);
    }
    return ranks.Barrier("read");
  });
  for (const Status& each : statuses) EXPECT_TRUE(each.ok()) << each.ToString();
}

TEST_F(DiskWindow, IsRefusedOnAllRanksWhereTheDiskIsFull) {
  const FileSizeLimit limit(8 << 20);
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& ranks) {
    return MakeDiskWindow(folder_.path(), ranks.rank() == 1 ? 16 << 20 : 0, ranks).status();
  });
  for (const Status& each : statuses) {
    EXPECT_EQ(FaultOf(each).exit, Exit::kNoRoom);
    EXPECT_THAT(FaultOf(each).what, testing::HasSubstr("no room on the disk for 16777216 bytes"));
  }
  EXPECT_TRUE(NothingHasAName());
}

}  // namespace
}  // namespace protium
