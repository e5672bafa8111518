// SPDX-License-Identifier: Apache-2.0
#include "column/coalesce.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <numeric>

#include "column/stream.h"

namespace protium {
namespace {

std::shared_ptr<arrow::RecordBatch> Numbers(int64_t rows) {
  std::vector<int64_t> values(rows);
  std::iota(values.begin(), values.end(), 0);
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}), rows,
                                  {builder.Finish().ValueOrDie()});
}

TEST(InBatchesOf, CutsLargeBatchesAndKeepsTheOrder) {
  const auto whole = Numbers(10);
  const auto cut =
      InBatchesOf(4, MakeStream(whole->schema(), {Numbers(3), whole, Numbers(0), Numbers(4)}));
  const auto batches = Collect(*cut).ValueOrDie();
  std::vector<int64_t> rows;
  for (const auto& batch : batches) rows.push_back(batch->num_rows());
  EXPECT_EQ(rows, (std::vector<int64_t>{3, 4, 4, 2, 0, 4}));
  EXPECT_TRUE(batches[2]->Equals(*whole->Slice(4, 4)));
  EXPECT_TRUE(batches[3]->Equals(*whole->Slice(8, 2)));
}

TEST(Coalescer, HoldsBackUntilEnoughCameTogether) {
  Coalescer coalescer(1000);
  EXPECT_EQ(coalescer.Add(Numbers(60)).ValueOrDie(), nullptr);
  EXPECT_EQ(coalescer.Add(Numbers(0)).ValueOrDie(), nullptr);
  const auto joined = coalescer.Add(Numbers(70)).ValueOrDie();
  ASSERT_NE(joined, nullptr);
  EXPECT_EQ(joined->num_rows(), 130);
  EXPECT_EQ(coalescer.Flush().ValueOrDie(), nullptr);
}

TEST(Coalescer, GivesTheRestWhenFlushed) {
  Coalescer coalescer;
  EXPECT_EQ(coalescer.Add(Numbers(5)).ValueOrDie(), nullptr);
  EXPECT_EQ(coalescer.Flush().ValueOrDie()->num_rows(), 5);
}

TEST(BatchBytes, CountsASliceByItsPart) { EXPECT_EQ(BatchBytes(*Numbers(100)->Slice(10, 5)), 40); }

}  // namespace
}  // namespace protium
