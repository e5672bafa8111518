// SPDX-License-Identifier: Apache-2.0
#include "rows/shared_rows.h"

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>

#include "collective/testing/thread_ranks.h"
#include "os/file.h"
#include "rows/read_shard.h"

namespace protium {
namespace {

const RowSchema kOneNumber = MakeRowSchema({.numeric = {"x"}});

// The rows begin, begin + 1, ... of a table with one column.
Result<std::unique_ptr<Packer>> PackCount(int64_t begin, int64_t rows, RowRoom room) {
  const auto schema = arrow::schema({arrow::field("x", arrow::int64())});
  arrow::Int64Builder x;
  for (int64_t i = 0; i < rows; ++i) PT_TRY(x.Append(begin + i));
  PT_LET(const auto column, x.Finish());
  PT_LET(auto packer, Packer::Make(kOneNumber, schema, std::move(room)));
  PT_TRY(packer->Append(*arrow::RecordBatch::Make(schema, rows, {column})));
  return packer;
}

// What two ranks shared, and the bytes of the shards as their first owners had them.
struct SharedByTwo {
  std::vector<SharedFile> files;
  std::vector<ShardIdentity> identity;
  std::vector<std::string> shards;
};

SharedByTwo ShareByTwo(int32_t shards, int64_t rows,
                       const std::array<RowRoom, 2>& rooms = {RowRoom(1 << 30), RowRoom(1 << 30)}) {
  SharedByTwo out;
  out.files.resize(2);
  out.shards.resize(size_t(shards));
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& communicator) {
    const auto rank = size_t(communicator.rank());
    PT_LET(auto packer, PackCount(int64_t(rank) * rows, rows, rooms[rank]));
    PT_LET(auto own, ShardRows(std::move(packer), ShardOwners(shards, 2), communicator));
    for (int32_t s = own->own().begin; s < own->own().end; ++s) {
      out.shards[size_t(s)] = ReadShard(*own, s);
    }
    if (rank == 0) out.identity = own->identity();
    PT_LET(out.files[rank], ShareRows(*own));
    return Status::OK();
  });
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
  return out;
}

std::unique_ptr<ShardedRows> Open(SharedByTwo& shared, const FilePass& pass = {}) {
  return OpenSharedRows(kOneNumber, shared.identity, std::move(shared.files), pass).ValueOrDie();
}

TEST(SharedRows, AnyRankReadsAnyShardAfterTheirOwnersAreGone) {
  SharedByTwo shared = ShareByTwo(5, 1000);
  const auto all = Open(shared);
  EXPECT_EQ(all->total_rows(), 2000);
  for (int32_t s = 0; s < 5; ++s) EXPECT_FALSE(all->owns(s)) << s;
  all->TakeOver({1, 4});
  EXPECT_TRUE(all->owns(1) && all->owns(3));
  EXPECT_FALSE(all->owns(0) || all->owns(4));
  all->TakeOver({0, 5});
  for (int32_t s = 0; s < 5; ++s) EXPECT_EQ(ReadShard(*all, s), shared.shards[size_t(s)]) << s;
}

TEST(SharedRows, AVisitIsEnteredInTheMiddle) {
  SharedByTwo shared = ShareByTwo(2, 500);
  const auto all = Open(shared);
  all->TakeOver({1, 2});
  const int64_t rows = all->rows(1), width = kOneNumber.width();
  const Permutation order(3, 1, 1, rows);
  std::vector<std::byte> whole(size_t(rows * width)), rest(whole.size());
  ASSERT_TRUE(all->Visit(1, order).ValueOrDie()->Next(rows, whole.data()).ok());
  const auto later = all->Visit(1, order).ValueOrDie();
  ASSERT_TRUE(later->Skip(123).ok());
  ASSERT_TRUE(later->Next(rows - 123, rest.data()).ok());
  EXPECT_EQ(std::memcmp(whole.data() + 123 * width, rest.data(), size_t((rows - 123) * width)), 0);
}

TEST(SharedRows, OwnersWithoutRowsShareToo) {
  SharedByTwo shared = ShareByTwo(4, 1);
  const auto all = Open(shared);
  EXPECT_EQ(all->total_rows(), 2);
}

// One rank's rows fit its memory, the other's do not.
TEST(SharedRows, RowsOnTheDiskAreReadInTheFilesOfTheirRanks) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  RowRoom small(1000);
  small.disk = folder.path();
  SharedByTwo memory = ShareByTwo(4, 1000);
  SharedByTwo shared = ShareByTwo(4, 1000, {RowRoom(1 << 30), small});
  EXPECT_FALSE(shared.files[0].on_disk);
  ASSERT_TRUE(shared.files[1].on_disk);
  EXPECT_EQ(shared.identity, memory.identity);
  const auto mapped = Open(memory);
  const auto all = Open(shared, {.bytes = 100, .disk = folder.path()});
  EXPECT_EQ(all->disk_bytes(), (all->rows(2) + all->rows(3)) * kOneNumber.width());
  mapped->TakeOver({0, 4});
  all->TakeOver({0, 4});
  for (int32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(ReadShard(*all, s), ReadShard(*mapped, s)) << s;
    const Permutation order(3, 1, s, all->rows(s));
    std::string visited(size_t(all->rows(s) * kOneNumber.width()), ' '), expected = visited;
    const auto read = [&](const ShardedRows& rows, std::string& into) {
      return rows.Visit(s, order).ValueOrDie()->Next(rows.rows(s),
                                                     reinterpret_cast<std::byte*>(into.data()));
    };
    ASSERT_TRUE(read(*all, visited).ok() && read(*mapped, expected).ok());
    EXPECT_EQ(visited, expected) << s;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SharedRows, FilesThatDoNotFitAreRefused) {
  SharedByTwo gap = ShareByTwo(3, 10);
  gap.files.erase(gap.files.begin());
  EXPECT_FALSE(OpenSharedRows(kOneNumber, gap.identity, std::move(gap.files), {}).ok());
  SharedByTwo small = ShareByTwo(2, 3000);
  std::swap(small.files[0].file, small.files[1].file);
  small.files[1].file = UniqueFd(::memfd_create("short", MFD_CLOEXEC));
  EXPECT_FALSE(OpenSharedRows(kOneNumber, small.identity, std::move(small.files), {}).ok());
}

}  // namespace
}  // namespace protium
