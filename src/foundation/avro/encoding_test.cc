// SPDX-License-Identifier: Apache-2.0
#include "avro/encoding.h"

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

TEST(Avro, WritesTheDefaultOfAFieldAsAValueOfIt) {
  const auto bytes = [](const char* type, const char* value) -> std::string {
    const auto schema = AvroSchema::Parse(type);
    std::string written;
    const Status put = PutAvroDefault(written, *ParseJson(value), *schema, 0);
    return put.ok() ? written : "refused";
  };
  EXPECT_EQ(bytes(R"("long")", "-1"), "\x01");
  EXPECT_EQ(bytes(R"(["null", "string"])", "null"), std::string(1, '\0'));
  EXPECT_EQ(bytes(R"(["null", "string"])", R"("a")"),
            "\x02\x02"
            "a");
  EXPECT_EQ(bytes(R"("bytes")", R"("\u00ff")"), "\x02\xff");
  EXPECT_EQ(bytes(R"({"type": "array", "items": "int"})", "[1, 2]"),
            std::string("\x04\x02\x04\0", 4));
  EXPECT_EQ(bytes(R"({"type": "array", "items": "int"})", "[]"), std::string(1, '\0'));
  EXPECT_EQ(bytes(R"({"type": "enum", "name": "e", "symbols": ["A", "B"]})", R"("B")"), "\x02");
  EXPECT_EQ(bytes(R"("double")", "1"), std::string("\0\0\0\0\0\0\xf0?", 8));
  for (const auto& [type, value] :
       {std::pair{R"("long")", "1.5"}, std::pair{R"("int")", "3000000000"},
        std::pair{R"("long")", "18446744073709551615"}, std::pair{R"("string")", "1"},
        std::pair{R"("bytes")", R"("\u0100")"}, std::pair{R"(["null", "int"])", R"("a")"},
        std::pair{R"({"type": "enum", "name": "e", "symbols": ["A"]})", R"("B")"},
        std::pair{R"({"type": "map", "values": "int"})", "{}"}}) {
    EXPECT_EQ(bytes(type, value), "refused") << type << " " << value;
  }
}

}  // namespace
}  // namespace protium
