// SPDX-License-Identifier: Apache-2.0
#include "rows/row_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace protium {
namespace {

// Adds `rows` different rows, a few at a time.
std::vector<std::byte> FillStore(RowStore& store, int64_t rows) {
  const int64_t width = store.width();
  std::vector<std::byte> bytes(static_cast<size_t>(rows * width));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 7 + i / 256);
  for (int64_t at = 0; at < rows;) {
    const int64_t count = std::min<int64_t>(7, rows - at);
    std::byte* const room = store.Room(8).ValueOrDie();
    std::memcpy(room, bytes.data() + at * width, size_t(count * width));
    EXPECT_TRUE(store.Add(count).ok());
    at += count;
  }
  return bytes;
}

std::vector<std::byte> ReadAll(const RowStore& store, RowSpan range, int64_t most) {
  std::vector<std::byte> bytes;
  const auto scan = store.Scan(range);
  while (true) {
    const auto block = scan->Next(most).ValueOrDie();
    EXPECT_LE(int64_t(block.size()), most * store.width());
    EXPECT_EQ(int64_t(block.size()) % store.width(), 0);
    if (block.empty()) return bytes;
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
}

TEST(RowStore, GivesBackTheRowsThatWereAdded) {
  for (const int64_t most : {0, 1000}) {
    const auto store = MakeRowStore({.width = 12, .most_rows = most});
    EXPECT_TRUE(ReadAll(*store, {0, 0}, 10).empty());
    const auto bytes = FillStore(*store, 1000);
    EXPECT_EQ(store->rows(), 1000);
    EXPECT_EQ(ReadAll(*store, {0, 1000}, 33), bytes);
    EXPECT_EQ(ReadAll(*store, {10, 12}, 33),
              (std::vector<std::byte>(bytes.begin() + 120, bytes.begin() + 144)));
  }
}

TEST(RowStore, VisitsRowsInTheirOrder) {
  for (const int64_t width : {4, 12, 68, 160}) {
    for (const int64_t rows : {1, 5, 24, 25, 300}) {
      const auto store = MakeRowStore({.width = width});
      const auto bytes = FillStore(*store, rows + 3);
      const Permutation order(1, 2, 3, rows);
      const auto visit = store->Visit({3, rows + 3}, order).ValueOrDie();
      std::vector<std::byte> out(static_cast<size_t>(rows * width));
      ASSERT_TRUE(visit->Next(rows / 3, out.data()).ok());
      ASSERT_TRUE(visit->Next(rows - rows / 3, out.data() + rows / 3 * width).ok());
      for (int64_t p = 0; p < rows; ++p) {
        ASSERT_EQ(std::memcmp(&out[size_t(p * width)], &bytes[size_t((3 + order.At(p)) * width)],
                              size_t(width)),
                  0);
      }
    }
  }
}

TEST(RowStore, SortsByKeyAndTellsTheIdentitiesOfParts) {
  const auto store = MakeRowStore({.width = 8, .sorts = true});
  const auto bytes = FillStore(*store, 1000);
  const std::vector<int64_t> ends{100, 100, 1000};
  const auto identities = store->Sort(ends).ValueOrDie();
  std::vector<std::byte> sorted = ReadAll(*store, {0, 1000}, 1000);
  const auto key = [&](size_t row) { return HashRow(&sorted[row * 8], 8); };
  for (size_t row = 1; row < 1000; ++row) ASSERT_LE(key(row - 1), key(row));
  EXPECT_EQ(identities.at(0), ComputeIdentity(std::span(sorted).first(800), 8));
  EXPECT_EQ(identities.at(1), ShardIdentity());
  ShardIdentity all = identities[0];
  all += identities.at(2);
  EXPECT_EQ(all, ComputeIdentity(bytes, 8));
}

TEST(RowStore, KeepsWhatIsNotReleased) {
  constexpr int64_t kWidth = 160, kRows = 60'000;
  const auto store = MakeRowStore({.width = kWidth});
  const auto bytes = FillStore(*store, kRows);
  for (int64_t at = 10; at < 50'000; at += 10) store->Release({at, at + 10});
  EXPECT_EQ(ReadAll(*store, {0, 10}, 10),
            (std::vector<std::byte>(bytes.begin(), bytes.begin() + 10 * kWidth)));
  EXPECT_EQ(ReadAll(*store, {50'000, kRows}, 999),
            (std::vector<std::byte>(bytes.begin() + 50'000 * kWidth, bytes.end())));
}

}  // namespace
}  // namespace protium
