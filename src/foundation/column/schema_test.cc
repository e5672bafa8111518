// SPDX-License-Identifier: Apache-2.0
#include "column/schema.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(Schema, ComesBackFromJsonAsItWas) {
  const auto schema = arrow::schema({arrow::field("day", arrow::date32()),
                                     arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO)),
                                     arrow::field("price", arrow::decimal128(12, 2)),
                                     arrow::field("tags", arrow::list(arrow::utf8())),
                                     arrow::field("late", arrow::boolean())});
  const Json json = SchemaToJson(*schema).ValueOrDie();
  EXPECT_EQ(json[2]["type"], "decimal(12,2)");
  EXPECT_TRUE(SchemaFromJson(json).ValueOrDie()->Equals(*schema));
  EXPECT_EQ(Describe(*schema),
            "day date, at timestamp, price decimal(12,2), tags list<string>, late bool");
}

TEST(Schema, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(
      SchemaToJson(*arrow::schema({arrow::field("d", arrow::duration(arrow::TimeUnit::SECOND))}))
          .ok());
  EXPECT_FALSE(SchemaFromJson(Json::parse(R"([{"name": "a", "type": "int65"}])")).ok());
  EXPECT_FALSE(SchemaFromJson(Json::parse(R"([{"name": "a"}])")).ok());
  EXPECT_FALSE(SchemaFromJson(Json::parse(R"({"name": "a"})")).ok());
  EXPECT_FALSE(TypeNamed("decimal(99,2)").ok());
  EXPECT_FALSE(TypeNamed("decimal(9;2)").ok());
}

}  // namespace
}  // namespace protium
