// SPDX-License-Identifier: Apache-2.0
#include "inference/json_rows.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

const arrow::Schema& ModelColumns() {
  static const auto schema = arrow::schema(
      {arrow::field("n", arrow::int32()), arrow::field("x", arrow::float64()),
       arrow::field("t", arrow::utf8()), arrow::field("b", arrow::boolean()),
       arrow::field("d", arrow::date32()), arrow::field("l", arrow::list(arrow::float64()))});
  return *schema;
}

constexpr const char* kRow =
    R"({"n": 7.0, "x": 1, "t": "é", "b": true, "d": "2024-02-29", "l": [1, 2.5], "more": {}})";

Fault FaultOfRows(const std::string& text) {
  const auto rows = RowsFromJson(*ParseJson(text), ModelColumns());
  return rows.ok() ? Fault{} : FaultOf(rows.status());
}

TEST(JsonRows, AreColumnsOfTheModelsTypes) {
  const Json list = *ParseJson("[" + std::string(kRow) +
                               ", {\"n\": null, \"x\": null, \"t\": null, "
                               "\"b\": null, \"d\": null, \"l\": null}]");
  const auto rows = RowsFromJson(list, ModelColumns());
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE((*rows)->schema()->Equals(ModelColumns()));
  EXPECT_EQ(Dump(RowsToJson(**rows)),
            "[{\"n\":7,\"x\":1.0,\"t\":\"é\",\"b\":true,\"d\":\"2024-02-29\",\"l\":[1.0,2.5]},"
            "{\"n\":null,\"x\":null,\"t\":null,\"b\":null,\"d\":null,\"l\":null}]");
}

TEST(JsonRows, MayComeAsColumns) {
  const auto rows =
      ColumnsFromJson(*ParseJson(R"({"x": [1, null], "t": ["a", "b"]})"), ModelColumns());
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(Dump(ColumnsToJson(**rows)), R"({"x":[1.0,null],"t":["a","b"]})");
  EXPECT_EQ(
      FaultOf(ColumnsFromJson(*ParseJson(R"({"x": [1], "t": []})"), ModelColumns()).status()).what,
      "column \"t\" is no list as long as the others");
}

TEST(JsonRows, LackColumnsThatNoRowHas) {
  const auto rows = RowsFromJson(*ParseJson(R"([{"x": 1}])"), ModelColumns());
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ((*rows)->num_columns(), 1);
}

TEST(JsonRows, SayWhichValueIsWrong) {
  const Fault text = FaultOfRows(R"([{"x": 1}, {"x": "abc"}])");
  EXPECT_EQ(text.what, "\"abc\" is no float64");
  EXPECT_EQ(text.where, "row 2, column \"x\"");
  EXPECT_EQ(text.exit, Exit::kInput);
  EXPECT_EQ(FaultOfRows(R"([{"n": 7.5}])").what, "7.5 is no int32");
  EXPECT_EQ(FaultOfRows(R"([{"n": 3000000000}])").what, "3000000000 is no int32");
  EXPECT_EQ(FaultOfRows(R"([{"n": 18446744073709551615}])").what,
            "18446744073709551615 is no int32");
  EXPECT_EQ(FaultOfRows(R"([{"t": 1}])").what, "1 is no string");
  EXPECT_EQ(FaultOfRows(R"([{"b": 1}])").what, "1 is no bool");
  EXPECT_EQ(FaultOfRows(R"([{"d": "29.2.2024"}])").what, "\"29.2.2024\" is no date");
  EXPECT_EQ(FaultOfRows(R"([{"l": [1, "a"]}])").what, "[1,\"a\"] is no list<float64>");
  EXPECT_EQ(FaultOfRows(R"([{"x": 1}, {}])").what, "the row has no column \"x\", and others have");
  EXPECT_EQ(FaultOfRows(R"([1])").what, "a row is an object with a value for each column");
  EXPECT_EQ(FaultOfRows(R"({"x": 1})").what, "rows are a list of objects");
}

}  // namespace
}  // namespace protium
