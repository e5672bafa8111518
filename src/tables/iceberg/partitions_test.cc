// SPDX-License-Identifier: Apache-2.0
// What readers make of partitions, tests/whole/iceberg_output_test.cc asks of others' programs.
#include "iceberg/partitions.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "iceberg/table.h"

namespace protium {
namespace {

IcebergTable By(const char* transform, const char* type, const char* name = "part") {
  return {
      .schema = {{"fields", {{{"id", 3}, {"name", "a b"}, {"type", type}}}}},
      .specs = {
          {{"spec-id", 2},
           {"fields",
            {{{"name", name}, {"field-id", 1000}, {"source-id", 3}, {"transform", transform}}}}}}};
}

std::string Refusal(const IcebergTable& table, int64_t id = 2) {
  return FaultOf(SpecOf(table, id, "place").status()).what;
}

TEST(Partitions, AreColumnsAndPartsOfTimes) {
  const IcebergSpec by_text = *SpecOf(By("identity", "string"), 2, "place");
  ASSERT_EQ(by_text.partitions.size(), 1);
  EXPECT_EQ(by_text.partitions[0].sql, "\"a b\"");
  EXPECT_EQ(by_text.partitions[0].type, "string");
  EXPECT_EQ(by_text.partitions[0].id, 1000);
  const IcebergSpec by_day = *SpecOf(By("day", "timestamptz"), 2, "place");
  EXPECT_EQ(by_day.partitions[0].type, "date");
  EXPECT_EQ(
      by_day.partitions[0].sql,
      "system.main.date_diff('day', TIMESTAMP '1970-01-01', CAST(\"a b\" AT TIME ZONE 'UTC' AS "
      "TIMESTAMP))");
  EXPECT_EQ((*SpecOf(By("month", "date"), 2, "place")).partitions[0].type, "int");
}

TEST(Partitions, OfOtherKindsAreRefusedByName) {
  EXPECT_EQ(Refusal(By("bucket[16]", "string")),
            "the Iceberg table is partitioned by bucket[16] of \"a b\", a \"string\", which the "
            "embedded engine does not write");
  EXPECT_NE(Refusal(By("identity", "double")).find("identity of"), std::string::npos);
  EXPECT_NE(Refusal(By("hour", "date")).find("hour of"), std::string::npos);
  EXPECT_NE(Refusal(By("day", "date", "on day")).find("\"on day\""), std::string::npos);
  EXPECT_NE(Refusal(By("day", "date"), 1).find("no partition spec 1"), std::string::npos);
}

TEST(Partitions, AreSummedUpForReadersWhoLeaveOutManifests) {
  const IcebergSpec spec = {.partitions = {{.name = "kind", .type = "string"},
                                           {.name = "day", .type = "date"},
                                           {.name = "gone", .type = "long"}}};
  const auto found = Summarize(spec, {{{"kind", "b"}, {"day", "1970-01-04"}, {"gone", nullptr}},
                                      {{"kind", nullptr}, {"day", -2}, {"gone", nullptr}},
                                      {{"kind", "a\u00e4"}, {"day", 0}, {"gone", nullptr}}});
  ASSERT_EQ(found.size(), 3);
  EXPECT_TRUE(found[0].has_null);
  EXPECT_EQ(found[0].least, "a\u00e4");
  EXPECT_EQ(found[0].most, "b");
  EXPECT_FALSE(found[1].has_null);
  EXPECT_EQ(found[1].least, "\xfe\xff\xff\xff");
  EXPECT_EQ(found[1].most, std::string("\3\0\0\0", 4));
  EXPECT_TRUE(found[2].has_null);
  EXPECT_FALSE(found[2].least);
}

TEST(Partitions, AreWrittenAsAvroHasThem) {
  const auto put = [](const char* type, const Json& value) {
    std::string bytes;
    PutPartitionValue(bytes, {.type = type}, value);
    return bytes;
  };
  EXPECT_EQ(put("string", nullptr), std::string("\0", 1));
  EXPECT_EQ(put("string", "ab"), "\2\4ab");
  EXPECT_EQ(put("long", -1), "\2\1");
  EXPECT_EQ(put("date", 3), "\2\6");
  EXPECT_EQ(put("date", "1970-01-04"), "\2\6");
  EXPECT_EQ(put("boolean", true), "\2\1");
}

}  // namespace
}  // namespace protium
