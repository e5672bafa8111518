// SPDX-License-Identifier: Apache-2.0
#include "tensor/id_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/fault.h"
#include "base/splitmix.h"

namespace protium {

namespace {

constexpr uint64_t kMinusOne = ~uint64_t{0}, kHalf = uint64_t{1} << 63;

Safetensors FileOf(const std::vector<NamedTensor>& tensors) {
  const std::string bytes = SafetensorsBytes(tensors);
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return Safetensors::Parse({data, data + bytes.size()}, "a file").ValueOrDie();
}

}  // namespace

TEST(IdSet, FindsIdsOfAnyValue) {
  IdSet set;
  EXPECT_EQ(set.Find(0), kUnseenId);
  for (const uint64_t id : {kMinusOne, uint64_t{0}, kHalf, uint64_t{0}}) {
    ASSERT_TRUE(set.Add(id).ok());
  }
  EXPECT_EQ(set.count(), 3);
  EXPECT_EQ(set.Find(kMinusOne), 0);
  EXPECT_EQ(set.Find(0), 1);
  EXPECT_EQ(set.Find(kHalf), 2);
  EXPECT_EQ(set.Find(1), kUnseenId);
  EXPECT_EQ(set.Ascending(), (std::vector<uint64_t>{0, kHalf, kMinusOne}));
}

TEST(IdSet, FindsEachOfManyIds) {
  IdSet set;
  for (uint64_t i = 0; i < 10'000; ++i) ASSERT_TRUE(set.Add(SplitMix(i)).ok());
  for (uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(set.Find(SplitMix(i)), int32_t(i));
  EXPECT_EQ(set.Find(SplitMix(10'000)), kUnseenId);
}

TEST(IdTables, AreReadFromTheirTensors) {
  const auto tables = IdTables::Make({{0, kHalf, kMinusOne}, {7}}, 42).ValueOrDie();
  const auto read = IdTables::Read(FileOf(tables->Tensors()), 2, "a file").ValueOrDie();
  EXPECT_EQ(read->seed, 42u);
  EXPECT_TRUE(std::ranges::equal(read->columns[0].ids(), tables->columns[0].ids()));
  EXPECT_EQ(read->columns[1].Find(7), 0);
}

TEST(IdTables, KeepForHowLongIdsHaveGoneUnread) {
  const std::vector<std::vector<int64_t>> unread = {{0, 3}, {1}};
  const auto tables = IdTables::Make({{1, 2}, {7}}, 42, unread).ValueOrDie();
  std::vector<NamedTensor> tensors = tables->Tensors();
  EXPECT_EQ(IdTables::Read(FileOf(tensors), 2, "a file").ValueOrDie()->unread, unread);
  tensors.pop_back();
  EXPECT_FALSE(IdTables::Read(FileOf(tensors), 2, "a file").ok());
  const auto plain = IdTables::Make({{1, 2}, {7}}, 42).ValueOrDie();
  EXPECT_TRUE(IdTables::Read(FileOf(plain->Tensors()), 2, "a file").ValueOrDie()->unread.empty());
}

TEST(IdTables, RefuseFilesInWhichTheyAreMissingOrDamaged) {
  const auto tables = IdTables::Make({{1, 2}}, 42).ValueOrDie();
  EXPECT_FALSE(IdTables::Read(FileOf(tables->Tensors()), 2, "a file").ok());
  for (const std::vector<uint64_t>& ids :
       {std::vector<uint64_t>{2, 1}, std::vector<uint64_t>{1, 1}, std::vector<uint64_t>{}}) {
    std::vector<NamedTensor> tensors = tables->Tensors();
    tensors[0].shape = {int64_t(ids.size())};
    tensors[0].data = std::as_bytes(std::span(ids));
    EXPECT_FALSE(IdTables::Read(FileOf(tensors), 1, "a file").ok());
  }
  std::vector<NamedTensor> tensors = tables->Tensors();
  tensors[0].dtype = "F64";
  EXPECT_FALSE(IdTables::Read(FileOf(tensors), 1, "a file").ok());
  for (const std::vector<int64_t>& unread :
       {std::vector<int64_t>{1}, std::vector<int64_t>{0, -1}, std::vector<int64_t>{0, INT64_MAX}}) {
    const auto begun = IdTables::Make({{1, 2}}, 42, {unread}).ValueOrDie();
    const Status read = IdTables::Read(FileOf(begun->Tensors()), 1, "a file").status();
    EXPECT_EQ(FaultOf(read).what, "the ids of the net are damaged: a file");
  }
}

TEST(DrawIdRow, DependsOnKeyIdAndElementAlone) {
  std::array<float, 8> first, again;
  std::array<float, 3> shorter;
  DrawIdRow(1, kMinusOne, 0.5f, first);
  DrawIdRow(1, kMinusOne, 0.5f, again);
  DrawIdRow(1, kMinusOne, 0.5f, shorter);
  EXPECT_EQ(first, again);
  EXPECT_TRUE(std::ranges::equal(shorter, std::span(first).first(3)));
  DrawIdRow(2, kMinusOne, 0.5f, again);
  EXPECT_NE(first, again);
  DrawIdRow(1, 0, 0.5f, again);
  EXPECT_NE(first, again);
}

// The numbers that docs/rows.md lists.
TEST(DrawIdRow, HasKnownValuesWithinItsBound) {
  std::array<float, 2> row;
  DrawIdRow(7, kHalf, 1, row);
  EXPECT_EQ(row[0], 0.21609032154083252f);
  EXPECT_EQ(row[1], 0.04281628131866455f);
  double sum = 0;
  for (uint64_t id = 0; id < 10'000; ++id) {
    DrawIdRow(7, id, 0.05f, row);
    ASSERT_TRUE(std::abs(row[0]) <= 0.05f && std::abs(row[1]) <= 0.05f);
    sum += row[0] + row[1];
  }
  EXPECT_NEAR(sum / 20'000, 0, 0.001);
}

}  // namespace protium
