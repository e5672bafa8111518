// SPDX-License-Identifier: Apache-2.0
#include "workers/slots.h"

#include <gtest/gtest.h>

#include "workers/protocol.h"
#include "workers/testing/test_tasks.h"

namespace protium {
namespace {

TEST(Slots, AreUsedAgainOnlyWhenTheLastReferenceIsGone) {
  SlotWriter writer;
  SlotReader reader(NumberSchema(), [&](int32_t slot) { writer.Free(slot); });
  WrittenBatch first = writer.Write(*NumberBatch(0, 10)).ValueOrDie();
  EXPECT_TRUE(first.memory);
  auto batch = reader.Read(first.slot, first.bytes, std::move(first.memory)).ValueOrDie();
  const auto column = batch->column(0);
  batch.reset();
  WrittenBatch second = writer.Write(*NumberBatch(10, 10)).ValueOrDie();
  EXPECT_NE(second.slot, first.slot);
  EXPECT_EQ(static_cast<const arrow::Int64Array&>(*column).Value(9), 9);
}

TEST(Slots, KeepTheirMemoryUntilABatchIsTooLarge) {
  SlotWriter writer;
  SlotReader reader(NumberSchema(), [&](int32_t slot) { writer.Free(slot); });
  WrittenBatch first = writer.Write(*NumberBatch(0, 10)).ValueOrDie();
  ASSERT_TRUE(reader.Read(first.slot, first.bytes, std::move(first.memory)).ok());
  WrittenBatch second = writer.Write(*NumberBatch(0, 20)).ValueOrDie();
  EXPECT_EQ(second.slot, 0);
  EXPECT_FALSE(second.memory);
  ASSERT_TRUE(reader.Read(second.slot, second.bytes, UniqueFd()).ok());
  WrittenBatch large = writer.Write(*NumberBatch(0, 1 << 20)).ValueOrDie();
  EXPECT_EQ(large.slot, 0);
  ASSERT_TRUE(large.memory);
  const auto read = reader.Read(large.slot, large.bytes, std::move(large.memory)).ValueOrDie();
  EXPECT_TRUE(read->Equals(*NumberBatch(0, 1 << 20)));
}

TEST(Slots, HaveAWindowThatTakingOpens) {
  SlotWriter writer;
  for (int i = 0; i < kWindow; ++i) {
    EXPECT_TRUE(writer.HasRoom());
    ASSERT_TRUE(writer.Write(*NumberBatch(0, 1)).ok());
  }
  EXPECT_FALSE(writer.HasRoom());
  writer.Taken();
  EXPECT_TRUE(writer.HasRoom());
}

TEST(Slots, AreNotBelievedBlindly) {
  SlotReader reader(NumberSchema(), [](int32_t) {});
  EXPECT_FALSE(reader.Read(0, 8, UniqueFd()).ok());
  EXPECT_FALSE(reader.Read(-1, 8, UniqueFd()).ok());
  Memfd memory = Memfd::Make("test", 4096).ValueOrDie();
  UniqueFd fd = memory.Take();
  EXPECT_FALSE(reader.Read(0, 8192, std::move(fd)).ok());
  EXPECT_FALSE(reader.Read(0, 4096, UniqueFd()).ok());  // Zeroes are not a batch.
}

}  // namespace
}  // namespace protium
