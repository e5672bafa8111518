// SPDX-License-Identifier: Apache-2.0
#include "iceberg/columns.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

arrow::Schema Rows() {
  return arrow::Schema(
      {arrow::field("id", arrow::int64()), arrow::field("small", arrow::int16()),
       arrow::field("price", arrow::decimal128(9, 2)),
       arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO)),
       arrow::field("words", arrow::list(arrow::utf8())),
       arrow::field("pair", arrow::struct_({arrow::field("x", arrow::float32())}))});
}

std::string Refusal(const Json& schema, const arrow::Schema& rows) {
  return FaultOf(FitIcebergColumns(schema, rows, "place").status()).what;
}

TEST(IcebergColumns, OfANewTableAreThoseOfTheRowsWithNumbers) {
  const auto schema = IcebergSchema(Rows());
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto columns = FitIcebergColumns(*schema, Rows(), "place");
  ASSERT_TRUE(columns.ok()) << columns.status();
  std::string types, ids;
  for (const LakeColumn& each : *columns) {
    types += each.type + ";";
    ids += each.field_id + ";";
  }
  EXPECT_EQ(types,
            "BIGINT;INTEGER;decimal(9,2);TIMESTAMP WITH TIME ZONE;VARCHAR[];STRUCT(\"x\" FLOAT);");
  EXPECT_EQ(ids,
            "1;2;3;4;{__duckdb_field_id: 5, element: {__duckdb_field_id: 6}};"
            "{__duckdb_field_id: 7, \"x\": {__duckdb_field_id: 8}};");
}

TEST(IcebergColumns, TakeNarrowerNumbersAndNoOthers) {
  Json schema = *IcebergSchema(Rows());
  schema["fields"][1]["type"] = "long";
  schema["fields"][3]["type"] = "timestamp";
  EXPECT_EQ(Refusal(schema, Rows()), "");
  schema["fields"][0]["type"] = "int";
  EXPECT_EQ(Refusal(schema, Rows()),
            "column \"id\" is \"long\" in the rows, and \"int\" in the table");
}

TEST(IcebergColumns, ThatOneSideLacksAreNamed) {
  const Json schema = *IcebergSchema(Rows());
  const arrow::Schema one({arrow::field("id", arrow::int64())});
  EXPECT_EQ(Refusal(schema, one), "the rows have no column \"small\", which the table has");
  EXPECT_EQ(Refusal(*IcebergSchema(one), Rows()),
            "the table has no column \"small\", which the rows have");
}

TEST(IcebergColumns, WithTypesThatAreNotWrittenAreRefused) {
  const arrow::Schema rows({arrow::field("t", arrow::time64(arrow::TimeUnit::MICRO))});
  EXPECT_NE(FaultOf(IcebergSchema(rows).status()).what.find("Iceberg do not have"),
            std::string::npos);
  const arrow::Schema text({arrow::field("u", arrow::utf8())});
  Json schema = *IcebergSchema(text);
  schema["fields"][0]["type"] = "uuid";
  EXPECT_EQ(Refusal(schema, text),
            "column \"u\" of the Iceberg table is of type uuid, which is not written here");
}

TEST(IcebergColumns, HaveBoundsInTheirBinaryForm) {
  const Json schema = {{"fields",
                        {{{"id", 1}, {"name", "a"}, {"type", "int"}},
                         {{"id", 2}, {"name", "b"}, {"type", "long"}},
                         {{"id", 3}, {"name", "c"}, {"type", "date"}},
                         {{"id", 4}, {"name", "d"}, {"type", "string"}}}}};
  const auto bounds =
      IcebergBounds(schema, {{"a", -2}, {"b", 258}, {"c", "1970-01-03"}, {"d", "text"}});
  ASSERT_EQ(bounds.size(), 3);
  EXPECT_EQ(bounds.at(1), "\xfe\xff\xff\xff");
  EXPECT_EQ(bounds.at(2), std::string("\x02\x01\0\0\0\0\0\0", 8));
  EXPECT_EQ(bounds.at(3), std::string("\x02\0\0\0", 4));
  EXPECT_EQ(IcebergCounts(schema, {{"b", 4}}).at(2), 4);
}

}  // namespace
}  // namespace protium
