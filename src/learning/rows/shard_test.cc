// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <random>

#include "base/fault.h"
#include "collective/self.h"
#include "collective/testing/mortal_ranks.h"
#include "collective/testing/thread_ranks.h"
#include "os/file.h"
#include "os/file_size_limit.h"
#include "rows/read_shard.h"
#include "rows/rows.h"

namespace protium {
namespace {

const SchemaPtr kSchema =
    arrow::schema({arrow::field("x", arrow::float64()), arrow::field("y", arrow::float32()),
                   arrow::field("code", arrow::int32())});
const RowSchema kRows =
    MakeRowSchema({.numeric = {"x"}, .labels = {{"y"}}, .categories = {"code"}});
constexpr int64_t kShardBudget = int64_t{1} << 30;

struct Row {
  double x = 0;
  float y = 0;
  int32_t code = 0;
};

std::shared_ptr<arrow::RecordBatch> MakeBatch(const std::vector<Row>& rows) {
  arrow::DoubleBuilder x;
  arrow::FloatBuilder y;
  arrow::Int32Builder code;
  for (const Row& row : rows) {
    EXPECT_TRUE(x.Append(row.x).ok() && y.Append(row.y).ok() && code.Append(row.code).ok());
  }
  return arrow::RecordBatch::Make(
      kSchema, int64_t(rows.size()),
      {x.Finish().ValueOrDie(), y.Finish().ValueOrDie(), code.Finish().ValueOrDie()});
}

Result<std::unique_ptr<Packer>> Pack(const std::vector<Row>& rows,
                                     const RowRoom& room = kShardBudget) {
  PT_LET(auto packer, Packer::Make(kRows, kSchema, room, Refusal::kWhenSharded));
  const auto batch = MakeBatch(rows);
  const auto half = batch->num_rows() / 2;
  PT_TRY(packer->Append(*batch->Slice(0, half)));
  PT_TRY(packer->Append(*batch->Slice(half)));
  return packer;
}

// Every shard's bytes and identity.
struct Outcome {
  std::vector<std::string> shards;
  std::vector<ShardIdentity> identity;
  bool operator==(const Outcome&) const = default;
};

void Take(const ShardedRows& rows, Outcome& out) {
  for (int32_t s = 0; s < rows.shards(); ++s) {
    if (!rows.owns(s)) continue;
    const std::string bytes = ReadShard(rows, s);
    EXPECT_EQ(ComputeIdentity(std::as_bytes(std::span(bytes)), kRows.width()),
              rows.identity()[size_t(s)]);
    out.shards[size_t(s)] = bytes;
  }
}

RowRoom Memory() { return kShardBudget; }

// Divides rows among ranks at random, after `empty` ranks that get none, and shards them.
Outcome ShardAmong(int32_t world, int32_t shards, std::vector<Row> rows, uint32_t seed,
                   int32_t empty = 0, const std::function<RowRoom()>& room = Memory) {
  std::mt19937 random(seed);
  std::shuffle(rows.begin(), rows.end(), random);
  std::vector<std::vector<Row>> parts(static_cast<size_t>(world));
  for (const Row& row : rows) {
    parts[size_t(empty) + random() % size_t(world - empty)].push_back(row);
  }
  Outcome out;
  out.shards.resize(size_t(shards));
  const auto statuses = RunThreadRanks(world, {}, [&](Communicator& communicator) {
    PT_LET(auto packer, Pack(parts[size_t(communicator.rank())], room()));
    const auto first = ShardOwners(shards, world);
    PT_LET(auto sharded, ShardRows(std::move(packer), first, communicator));
    EXPECT_EQ(sharded->total_rows(), int64_t(rows.size()));
    Take(*sharded, out);
    if (communicator.rank() == 0) out.identity = sharded->identity();
    return Status::OK();
  });
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
  return out;
}

std::vector<Row> SomeRows(int64_t count, double share_of_one_row) {
  std::mt19937 random(static_cast<uint32_t>(count));
  std::vector<Row> rows;
  for (int64_t i = 0; i < count; ++i) {
    const bool same = double(random()) < share_of_one_row * 4294967296.0;
    rows.push_back(same ? Row{1, 2, 3}
                        : Row{double(random() % 5000) / 7, float(random() % 3), int32_t(i % 11)});
  }
  return rows;
}

TEST(ShardRows, GivesTheSameShardsToAnyWorldAndAnyOrder) {
  for (const double share : {0.0, 0.9, 1.0}) {
    for (const int64_t count : {0, 1, 3, 4, 5, 50, 20'000}) {
      const std::vector<Row> rows = SomeRows(count, share);
      for (const int32_t shards : {4, 7}) {
        const Outcome alone = ShardAmong(1, shards, rows, 0);
        ASSERT_EQ(alone.identity.size(), size_t(shards));
        for (const ShardIdentity& each : alone.identity) {
          EXPECT_GE(each.rows, count / shards);
          EXPECT_LE(each.rows, (count + shards - 1) / shards);
        }
        for (const int32_t world : {1, 2, 3, 4}) {
          ASSERT_EQ(ShardAmong(world, shards, rows, uint32_t(world)), alone)
              << world << " ranks, " << count << " rows, " << share << " the same";
        }
        ASSERT_EQ(ShardAmong(3, shards, rows, 9, 1), alone) << "one rank without rows";
        ASSERT_EQ(ShardAmong(4, shards, rows, 9, 3), alone) << "three ranks without rows";
      }
    }
  }
}

TEST(ShardRows, GivesTheSameShardsFromTheDisk) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  for (const double share : {0.0, 0.9}) {
    for (const int64_t count : {5, 3000}) {
      const std::vector<Row> rows = SomeRows(count, share);
      const Outcome memory = ShardAmong(1, 4, rows, 0);
      // The rows take 16 bytes each; with few rows the budget is less than one row.
      for (const int64_t part : {20, 2}) {
        const int64_t budget = count * 16 / part;
        const auto room = [&] {
          RowRoom disk(budget);
          disk.disk = folder.path();
          return disk;
        };
        for (const int32_t world : {1, 2, 3, 4}) {
          ASSERT_EQ(ShardAmong(world, 4, rows, uint32_t(world), 0, room), memory)
              << world << " ranks, " << count << " rows, " << share << " the same, " << budget;
        }
        ASSERT_EQ(ShardAmong(3, 4, rows, 9, 2, room), memory) << "two ranks without rows";
      }
    }
  }
}

TEST(ShardRows, TellsEveryRankWhatADiskHasNoRoomFor) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  std::optional<FileSizeLimit> full;
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& communicator) {
    // Ranks share memory through special files, which the limit must not affect.
    PT_TRY(communicator.Barrier("connected"));
    if (communicator.rank() == 0) full.emplace(1000);
    PT_TRY(communicator.Barrier("the disk is full"));
    RowRoom room(800);
    room.disk = folder.path();
    PT_LET(auto packer, Pack(std::vector<Row>(communicator.rank() == 0 ? 10 : 2000), room));
    return ShardRows(std::move(packer), {0, 1, 2}, communicator).status();
  });
  for (const Status& status : statuses) {
    EXPECT_EQ(FaultOf(status).exit, Exit::kNoRoom);
    EXPECT_EQ(FaultOf(status).what.substr(0, 29), "packed rows need 32000 bytes;") << status;
    EXPECT_EQ(FaultOf(status).where, folder.path().string());
  }
}

TEST(ShardRows, GivesTheSameShardsWithoutACommunicatorOfManyRanks) {
  const std::vector<Row> rows = SomeRows(1000, 0.1);
  const auto self = MakeSelfCommunicator();
  auto sharded = ShardRows(Pack(rows).ValueOrDie(), ShardOwners(4, 1), *self).ValueOrDie();
  Outcome out;
  out.shards.resize(4);
  Take(*sharded, out);
  out.identity = sharded->identity();
  EXPECT_EQ(out, ShardAmong(2, 4, rows, 5));
}

// The worked example of docs/rows.md.
TEST(ShardRows, GivesTheShardsWrittenDown) {
  const RowSchema layout = MakeRowSchema({.numeric = {"x"}});
  auto packer = Packer::Make(layout, kSchema, kShardBudget).ValueOrDie();
  for (int32_t x = 0; x < 6; ++x) ASSERT_TRUE(packer->Append(*MakeBatch({{.x = double(x)}})).ok());
  const auto self = MakeSelfCommunicator();
  auto sharded = ShardRows(std::move(packer), ShardOwners(4, 1), *self).ValueOrDie();
  std::vector<std::vector<float>> values;
  for (int32_t s = 0; s < 4; ++s) {
    auto& shard = values.emplace_back();
    const std::string bytes = ReadShard(*sharded, s);
    for (int64_t row = 0; row < sharded->rows(s); ++row) {
      std::memcpy(&shard.emplace_back(), bytes.data() + row * layout.width(), 4);
    }
  }
  EXPECT_EQ(values, (std::vector<std::vector<float>>{{3}, {0, 4}, {2}, {1, 5}}));
  EXPECT_EQ(sharded->identity()[1],
            (ShardIdentity{
                .rows = 2, .key_sum_low = 0x971b1d0e5299f99d, .key_sum_high = 0x34bf98ab80db4b94}));
}

TEST(ShardRows, LetsAnEpochVisitEveryRowOnce) {
  const std::vector<Row> rows = SomeRows(5003, 0.3);
  const auto self = MakeSelfCommunicator();
  auto sharded = ShardRows(Pack(rows).ValueOrDie(), ShardOwners(4, 1), *self).ValueOrDie();
  const int64_t width = kRows.width();
  for (int32_t s = 0; s < 4; ++s) {
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      const auto visit = sharded->Visit(s, Permutation(7, epoch, s, sharded->rows(s))).ValueOrDie();
      ShardIdentity visited;
      for (int64_t k = 0; k < StepsPerEpoch(5003, 250); ++k) {
        const Positions at = StepPositions(sharded->rows(s), 5003, 250, k);
        std::vector<std::byte> batch(static_cast<size_t>((at.end - at.begin) * width));
        ASSERT_TRUE(visit->Next(at.end - at.begin, batch.data()).ok());
        visited += ComputeIdentity(batch, width);
      }
      EXPECT_EQ(visited, sharded->identity()[size_t(s)]);
    }
  }
}

TEST(ShardRows, TellsEveryRankWhatAnyRankCouldNotPack) {
  const auto statuses = RunThreadRanks(2, {}, [](Communicator& communicator) {
    PT_LET(auto packer, Packer::Make(MakeRowSchema({.numeric = {"x"}, .labels = {{"y"}}}), kSchema,
                                     kShardBudget, Refusal::kWhenSharded));
    std::vector<Row> rows(10);
    if (communicator.rank() == 1) rows[3].x = NAN;
    if (communicator.rank() == 1) rows[5].x = NAN;
    PT_TRY(packer->Append(*MakeBatch(rows)));
    return ShardRows(std::move(packer), {0, 1, 2}, communicator).status();
  });
  for (const Status& status : statuses) {
    EXPECT_EQ(FaultOf(status).what, "column x is NaN in 2 of 20 rows");
    EXPECT_EQ(FaultOf(status).where, "column x, first in row 4 of rank 1");
  }
}

TEST(ShardRows, TellsEveryRankWhoseRowsExceedTheBudget) {
  const auto statuses = RunThreadRanks(2, {}, [](Communicator& communicator) {
    PT_LET(auto packer, Packer::Make(kRows, kSchema, 1000, Refusal::kWhenSharded));
    PT_TRY(packer->Append(*MakeBatch(std::vector<Row>(communicator.rank() == 0 ? 10 : 100))));
    return ShardRows(std::move(packer), {0, 1, 2}, communicator).status();
  });
  for (const Status& status : statuses) {
    EXPECT_EQ(FaultOf(status).what, "packed rows need 1600 bytes, the budget allows 1000");
    EXPECT_EQ(FaultOf(status).exit, Exit::kNoRoom);
  }
}

// Wherever in the exchange a rank dies, the others are notified at once, and nobody waits for it.
TEST(ShardRows, TellsTheOthersOfADeathBeforeAnyOfItsCalls) {
  bool survived = false;
  int life = 0;
  for (; !survived; ++life) {
    ASSERT_LT(life, 200);
    const auto statuses = RunThreadRanks(3, {}, [&](Communicator& communicator) {
      MortalRanks mortal(communicator, communicator.rank() == 1 ? life : 1000);
      PT_LET(auto packer, Pack(SomeRows(500, 0.1)));
      const Status status = ShardRows(std::move(packer), {0, 1, 2, 4}, mortal).status();
      if (communicator.rank() == 1) survived = !mortal.dead();
      return status;
    });
    for (const int rank : {0, 2}) {
      EXPECT_EQ(statuses[size_t(rank)].ok(), survived) << "rank " << rank << " at " << life;
      const std::string said = survived ? "" : FaultOf(statuses[size_t(rank)]).what;
      EXPECT_EQ(said.substr(0, 14), survived ? "" : "rank 1 is gone") << "at " << life;
    }
  }
  EXPECT_GT(life, 5) << "an exchange has more calls than these";
}

TEST(ShardRows, RefusesRanksThatLayOutRowsDifferently) {
  const auto statuses = RunThreadRanks(2, {}, [](Communicator& communicator) {
    RowColumns columns{.numeric = {"x"}, .labels = {{"y"}}, .categories = {"code"}};
    columns.labels[0].scale.mean = communicator.rank();
    PT_LET(auto packer, Packer::Make(MakeRowSchema(columns), kSchema, kShardBudget));
    return ShardRows(std::move(packer), {0, 1, 2}, communicator).status();
  });
  for (const Status& status : statuses) EXPECT_FALSE(status.ok());
}

TEST(ShardRows, LetsOneRankOwnSeveralShardsAndAnotherNone) {
  const std::vector<Row> rows = SomeRows(500, 0);
  const auto statuses = RunThreadRanks(3, {}, [&](Communicator& communicator) {
    PT_LET(auto packer, Pack(communicator.rank() == 1 ? rows : std::vector<Row>()));
    PT_LET(auto sharded, ShardRows(std::move(packer), {0, 3, 3, 4}, communicator));
    EXPECT_EQ(sharded->owns(0), communicator.rank() == 0);
    EXPECT_EQ(sharded->owns(3), communicator.rank() == 2);
    EXPECT_EQ(sharded->rows(3), 125);
    return Status::OK();
  });
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace protium
