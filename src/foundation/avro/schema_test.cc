// SPDX-License-Identifier: Apache-2.0
#include "avro/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using ::testing::HasSubstr;

AvroSchema Parse(std::string_view text) {
  auto schema = AvroSchema::Parse(text);
  EXPECT_TRUE(schema.ok()) << schema.status();
  return *std::move(schema);
}
std::string WhyNot(std::string_view text) {
  const auto schema = AvroSchema::Parse(text);
  if (schema.ok()) return "it is one";
  const Fault fault = FaultOf(schema.status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  return fault.where + ": " + fault.what;
}

TEST(AvroSchema, HasTheFieldsOfARecordWithTheirTypes) {
  const AvroSchema schema = Parse(R"({"type": "record", "name": "Visit", "namespace": "shop",
      "fields": [
        {"name": "id", "type": "long"},
        {"name": "price", "type": ["null", "double"], "default": null},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "sum", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9,
                                 "scale": 2}},
        {"name": "kind", "aliases": ["sort"],
         "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "kinds", "type": {"type": "array", "items": "shop.Kind"}},
        {"name": "other", "type": "Kind"}]})");
  const AvroType& root = schema.root();
  EXPECT_EQ(root.name, "shop.Visit");
  ASSERT_EQ(root.fields.size(), 7U);
  EXPECT_EQ(schema.Describe(root.fields[0].type), "long");
  EXPECT_EQ(schema.Describe(*schema.Beneath(root.fields[1].type)), "double");
  EXPECT_TRUE(root.fields[1].fallback->is_null());
  EXPECT_FALSE(root.fields[0].fallback);
  EXPECT_EQ(schema.Describe(root.fields[2].type), "timestamp-millis");
  EXPECT_EQ(schema.types()[root.fields[3].type].scale, 2);
  EXPECT_EQ(root.fields[4].aliases, std::vector<std::string>{"sort"});
  EXPECT_EQ(schema.Describe(root.fields[4].type), "enum shop.Kind");
  EXPECT_EQ(schema.types()[root.fields[5].type].of.front(), root.fields[4].type);
  EXPECT_EQ(root.fields[6].type, root.fields[4].type);
}

TEST(AvroSchema, MayContainItself) {
  const AvroSchema list = Parse(R"({"type": "record", "name": "Node", "fields": [
      {"name": "next", "type": ["null", "Node"]}]})");
  EXPECT_EQ(*list.Beneath(list.root().fields[0].type), 0U);
  EXPECT_EQ(list.Describe(list.root().fields[0].type), "union of null and record Node");
}

TEST(AvroSchema, IgnoresALogicalTypeThatIsNotOfItsType) {
  const AvroSchema schema = Parse(R"({"type": "string", "logicalType": "date"})");
  EXPECT_EQ(schema.root().logical, AvroLogical::kNone);
  EXPECT_EQ(Parse(R"({"type": "long", "logicalType": "of-mine"})").root().kind, AvroKind::kLong);
}

TEST(AvroSchema, SaysWhereItIsNone) {
  const std::pair<const char*, const char*> bad[] = {
      {"", "no JSON"},
      {"7", "this is not a type: 7"},
      {R"("longs")", "the type \"longs\" is not defined"},
      {R"({"type": "record", "name": "r", "fields": [{"name": "a", "type": {"type": "record",
          "name": "q", "fields": [{"name": "b", "type": "shop.B"}]}}]})",
       "the schema, a.b: the type \"shop.B\""},
      {R"({"type": "record", "name": "r"})", "no list of fields"},
      {R"({"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"},
          {"name": "a", "type": "int"}]})",
       "the schema, a: there are two"},
      {R"({"type": "record", "fields": []})", "no name"},
      {R"({"type": "fixed", "name": "f", "size": 99999999})", "a size from 0"},
      {R"({"type": "fixed", "name": "f", "size": -1})", "a size from 0"},
      {R"({"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 3})", "precision"},
      {R"({"type": "array"})", "lacks \"items\""},
      {"[]", "a union holds nothing"},
      {R"([["null"]])", "a union holds another"},
      {R"(["int", {"type": "enum", "name": "e", "symbols": [1]}])", "no text: 1"}};
  for (const auto& [text, why] : bad) EXPECT_THAT(WhyNot(text), HasSubstr(why)) << text;
}

TEST(AvroSchema, IsNotNestedWithoutEnd) {
  std::string text;
  for (int i = 0; i < 70; ++i) text += R"({"type": "array", "items": )";
  text += "\"int\"" + std::string(70, '}');
  EXPECT_THAT(WhyNot(text), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace protium
