// SPDX-License-Identifier: Apache-2.0
#include "rows/window_rows.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"
#include "os/file.h"
#include "rows/read_shard.h"

namespace protium {
namespace {

const RowSchema kWindowRow = MakeRowSchema({.numeric = {"x"}});

Result<std::unique_ptr<Packer>> PackNumbers(int64_t begin, int64_t rows, RowRoom room) {
  const auto schema = arrow::schema({arrow::field("x", arrow::int64())});
  arrow::Int64Builder x;
  for (int64_t i = 0; i < rows; ++i) PT_TRY(x.Append(begin + i));
  PT_LET(const auto column, x.Finish());
  PT_LET(auto packer, Packer::Make(kWindowRow, schema, std::move(room)));
  PT_TRY(packer->Append(*arrow::RecordBatch::Make(schema, rows, {column})));
  return packer;
}

// The last rank owns no shard.
TEST(WindowRows, AreThoseOfAllRanksOnEachRank) {
  constexpr int32_t kShards = 5, kRanks = 3;
  std::vector<std::string> shards(kShards);
  std::mutex mutex;
  const auto statuses = RunThreadRanks(kRanks, {}, [&](Communicator& ranks) -> Status {
    const std::vector<int32_t> first = ShardOwners(kShards, kRanks, 1);
    PT_LET(auto packer, PackNumbers(ranks.rank() * 700, 700, RowRoom(1 << 30)));
    PT_LET(auto own, ShardRows(std::move(packer), first, ranks));
    const ShardedRows::Owned owned = own->own();
    {
      const std::lock_guard lock(mutex);
      for (int32_t s = owned.begin; s < owned.end; ++s) shards[size_t(s)] = ReadShard(*own, s);
    }
    PT_LET(const auto all, MoveToWindows(std::move(own), first, ranks));
    EXPECT_EQ(all->total_rows(), 2100);
    EXPECT_EQ(all->own(), owned);
    PT_TRY(ranks.Barrier("shards are known"));
    for (int32_t s = 0; s < kShards; ++s) EXPECT_EQ(ReadShard(*all, s), shards[size_t(s)]) << s;
    return ranks.Barrier("all have read");
  });
  for (const Status& each : statuses) EXPECT_TRUE(each.ok()) << each.ToString();
}

TEST(WindowRows, AreRefusedOnAllRanksIfOneHasThemOnTheDisk) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& ranks) -> Status {
    const std::vector<int32_t> first = ShardOwners(2, 2);
    RowRoom room(4096);
    room.disk = folder.path();
    PT_LET(auto packer, PackNumbers(ranks.rank() * 5000, 5000, std::move(room)));
    PT_LET(auto own, ShardRows(std::move(packer), first, ranks));
    return MoveToWindows(std::move(own), first, ranks).status();
  });
  for (const Status& each : statuses) {
    EXPECT_EQ(FaultOf(each).exit, Exit::kNoRoom);
    EXPECT_THAT(FaultOf(each).what, testing::HasSubstr("do not fit engine.rows_memory"));
  }
}

}  // namespace
}  // namespace protium
