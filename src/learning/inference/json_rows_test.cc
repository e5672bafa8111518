// SPDX-License-Identifier: Apache-2.0
#include "inference/json_rows.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "base/fault.h"
#include "base/json.h"
#include "base/utf8.h"
#include "inference/json_answer.h"

namespace protium {
namespace {

constexpr int64_t kMost = 1000;

const arrow::Schema& ModelColumns() {
  static const auto schema = arrow::schema(
      {arrow::field("n", arrow::int32()), arrow::field("x", arrow::float64()),
       arrow::field("t", arrow::utf8()), arrow::field("b", arrow::boolean()),
       arrow::field("d", arrow::date32()), arrow::field("l", arrow::list(arrow::float64()))});
  return *schema;
}

constexpr const char* kRow =
    R"({"n": 7.0, "x": 1, "t": "é", "b": true, "d": "2024-02-29", "l": [1, 2.5], "more": {}})";

Result<JsonRows> Rows(const std::string& list) {
  return ReadJsonRows("{\"rows\":" + list + "}", ModelColumns(), kMost);
}

Fault FaultOfRows(const std::string& list) {
  const auto rows = Rows(list);
  return rows.ok() ? Fault{} : FaultOf(rows.status());
}

Fault FaultOfColumns(const std::string& lists) {
  const auto rows = ReadJsonRows("{\"columns\":" + lists + "}", ModelColumns(), kMost);
  return rows.ok() ? Fault{} : FaultOf(rows.status());
}

TEST(JsonRows, AreColumnsOfTheModelsTypes) {
  const auto rows = Rows("[" + std::string(kRow) +
                         ", {\"n\": null, \"x\": null, \"t\": null, "
                         "\"b\": null, \"d\": null, \"l\": null}]");
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE(rows->batch->schema()->Equals(ModelColumns()));
  EXPECT_TRUE(rows->batch->ValidateFull().ok());
  EXPECT_EQ(rows->form, JsonForm::kRows);
  EXPECT_EQ(RowsToJson(*rows->batch),
            "[{\"n\":7,\"x\":1.0,\"t\":\"é\",\"b\":true,\"d\":\"2024-02-29\",\"l\":[1.0,2.5]},"
            "{\"n\":null,\"x\":null,\"t\":null,\"b\":null,\"d\":null,\"l\":null}]");
}

TEST(JsonRows, HaveWholeNumbersWithoutASign) {
  const auto columns =
      arrow::schema({arrow::field("a", arrow::uint8()), arrow::field("b", arrow::uint16()),
                     arrow::field("c", arrow::uint32())});
  const auto read = [&](const std::string& row) { return ReadBareJsonRows(row, *columns); };
  const std::string row = R"({"a":255,"b":65535,"c":4294967295})";
  const auto rows = read(row);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(RowToJson(*rows->batch, 0), row);
  EXPECT_FALSE(read(R"({"a": 256})").ok());
  EXPECT_FALSE(read(R"({"b": -1})").ok());
  EXPECT_FALSE(read(R"({"c": "7"})").ok());
}

TEST(JsonRows, MayComeAsColumnsInAnyOrder) {
  const auto rows = ReadJsonRows(R"({"columns": {"t": ["a", "b"], "more": [{}], "x": [1, null]}})",
                                 ModelColumns(), kMost);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->form, JsonForm::kColumns);
  EXPECT_EQ(ColumnsToJson(*rows->batch), R"({"x":[1.0,null],"t":["a","b"]})");
  EXPECT_EQ(FaultOfColumns(R"({"x": [1], "t": []})").what,
            "column \"t\" is not a list as long as the others");
  EXPECT_EQ(FaultOfColumns(R"({"x": [1], "t": ["a", "b"]})").what,
            "column \"t\" is not a list as long as the others");
  EXPECT_EQ(FaultOfColumns(R"({"x": 1})").what, "column \"x\" is not a list as long as the others");
  EXPECT_EQ(FaultOfColumns("[]").what, "columns are an object with a list for each column");
}

TEST(JsonRows, MayComeBare) {
  const auto one = ReadBareJsonRows(kRow, ModelColumns());
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->form, JsonForm::kRow);
  EXPECT_EQ(RowToJson(*one->batch, 0),
            R"({"n":7,"x":1.0,"t":"é","b":true,"d":"2024-02-29","l":[1.0,2.5]})");
  const auto list = ReadBareJsonRows("[" + std::string(kRow) + "]", ModelColumns());
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->form, JsonForm::kRows);
  EXPECT_TRUE(list->batch->Equals(*one->batch));
  EXPECT_EQ(FaultOf(ReadBareJsonRows("7", ModelColumns()).status()).what,
            "rows are a list of objects");
}

TEST(JsonRows, LackColumnsThatNoRowHas) {
  EXPECT_EQ(Rows(R"([{"x": 1}])")->batch->num_columns(), 1);
  EXPECT_EQ(Rows("[{}, {}]")->batch->num_columns(), 0);
  EXPECT_EQ(Rows("[{}, {}]")->batch->num_rows(), 2);
  EXPECT_EQ(Rows("[]")->batch->num_columns(), 6) << "no rows have no keys to go by";
}

TEST(JsonRows, HaveTheirKeysInAnyOrder) {
  const auto rows =
      Rows(R"([{"x": 1, "t": "a"}, {"t": "b", "x": 2}, {"q": [], "t": "c", "\u0078": 3}])");
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(ColumnsToJson(*rows->batch), R"({"x":[1.0,2.0,3.0],"t":["a","b","c"]})");
}

TEST(JsonRows, SayWhichValueIsWrong) {
  const Fault text = FaultOfRows(R"([{"x": 1}, {"x": "abc"}])");
  EXPECT_EQ(text.what, "\"abc\" is not a valid float64");
  EXPECT_EQ(text.where, "row 2, column \"x\"");
  EXPECT_EQ(text.exit, Exit::kInput);
  for (const auto& [rows, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"([{"n": 7.5}])", "7.5 is not a valid int32"},
           {R"([{"n": 3000000000}])", "3000000000 is not a valid int32"},
           {R"([{"n": 18446744073709551615}])", "18446744073709551615 is not a valid int32"},
           {R"([{"x": 1e999}])", "1e999 is not a valid float64"},
           {R"([{"x": 01}])", "not valid JSON: a number is not written as JSON has them"},
           {R"([{"x": true}])", "true is not a valid float64"},
           {R"([{"x": "1"}])", "\"1\" is not a valid float64"},
           {R"([{"d": 20240229}])", "20240229 is not a valid date"},
           {R"([{"x": {"a" : 1}}])", "{\"a\":1} is not a valid float64"},
           {R"([{"t": 1}])", "1 is not a valid string"},
           {R"([{"b": 1}])", "1 is not a valid bool"},
           {R"([{"d": "29.2.2024"}])", "\"29.2.2024\" is not a valid date"},
           {R"([{"l": [1, "a"]}])", "[1,\"a\"] is not a valid list<float64>"},
           {R"([{"x": 1}, {}])", "the row has no column \"x\", and others have"},
           {R"([{}, {"x": 1}])", "the row has no column \"x\", and others have"},
           {R"([1])", "a row is an object with a value for each column"},
           {R"({"x": 1})", "rows are a list of objects"}}) {
    EXPECT_EQ(FaultOfRows(rows).what, what) << rows;
  }
  EXPECT_EQ(FaultOfRows(R"([{}, {"x": 1}])").where, "row 1");
}

TEST(JsonRows, OfFloatsAreNoInfinities) {
  const auto schema = arrow::schema({arrow::field("f", arrow::float32())});
  const auto rows = ReadJsonRows(R"({"rows": [{"f": 0.1}, {"f": 1}]})", *schema, kMost);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(RowsToJson(*rows->batch), R"([{"f":0.1},{"f":1.0}])");
  EXPECT_EQ(FaultOf(ReadJsonRows(R"({"rows": [{"f": 1e300}]})", *schema, kMost).status()).what,
            "1e300 is not a valid float32");
}

// Random cells for the columns of a model, and what the columns must contain.
struct RandomRows {
  std::mt19937_64 random{23};
  int64_t Below(int64_t end) { return int64_t(random() % uint64_t(end)); }

  Json Real() {
    switch (Below(5)) {
      case 0:
        return int64_t(random());
      case 1:
        return random();
      case 2:
        return Below(1000) - 500;
      case 3:
        return double(Below(1000)) / 8;
      default: {
        const double bits = std::bit_cast<double>(random());
        return std::isfinite(bits) ? bits : 0.5;
      }
    }
  }
  Json Text() {
    std::string text;
    for (int64_t i = Below(40); i > 0; --i) {
      const char32_t point = Below(3) == 0 ? char32_t(Below(0xd7ff) + 1) : char32_t(Below(127) + 1);
      AppendUtf8(point, text);
    }
    return text;
  }
  Json Row() {
    Json list = Json::array();
    for (int64_t i = Below(5); i > 0; --i) list.push_back(Below(4) == 0 ? Json() : Real());
    const Json cells[] = {Below(1 << 30) - (1 << 29),
                          Real(),
                          Text(),
                          Below(2) == 0,
                          fmt::format("20{:02}-0{}-1{}", Below(100), Below(9) + 1, Below(10)),
                          list};
    std::vector<int> order = {0, 1, 2, 3, 4, 5};
    if (Below(2) == 0) std::ranges::shuffle(order, random);
    Json row = Json::object();
    for (const int c : order) {
      if (Below(4) == 0) row[Text().get<std::string>() + "?"] = Json{{"a", list}, {"b", Text()}};
      row[ModelColumns().field(c)->name()] = Below(8) == 0 ? Json() : cells[c];
    }
    return row;
  }
};

// The cell as a column of this type reads it.
Json Typed(const Json& cell, const arrow::DataType& type) {
  if (cell.is_null()) return cell;
  if (type.id() == arrow::Type::DOUBLE) return cell.get<double>();
  if (type.id() != arrow::Type::LIST) return cell;
  Json list = Json::array();
  for (const Json& each : cell) list.push_back(each.is_null() ? each : Json(each.get<double>()));
  return list;
}

TEST(JsonRows, AreReadToTheLastBit) {
  RandomRows rows;
  for (int i = 0; i < 300; ++i) {
    Json list = Json::array(), wanted = Json::array();
    for (int64_t n = rows.Below(20); n >= 0; --n) {
      const Json row = rows.Row();
      Json& typed = wanted.emplace_back(Json::object());
      for (const auto& field : ModelColumns().fields()) {
        typed[field->name()] = Typed(row[field->name()], *field->type());
      }
      list.push_back(row);
    }
    const auto read = Rows(i % 2 == 0 ? Dump(list) : Pretty(list));
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_TRUE(read->batch->ValidateFull().ok());
    ASSERT_EQ(RowsToJson(*read->batch), Dump(wanted));
  }
}

TEST(JsonAnswer, HasTheTextOfAnObject) {
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("a \"b\"\n", arrow::int64())}), 0,
                               {*arrow::MakeEmptyArray(arrow::int64())});
  EXPECT_EQ(RowsToJson(*batch), "[]");
  EXPECT_EQ(ColumnsToJson(*batch), "{\"a \\\"b\\\"\\n\":[]}");
  const auto bare = arrow::RecordBatch::Make(arrow::schema({}), 2, arrow::ArrayVector{});
  EXPECT_EQ(RowsToJson(*bare), "[{},{}]");
  EXPECT_EQ(ColumnsToJson(*bare), "{}");
}

}  // namespace
}  // namespace protium
