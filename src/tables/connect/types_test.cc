// SPDX-License-Identifier: Apache-2.0
#include "connect/types.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium::connect {
namespace {

TEST(SparkTypes, AreWrittenAsDdl) {
  const arrow::Schema schema(
      {arrow::field("a", arrow::int32(), false), arrow::field("b`c", arrow::utf8()),
       arrow::field("d", arrow::decimal128(10, 2)),
       arrow::field("t", arrow::timestamp(arrow::TimeUnit::MICRO)),
       arrow::field("z", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       arrow::field("l", arrow::list(arrow::float32())),
       arrow::field("s", arrow::struct_({arrow::field("x", arrow::int64(), false),
                                         arrow::field("y", arrow::boolean())})),
       arrow::field("m", arrow::map(arrow::utf8(), arrow::float64()))});
  EXPECT_EQ(*SparkDdl(schema),
            "`a` INT NOT NULL, `b``c` STRING, `d` DECIMAL(10,2), `t` TIMESTAMP_NTZ, "
            "`z` TIMESTAMP, `l` ARRAY<FLOAT>, `s` STRUCT<`x`: BIGINT NOT NULL, `y`: BOOLEAN>, "
            "`m` MAP<STRING, DOUBLE>");
}

TEST(SparkTypes, ThatSparkLacksAreRefusedByColumnAndName) {
  for (const auto& type : {arrow::uint32(), arrow::timestamp(arrow::TimeUnit::NANO),
                           arrow::time64(arrow::TimeUnit::MICRO), arrow::decimal256(50, 2)}) {
    const auto text = SparkDdl(arrow::Schema({arrow::field("odd", type)}));
    ASSERT_FALSE(text.ok()) << type->ToString();
    EXPECT_NE(FaultOf(text.status()).what.find("odd"), std::string::npos);
    EXPECT_NE(FaultOf(text.status()).what.find(type->ToString()), std::string::npos);
  }
}

TEST(SparkTypes, BecomeTheTypesOfBatches) {
  proto::DataType type;
  auto add = [&](const char* name, bool nullable) {
    auto* field = type.mutable_struct_()->add_fields();
    field->set_name(name);
    field->set_nullable(nullable);
    return field->mutable_data_type();
  };
  add("a", false)->mutable_integer();
  add("t", true)->mutable_timestamp();
  add("n", true)->mutable_timestamp_ntz();
  auto* decimal = add("d", true)->mutable_decimal();
  decimal->set_precision(12);
  decimal->set_scale(3);
  auto* array = add("l", true)->mutable_array();
  array->mutable_element_type()->mutable_string();
  array->set_contains_null(true);
  auto* map = add("m", true)->mutable_map();
  map->mutable_key_type()->mutable_string();
  map->mutable_value_type()->mutable_double_();
  const auto schema = ArrowSchema(type, "Europe/Berlin");
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_EQ((*schema)->ToString(),
            "a: int32 not null\nt: timestamp[us, tz=Europe/Berlin]\nn: timestamp[us]\n"
            "d: decimal128(12, 3)\nl: list<element: string>\n"
            "m: map<string, double>");
}

TEST(SparkTypes, ThatTablesLackAreRefusedByColumnAndName) {
  proto::DataType type;
  auto* field = type.mutable_struct_()->add_fields();
  field->set_name("span");
  field->mutable_data_type()->mutable_day_time_interval();
  const auto schema = ArrowSchema(type, "UTC");
  ASSERT_FALSE(schema.ok());
  EXPECT_NE(FaultOf(schema.status()).what.find("span"), std::string::npos);
  EXPECT_NE(FaultOf(schema.status()).what.find("INTERVAL"), std::string::npos);
}

TEST(SparkTypes, NamesAreQuotedForSql) { EXPECT_EQ(SparkName("a`b"), "`a``b`"); }

}  // namespace
}  // namespace protium::connect
