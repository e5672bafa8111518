// SPDX-License-Identifier: Apache-2.0
#include "iceberg/avro.h"

#include <gtest/gtest.h>

#include <limits>

namespace protium {
namespace {

std::string Long(int64_t value) {
  std::string bytes;
  PutAvroLong(bytes, value);
  return bytes;
}

// The examples of the specification, and the ends.
TEST(Avro, WritesNumbersNearNullShort) {
  EXPECT_EQ(Long(0), std::string(1, '\0'));
  EXPECT_EQ(Long(-1), "\x01");
  EXPECT_EQ(Long(1), "\x02");
  EXPECT_EQ(Long(-64), "\x7f");
  EXPECT_EQ(Long(64), "\x80\x01");
  EXPECT_EQ(Long(std::numeric_limits<int64_t>::min()), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(Long(std::numeric_limits<int64_t>::max()), "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(Avro, AFileHasItsSchemaAndItsRecordsBetweenTwoMarks) {
  std::string record;
  PutAvroBytes(record, "foo");
  EXPECT_EQ(record,
            "\x06"
            "foo");
  const std::string file = AvroFile("string", {{"note", "n"}}, 1, record);
  EXPECT_TRUE(
      file.starts_with("Obj\x01\x06\x16"
                       "avro.schema\x10\"string\""));
  const std::string mark = file.substr(file.size() - 16);
  EXPECT_TRUE(file.ends_with(std::string(1, '\0') + mark + "\x02\x08" + record + mark));
  EXPECT_TRUE(
      AvroFile("string", {}, 0, "")
          .ends_with(
              AvroFile("string", {}, 0, "").substr(AvroFile("string", {}, 0, "").size() - 16)));
}

}  // namespace
}  // namespace protium
