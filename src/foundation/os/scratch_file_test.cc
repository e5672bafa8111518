// SPDX-License-Identifier: Apache-2.0
#include "os/scratch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "os/file.h"
#include "os/file_size_limit.h"
#include "os/memfd.h"

namespace protium {
namespace {

using testing::HasSubstr;

std::vector<std::byte> Bytes(size_t count, int first) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = std::byte(int(i) * 3 + first);
  return bytes;
}

class Scratching : public testing::Test {
 protected:
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(Scratching, GivesBackWhatWasWrittenAndLeavesNoName) {
  auto file = ScratchFile::Make(folder_.path() / "new" / "folder").ValueOrDie();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "new" / "folder"));
  ASSERT_TRUE(file.Reserve(10'000).ok());
  EXPECT_EQ(file.reserved(), 10'000);
  ASSERT_TRUE(file.Reserve(20'000).ok() && file.Reserve(1).ok());
  EXPECT_EQ(file.reserved(), 20'000);
  const auto low = Bytes(5000, 1), high = Bytes(7000, 2);
  ASSERT_TRUE(file.Write(13'000, high).ok() && file.Write(1, low).ok());
  file.Expect(0, 20'000);
  file.Expect(30'000, 1);
  std::vector<std::byte> read(7000);
  ASSERT_TRUE(file.Read(13'000, read).ok());
  EXPECT_EQ(read, high);
  read.resize(5000);
  ASSERT_TRUE(file.Read(1, read).ok());
  EXPECT_EQ(read, low);
  EXPECT_FALSE(file.Read(19'999, read).ok()) << "beyond the end";
}

TEST_F(Scratching, AStreamWritesAllThatIsAppended) {
  // Small writes, and writes that bypass the page cache.
  for (const size_t pages : {1, 64}) {
    auto file = ScratchFile::Make(folder_.path()).ValueOrDie();
    const auto bytes = Bytes(3 * pages * 4096 + 77, 5);
    ASSERT_TRUE(file.Reserve(int64_t(bytes.size()) + 8192).ok());
    const auto memory = Memfd::Make("buffer", int64_t(pages) * 4096).ValueOrDie();
    const auto buffer = memory.Map().ValueOrDie();
    ScratchStream stream(file, 8192, buffer.bytes());
    const auto all = std::span(bytes);
    ASSERT_TRUE(stream.Append(all.first(100)).ok() && stream.Flush().ok());
    ASSERT_TRUE(stream.Append(all.subspan(100, 5000)).ok() && stream.Flush().ok());
    ASSERT_TRUE(stream.Append(all.subspan(5100)).ok() && stream.Flush().ok());
    std::vector<std::byte> read(bytes.size());
    ASSERT_TRUE(file.Read(8192, read).ok());
    EXPECT_EQ(read, bytes);
  }
}

TEST_F(Scratching, ReadsAheadWhatIsAskedForNext) {
  auto file = ScratchFile::Make(folder_.path()).ValueOrDie();
  const auto bytes = Bytes(3'000'001, 3);
  ASSERT_TRUE(file.Reserve(int64_t(bytes.size())).ok() && file.Write(0, bytes).ok());
  ScratchAhead ahead(file);
  // Small and large parts; the last one ends at the end of the file, within a page.
  const std::vector<std::pair<int64_t, int64_t>> parts{
      {0, 10}, {4095, 2}, {10, 1'000'000}, {8192, 524'288}, {3, 5}, {1'999'999, 1'000'002}};
  ASSERT_TRUE(ahead.Begin(parts[0].first, parts[0].second).ok());
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto taken = ahead.Take().ValueOrDie();
    if (i + 1 < parts.size()) {
      ASSERT_TRUE(ahead.Begin(parts[i + 1].first, parts[i + 1].second).ok());
    }
    const auto expected = std::span(bytes).subspan(size_t(parts[i].first), size_t(parts[i].second));
    EXPECT_TRUE(std::ranges::equal(taken, expected)) << i;
  }
}

TEST_F(Scratching, AFullDiskIsToldBeforeAnythingIsWritten) {
  auto file = ScratchFile::Make(folder_.path()).ValueOrDie();
  ASSERT_TRUE(file.Reserve(4000).ok());
  Status full;
  {
    const FileSizeLimit limit(100'000);
    full = file.Reserve(200'000);
  }
  const Fault fault = FaultOf(full);
  EXPECT_EQ(fault.exit, Exit::kNoRoom);
  EXPECT_THAT(fault.what, HasSubstr("200000 bytes"));
  EXPECT_THAT(fault.why, HasSubstr("196000 bytes more are needed"));
  EXPECT_EQ(fault.where, folder_.path().string());
  EXPECT_EQ(file.reserved(), 4000);
  EXPECT_TRUE(file.Write(0, Bytes(4000, 0)).ok());
}

TEST_F(Scratching, AFolderThatCannotBeMadeIsNamed) {
  ASSERT_TRUE(WriteFile(folder_.path() / "file", "no folder").ok());
  EXPECT_THAT(ScratchFile::Make(folder_.path() / "file").status().ToString(), HasSubstr("file"));
}

}  // namespace
}  // namespace protium
