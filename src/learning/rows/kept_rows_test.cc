// SPDX-License-Identifier: Apache-2.0
#include "rows/kept_rows.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "collective/self.h"
#include "os/file.h"
#include "rows/read_shard.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr int32_t kKeptShards = 3;
const SchemaPtr kKeptTable = arrow::schema({arrow::field("x", arrow::float64())});
const RowSchema kKeptSchema = MakeRowSchema({.numeric = {"x"}});

std::unique_ptr<ShardedRows> Sharded(int count) {
  arrow::DoubleBuilder x;
  for (int i = 0; i < count; ++i) EXPECT_TRUE(x.Append(i * 0.5).ok());
  auto packer = Packer::Make(kKeptSchema, kKeptTable, {}).ValueOrDie();
  const auto column = x.Finish().ValueOrDie();
  EXPECT_TRUE(packer->Append(*arrow::RecordBatch::Make(kKeptTable, count, {column})).ok());
  const auto alone = MakeSelfCommunicator();
  return ShardRows(std::move(packer), ShardOwners(kKeptShards, 1), *alone).ValueOrDie();
}

std::string Visited(const ShardedRows& rows, int32_t shard) {
  std::string bytes(size_t(rows.rows(shard) * rows.schema().width()), '\0');
  const auto visit = rows.Visit(shard, Permutation(7, 2, shard, rows.rows(shard))).ValueOrDie();
  EXPECT_TRUE(visit->Next(rows.rows(shard), reinterpret_cast<std::byte*>(bytes.data())).ok());
  return bytes;
}

class KeptRows : public testing::Test {
 protected:
  Result<std::unique_ptr<ShardedRows>> Open(int32_t world = 1, int32_t rank = 0) const {
    return OpenKeptRows(kKeptSchema, ShardOwners(kKeptShards, world), rank, folder_.path());
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

// Also with another number of ranks than stored them.
TEST_F(KeptRows, AreThoseThatWereShardedOnEveryRank) {
  const auto rows = Sharded(1000);
  ASSERT_TRUE(KeepRows(*rows, true, folder_.path()).ok());
  for (const int32_t world : {1, 2, 3}) {
    int32_t owned = 0;
    for (int32_t rank = 0; rank < world; ++rank) {
      const auto kept = Open(world, rank).ValueOrDie();
      EXPECT_EQ(kept->identity(), rows->identity());
      EXPECT_EQ(kept->total_rows(), 1000);
      for (int32_t shard = 0; shard < kKeptShards; ++shard) {
        if (!kept->owns(shard)) continue;
        ++owned;
        EXPECT_EQ(ReadShard(*kept, shard), ReadShard(*rows, shard));
        EXPECT_EQ(Visited(*kept, shard), Visited(*rows, shard));
      }
    }
    EXPECT_EQ(owned, kKeptShards);
  }
}

TEST_F(KeptRows, MayBeFewerThanShards) {
  const auto rows = Sharded(2);
  ASSERT_TRUE(KeepRows(*rows, true, folder_.path()).ok());
  const auto kept = Open().ValueOrDie();
  for (int32_t shard = 0; shard < kKeptShards; ++shard) {
    EXPECT_EQ(ReadShard(*kept, shard), ReadShard(*rows, shard));
    EXPECT_EQ(Visited(*kept, shard), Visited(*rows, shard));
  }
}

TEST_F(KeptRows, ThatHaveChangedAreRefused) {
  ASSERT_TRUE(KeepRows(*Sharded(100), true, folder_.path()).ok());
  const auto refused = [&] { return FaultOf(Open().status()).what; };
  const fs::path file = folder_.path() / "shard-001";
  const std::string bytes = ReadFile(file).ValueOrDie();
  std::string other = bytes;
  other[5] ^= 1;
  ASSERT_TRUE(WriteFile(file, other).ok());
  EXPECT_THAT(refused(), testing::HasSubstr("were changed"));
  ASSERT_TRUE(WriteFile(file, bytes.substr(4)).ok());
  EXPECT_THAT(refused(), testing::HasSubstr("were changed"));
  ASSERT_TRUE(WriteFile(file, bytes).ok());
  EXPECT_TRUE(Open().ok());
  EXPECT_FALSE(OpenKeptRows(MakeRowSchema({.numeric = {"y"}}), ShardOwners(kKeptShards, 1), 0,
                            folder_.path())
                   .ok());
  EXPECT_FALSE(OpenKeptRows(kKeptSchema, ShardOwners(kKeptShards + 1, 1), 0, folder_.path()).ok());
}

}  // namespace
}  // namespace protium
