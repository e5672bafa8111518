// SPDX-License-Identifier: Apache-2.0
#include "rows/spill_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>

#include "base/fault.h"
#include "os/file.h"
#include "os/file_size_limit.h"

namespace protium {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::byte>;

// Random rows; `copies` of ten are the same row.
Bytes DrawRows(int64_t rows, int64_t width, int copies) {
  std::mt19937 random(static_cast<uint32_t>(rows + width));
  Bytes bytes(static_cast<size_t>(rows * width), std::byte(1));
  for (int64_t row = 0; row < rows; ++row) {
    if (int(random() % 10) < copies) continue;
    for (int64_t i = 0; i < width; ++i) bytes[size_t(row * width + i)] = std::byte(random());
  }
  return bytes;
}

void Fill(RowStore& store, const Bytes& rows) {
  const int64_t width = store.width(), count = int64_t(rows.size()) / width;
  for (int64_t at = 0; at < count;) {
    const int64_t some = std::min<int64_t>(7, count - at);
    std::byte* const room = store.Room(8).ValueOrDie();
    std::memcpy(room, rows.data() + at * width, size_t(some * width));
    ASSERT_TRUE(store.Add(some).ok());
    at += some;
  }
}

Bytes ReadScan(const RowStore& store, RowSpan range, int64_t most) {
  Bytes bytes;
  const auto scan = store.Scan(range);
  while (true) {
    const auto block = scan->Next(most).ValueOrDie();
    EXPECT_LE(int64_t(block.size()), most * store.width());
    if (block.empty()) return bytes;
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
}

// In steps of 1, 2, 3, ... rows.
Bytes ReadVisit(RowVisit& visit, int64_t rows, int64_t width) {
  Bytes bytes(static_cast<size_t>(rows * width));
  int64_t at = 0;
  for (int64_t step = 1; at < rows; ++step) {
    const int64_t some = std::min(step, rows - at);
    EXPECT_TRUE(visit.Next(some, bytes.data() + at * width).ok());
    at += some;
  }
  return bytes;
}

class Spilling : public testing::Test {
 protected:
  RowRoom Room(int64_t bytes) const {
    RowRoom room(bytes);
    room.disk = folder_.path();
    return room;
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

struct Read {
  std::vector<ShardIdentity> identities;
  Bytes rows;
  std::vector<Bytes> visits;
};

// Everything that can be read from a store that sorts these rows, in three parts.
Read SortAndRead(const RowStoreSpec& spec, const Bytes& bytes, int64_t* disk_bytes = nullptr) {
  const auto store = MakeRowStore(spec);
  Fill(*store, bytes);
  const int64_t rows = store->rows();
  const std::vector<int64_t> ends{rows / 3, rows / 3, rows};
  Read read{.identities = store->Sort(ends).ValueOrDie()};
  read.rows = ReadScan(*store, {0, rows}, 5);
  EXPECT_EQ(ReadScan(*store, {rows / 3, rows}, 1000),
            Bytes(read.rows.begin() + rows / 3 * spec.width, read.rows.end()));
  for (const RowSpan part : {RowSpan{0, rows / 3}, RowSpan{rows / 3, rows}}) {
    const Permutation order(3, 1, 2, part.size());
    read.visits.push_back(
        ReadVisit(*store->Visit(part, order).ValueOrDie(), part.size(), spec.width));
  }
  if (disk_bytes != nullptr) *disk_bytes = store->disk_bytes();
  return read;
}

TEST_F(Spilling, GivesTheBytesOfMemoryForAnyBudget) {
  for (const int64_t width : {4, 100, 5000}) {
    for (const int copies : {0, 9, 10}) {
      for (const int64_t rows : {0, 1, 8, 1000}) {
        const Bytes bytes = DrawRows(rows, width, copies);
        const Read expected = SortAndRead({.width = width, .sorts = true}, bytes);
        for (const int64_t budget : {0, 1, 1000, 20'000, 300'000, 100'000'000}) {
          int64_t disk = -1;
          const RowStoreSpec spec{.width = width, .sorts = true, .room = Room(budget), .visits = 2};
          const Read read = SortAndRead(spec, bytes, &disk);
          ASSERT_EQ(read.identities, expected.identities) << width << " " << rows << " " << budget;
          ASSERT_EQ(read.rows, expected.rows) << width << " " << rows << " " << budget;
          ASSERT_EQ(read.visits, expected.visits) << width << " " << rows << " " << budget;
          const bool fits = (rows + 8) * width <= budget;
          if (fits || (rows > 8 && budget < rows * width)) {
            EXPECT_EQ(disk, fits ? 0 : rows * width);
          }
          EXPECT_EQ(spec.room.memory->left(), budget) << "all grants are given back";
        }
      }
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Spilling, KeepsTheOrderOfRowsThatAreNotSorted) {
  constexpr int64_t kWidth = 20;
  const Bytes bytes = DrawRows(1000, kWidth, 0);
  for (const int64_t most : {0, 1000, 2000}) {
    for (const int64_t budget : {0, 1000, 19'999, 20'000, 1'000'000}) {
      const auto store = MakeRowStore({.width = kWidth, .most_rows = most, .room = Room(budget)});
      Fill(*store, bytes);
      EXPECT_EQ(store->rows(), 1000);
      EXPECT_EQ(ReadScan(*store, {0, 1000}, 33), bytes) << most << " " << budget;
      const Permutation order(1, 1, 1, 700);
      const Bytes visited = ReadVisit(*store->Visit({200, 900}, order).ValueOrDie(), 700, kWidth);
      for (int64_t p = 0; p < 700; ++p) {
        ASSERT_EQ(std::memcmp(&visited[size_t(p * kWidth)],
                              &bytes[size_t((200 + order.At(p)) * kWidth)], kWidth),
                  0);
      }
      store->Release({0, 1000});
    }
  }
}

TEST_F(Spilling, LetsPassesRunSideBySide) {
  const RowStoreSpec spec{.width = 8, .sorts = true, .room = Room(2000), .visits = 3};
  const auto store = MakeRowStore(spec);
  Fill(*store, DrawRows(1000, 8, 0));
  ASSERT_TRUE(store->Sort({}).ok());
  const Permutation order(1, 1, 1, 1000), other(1, 2, 1, 1000);
  const auto one = store->Visit({0, 1000}, order).ValueOrDie();
  const auto same = store->Visit({0, 1000}, order).ValueOrDie();
  const auto third = store->Visit({0, 1000}, other).ValueOrDie();
  Bytes a(8000), b(8000), c(8000);
  for (size_t at = 0; at < 8000; at += 400) {
    ASSERT_TRUE(one->Next(50, &a[at]).ok() && third->Next(50, &c[at]).ok());
    ASSERT_TRUE(same->Next(50, &b[at]).ok());
  }
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  const auto key_sum = [](const Bytes& rows) { return ComputeIdentity(rows, 8); };
  EXPECT_EQ(key_sum(a), key_sum(c));
}

TEST_F(Spilling, SharesABudgetWithOtherStores) {
  const RowRoom room = Room(100'000);
  const RowStoreSpec spec{.width = 10, .sorts = true, .room = room};
  const auto one = MakeRowStore(spec), two = MakeRowStore(spec), late = MakeRowStore(spec);
  Fill(*one, DrawRows(5000, 10, 0));
  Fill(*two, DrawRows(4000, 10, 0));
  EXPECT_EQ(one->disk_bytes() + two->disk_bytes(), 0);
  Fill(*late, DrawRows(5000, 10, 0));
  EXPECT_GT(late->disk_bytes(), 0);
  EXPECT_EQ(one->disk_bytes() + two->disk_bytes(), 0);
  // A sixteenth of all is more than was left, and enough to continue.
  EXPECT_GE(room.memory->left(), -100'000 / 16);
  one->Leave();
  EXPECT_GE(room.memory->left(), 40'000);
}

TEST_F(Spilling, AFullDiskFailsWhileRowsAreAddedOrSorted) {
  const Bytes bytes = DrawRows(10'000, 100, 0);
  for (const rlim_t limit : {50'000, 999'999}) {
    const auto store = MakeRowStore({.width = 100, .sorts = true, .room = Room(100'000)});
    std::optional<FileSizeLimit> full(limit);
    Status status;
    for (int64_t at = 0; status.ok() && at < 10'000; at += 100) {
      const auto room = store->Room(100);
      status = room.status();
      if (!room.ok()) break;
      std::memcpy(*room, bytes.data() + at * 100, 10'000);
      status = store->Add(100);
    }
    if (status.ok()) status = store->Sort({}).status();
    full.reset();
    EXPECT_EQ(FaultOf(status).exit, Exit::kNoRoom) << status;
    EXPECT_THAT(FaultOf(status).what, HasSubstr("no room on the disk"));
    EXPECT_EQ(FaultOf(status).where, folder_.path().string());
  }
}

TEST_F(Spilling, AFullDiskFailsAVisitBeforeItGivesRows) {
  const auto store = MakeRowStore({.width = 100, .sorts = true, .room = Room(100'000)});
  Fill(*store, DrawRows(10'000, 100, 0));
  ASSERT_TRUE(store->Sort({}).ok());
  std::optional<FileSizeLimit> full(1'000'000);
  const auto visit = store->Visit({0, 10'000}, Permutation(0, 0, 0, 10'000));
  full.reset();
  EXPECT_EQ(FaultOf(visit.status()).exit, Exit::kNoRoom);
  EXPECT_THAT(FaultOf(visit.status()).what, HasSubstr("no room on the disk"));
}

}  // namespace
}  // namespace protium
