// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/row_sums.h"

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

std::shared_ptr<arrow::RecordBatch> Batch(const SchemaPtr& schema, const std::string& json) {
  const auto rows = arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), json);
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  return *arrow::RecordBatch::FromStructArray(*rows);
}

const SchemaPtr kTwo =
    arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())});

TEST(RowSums, DoNotDependOnTheOrderOfRowsOrTheirBatches) {
  RowSums sums = SumRows(*Batch(kTwo, R"([[1, "x"], [2, null]])"));
  sums += SumRows(*Batch(kTwo, R"([[null, "y"]])"));
  EXPECT_EQ(sums, SumRows(*Batch(kTwo, R"([[null, "y"], [2, null], [1, "x"]])")));
  EXPECT_EQ(sums.rows, 3);
}

TEST(RowSums, TellOtherRowsOfTheSameNumber) {
  const RowSums sums = SumRows(*Batch(kTwo, R"([[1, "x"], [2, "y"]])"));
  EXPECT_NE(sums, SumRows(*Batch(kTwo, R"([[1, "y"], [2, "x"]])")));
  EXPECT_NE(sums, SumRows(*Batch(kTwo, R"([[1, "x"], [1, "x"]])")));
  EXPECT_NE(sums, SumRows(*Batch(kTwo, R"([[1, "x"], [2, null]])")));
}

TEST(RowSums, CountASliceAsItsOwnRows) {
  const auto all = Batch(kTwo, R"([[1, "x"], [2, null], [3, "z"]])");
  RowSums sums = SumRows(*all->Slice(0, 1));
  sums += SumRows(*all->Slice(1));
  EXPECT_EQ(sums, SumRows(*all));
}

TEST(RowSums, OfColumnsThatAreNotHashedAreTheirNumber) {
  const auto lists = arrow::schema({arrow::field("l", arrow::list(arrow::int32()))});
  EXPECT_EQ(SumRows(*Batch(lists, "[[[1]], [[2]]]")), (RowSums{.rows = 2, .hashes = 84}));
  EXPECT_EQ(RowSumsInSql(*lists)[1], "coalesce(sum(42 & 1073741823), 0) AS hashes");
}

TEST(RowSums, AskSparkForColumnsByTheirQuotedNames) {
  EXPECT_EQ(RowSumsInSql(*kTwo)[1],
            "coalesce(sum(xxhash64(`a`, CAST(`b` AS BINARY)) & 1073741823), 0) AS hashes");
}

TEST(RowSums, ComeBackFromJson) {
  const RowSums sums{.rows = 3, .hashes = 1 << 30};
  EXPECT_EQ(*RowSumsFromJson(ToJson(sums)), sums);
  EXPECT_FALSE(RowSumsFromJson(Json{{"rows", 3}}).ok());
  EXPECT_FALSE(RowSumsFromJson(Json{{"rows", 3}, {"hashes", "x"}}).ok());
}

}  // namespace
}  // namespace protium
