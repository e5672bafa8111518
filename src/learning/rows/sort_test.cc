// SPDX-License-Identifier: Apache-2.0
#include "rows/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "rows/key.h"

namespace protium {
namespace {

std::vector<std::byte> RandomRows(int64_t rows, int64_t width, int64_t distinct, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(static_cast<size_t>(rows * width));
  for (int64_t i = 0; i < rows; ++i) {
    const auto value = uint32_t(random() % uint32_t(distinct));
    std::memcpy(&bytes[size_t(i * width)], &value, sizeof(value));
  }
  return bytes;
}

std::vector<std::string> Split(const std::vector<std::byte>& bytes, int64_t width) {
  std::vector<std::string> rows;
  for (size_t at = 0; at < bytes.size(); at += size_t(width)) {
    rows.emplace_back(reinterpret_cast<const char*>(&bytes[at]), size_t(width));
  }
  return rows;
}

// The order of rows by definition.
bool Less(const std::string& a, const std::string& b) {
  const auto* x = reinterpret_cast<const std::byte*>(a.data());
  const auto* y = reinterpret_cast<const std::byte*>(b.data());
  const auto width = int64_t(a.size());
  return CompareRows(HashRow(x, width), x, HashRow(y, width), y, width) < 0;
}

void Sort(std::vector<std::byte>& bytes, int64_t width) {
  std::vector<RowKey> keys(bytes.size() / size_t(width));
  WriteKeys(bytes.data(), width, keys);
  const RowOrder order = RowOrder::Find(bytes, width, keys).ValueOrDie();
  MoveRows(bytes, width, order);
}

TEST(RowOrder, OrdersByKeyThenBytes) {
  for (const int64_t width : {4, 12, 160, 268}) {
    for (const int64_t rows : {0, 1, 2, 3, 100, 5000}) {
      for (const int64_t distinct : {1, 7, 1'000'000}) {
        std::vector<std::byte> bytes = RandomRows(rows, width, distinct, uint32_t(rows));
        std::vector<std::string> expected = Split(bytes, width);
        std::sort(expected.begin(), expected.end(), Less);
        Sort(bytes, width);
        ASSERT_EQ(Split(bytes, width), expected) << rows << " rows of " << width;
      }
    }
  }
}

TEST(RowOrder, OrdersManyRows) {
  std::vector<std::byte> bytes = RandomRows(300'000, 8, 200'000, 1);
  std::vector<std::string> expected = Split(bytes, 8);
  std::sort(expected.begin(), expected.end(), Less);
  Sort(bytes, 8);
  EXPECT_EQ(Split(bytes, 8), expected);
}

// Keys are given, since hashes that agree in many bits cannot be found by trying.
TEST(RowOrder, DecidesByAllOfTheKeyAndThenByBytes) {
  constexpr uint64_t kHigh = 0x1234'5678'9abc'def0;
  const std::vector<RowKey> keys{
      {kHigh, 7}, {kHigh + 1, 0}, {kHigh, 6}, {kHigh, 7}, {kHigh - 1, 9}};
  const std::array<uint32_t, 5> rows{2, 0, 5, 1, 3};
  const RowOrder order = RowOrder::Find(std::as_bytes(std::span(rows)), 4, keys).ValueOrDie();
  std::vector<uint32_t> places;
  for (size_t i = 0; i < order.size(); ++i) places.push_back(order[i]);
  EXPECT_EQ(places, (std::vector<uint32_t>{4, 2, 3, 0, 1}));
}

// The worked example of docs/rows.md.
TEST(RowKey, IsTheOneWrittenDown) {
  const std::array<float, 3> row{1.5f, 0.0f, 1.0f};
  const RowKey key = HashRow(reinterpret_cast<const std::byte*>(row.data()), sizeof(row));
  EXPECT_EQ(key.high, 0xf70056f2783d2b74);
  EXPECT_EQ(key.low, 0xd9ee1fb036540690);
}

TEST(ShardIdentity, AddsKeysWithCarry) {
  ShardIdentity sum;
  AddKey({.high = 1, .low = ~uint64_t{0}}, sum);
  AddKey({.high = 2, .low = 2}, sum);
  EXPECT_EQ(sum, (ShardIdentity{.rows = 2, .key_sum_low = 1, .key_sum_high = 4}));
  ShardIdentity other{.rows = 5, .key_sum_low = ~uint64_t{0}, .key_sum_high = ~uint64_t{0}};
  other += sum;
  EXPECT_EQ(other, (ShardIdentity{.rows = 7, .key_sum_low = 0, .key_sum_high = 4}));
}

}  // namespace
}  // namespace protium
