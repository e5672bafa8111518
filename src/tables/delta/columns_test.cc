// SPDX-License-Identifier: Apache-2.0
#include "delta/columns.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

const auto kRows =
    arrow::schema({arrow::field("id", arrow::int32()),
                   arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO)),
                   arrow::field("cost", arrow::decimal128(38, 10)),
                   arrow::field("tags", arrow::list(arrow::utf8())),
                   arrow::field("spot", arrow::struct_({arrow::field("x", arrow::float64())}))});

std::string RefusalOf(const Json& schema, const arrow::Schema& rows) {
  const auto columns = FitColumns(schema, rows, "lake");
  return columns.ok() ? "" : FaultOf(columns.status()).what;
}

TEST(DeltaColumns, OfANewTableAreThoseOfTheRows) {
  const Result<Json> schema = DeltaSchema(*kRows);
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto columns = FitColumns(*schema, *kRows, "lake");
  ASSERT_TRUE(columns.ok()) << columns.status();
  std::vector<std::string> types;
  for (const LakeColumn& column : *columns) types.push_back(column.type);
  EXPECT_EQ(types,
            (std::vector<std::string>{"INTEGER", "TIMESTAMP WITH TIME ZONE", "decimal(38,10)",
                                      "VARCHAR[]", "STRUCT(\"x\" DOUBLE)"}));
}

TEST(DeltaColumns, TakeNarrowerNumbersAndNoOthers) {
  const auto table = [](const char* type) {
    return *ParseJson(std::string(R"({"type":"struct","fields":[{"name":"id","type":")") + type +
                      R"(","nullable":false}]})");
  };
  const auto rows = [](const std::shared_ptr<arrow::DataType>& type) {
    return arrow::Schema({arrow::field("id", type)});
  };
  EXPECT_EQ(RefusalOf(table("long"), rows(arrow::int32())), "");
  EXPECT_EQ(RefusalOf(table("double"), rows(arrow::float32())), "");
  EXPECT_EQ(RefusalOf(table("timestamp_ntz"), rows(arrow::timestamp(arrow::TimeUnit::MICRO))), "");
  EXPECT_FALSE((*FitColumns(table("long"), rows(arrow::int64()), ""))[0].nullable);
  EXPECT_EQ(RefusalOf(table("integer"), rows(arrow::int64())),
            "column \"id\" is \"long\" in the rows, and \"integer\" in the table");
  EXPECT_NE(RefusalOf(table("double"), rows(arrow::int64())), "");
  EXPECT_NE(RefusalOf(table("long"), rows(arrow::utf8())), "");
}

TEST(DeltaColumns, ThatOneSideLacksAreNamed) {
  const Json schema = *DeltaSchema(arrow::Schema({arrow::field("a", arrow::int64())}));
  EXPECT_EQ(RefusalOf(schema, arrow::Schema({arrow::field("b", arrow::int64())})),
            "the rows have no column \"a\", which the table has");
  EXPECT_EQ(RefusalOf(schema, arrow::Schema({arrow::field("a", arrow::int64()),
                                             arrow::field("b", arrow::int64())})),
            "the table has no column \"b\", which the rows have");
}

TEST(DeltaColumns, WithNamesAndTypesThatDeltaLacksAreRefused) {
  EXPECT_FALSE(DeltaSchema(arrow::Schema({arrow::field("a b", arrow::int64())})).ok());
  EXPECT_FALSE(DeltaSchema(arrow::Schema({arrow::field("a", arrow::uint64())})).ok());
  EXPECT_EQ(RefusalOf(*ParseJson(R"({"fields":[{"name":"a","type":"variant"}]})"),
                      arrow::Schema({arrow::field("a", arrow::int64())})),
            "column \"a\" is \"long\" in the rows, and \"variant\" in the table");
}

}  // namespace
}  // namespace protium
