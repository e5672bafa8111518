// SPDX-License-Identifier: Apache-2.0
#include "records/avro_rows.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro/encoding.h"
#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;
using SchemaOfAvro = std::shared_ptr<const AvroSchema>;

SchemaOfAvro Parse(const std::string& text) {
  auto schema = AvroSchema::Parse(text);
  EXPECT_TRUE(schema.ok()) << schema.status() << text;
  return std::make_shared<const AvroSchema>(*std::move(schema));
}
SchemaOfAvro Record(const std::string& fields) {
  return Parse(R"({"type": "record", "name": "r", "fields": [)" + fields + "]}");
}
std::string FieldText(const std::string& name, const std::string& type,
                      const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "type": )" + type + more + "}";
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string WhyRefused(const Status& status) {
  const Fault fault = FaultOf(status);
  EXPECT_EQ(fault.exit, Exit::kInput) << status;
  return fault.what;
}

// The row of a record, as JSON would show it.
std::string RowOf(const SchemaOfAvro& writer, const SchemaOfAvro& reader, const SchemaPtr& columns,
                  const std::string& bytes) {
  const auto reading = ReadingOf(writer, reader, *columns, {});
  if (!reading.ok()) return "refused: " + WhyRefused(reading.status());
  auto rows = AvroRows::Make(columns);
  const Status added = rows->Add(*reading, bytes);
  if (!added.ok()) return "refused: " + WhyRefused(added);
  const auto batch = *rows->Finish();
  EXPECT_TRUE(batch->ValidateFull().ok());
  EXPECT_EQ(batch->num_rows(), 1);
  std::string text;
  for (const auto& column : batch->columns()) {
    text += (text.empty() ? "" : ", ") + column->GetScalar(0).ValueOrDie()->ToString();
  }
  return text;
}

struct Case {
  const char* type;  // Of the field v.
  const char* hex;   // As Apache Avro 1.12.1 for Java writes it.
  const char* value;
};

// Numbers, texts, what logical types stand for, and lists.
constexpr Case kCases[] = {
    {R"("boolean")", "01", "true"},
    {R"("int")", "00", "0"},
    {R"("int")", "7f", "-64"},
    {R"("int")", "8001", "64"},
    {R"("int")", "feffffff0f", "2147483647"},
    {R"("int")", "ffffffff0f", "-2147483648"},
    {R"("long")", "feffffffffffffffff01", "9223372036854775807"},
    {R"("long")", "ffffffffffffffffff01", "-9223372036854775808"},
    {R"("float")", "0000c03f", "1.5"},
    {R"("double")", "9a9999999999b9bf", "-0.1"},
    {R"("double")", "000000000000f87f", "nan"},
    {R"("string")", "0c68c3a9e4b8ad", "hé中"},
    {R"("string")", "00", ""},
    {R"("bytes")", "06726177", "raw"},
    {R"({"type":"fixed","name":"f","size":3})", "616263", "abc"},
    {R"({"type":"enum","name":"e","symbols":["A","B","C"]})", "04", "C"},
    {R"(["null","long"])", "00", "null"},
    {R"(["null","long"])", "020e", "7"},
    {R"(["long","null"])", "000e", "7"},
    {R"(["string"])", "000278", "x"},
    {R"("null")", "", "null"},
    {R"({"type":"int","logicalType":"date"})", "f0a802", "2022-01-08"},
    {R"({"type":"int","logicalType":"time-millis"})", "f8bbc603", "01:02:03.004"},
    {R"({"type":"long","logicalType":"time-micros"})", "88e3c3de1b", "01:02:03.000004"},
    {R"({"type":"long","logicalType":"timestamp-millis"})", "f6a1abfef962",
     "2023-11-14 22:13:20.123000"},
    {R"({"type":"long","logicalType":"timestamp-micros"})", "01", "1969-12-31 23:59:59.999999"},
    {R"({"type":"long","logicalType":"local-timestamp-millis"})", "f6a1abfef962",
     "2023-11-14 22:13:20.123000"},
    {R"({"type":"bytes","logicalType":"decimal","precision":28,"scale":2})", "0404d2", "12.34"},
    {R"({"type":"bytes","logicalType":"decimal","precision":28,"scale":2})", "02fb", "-0.05"},
    {R"({"type":"bytes","logicalType":"decimal","precision":28,"scale":2})", "0200", "0"},
    {R"({"type":"bytes","logicalType":"decimal","precision":28,"scale":2})",
     "18204fce5e3e2502610fffffff", "1e+26"},
    {R"({"type":"fixed","name":"d","size":17,"logicalType":"decimal","precision":38,"scale":4})",
     "ffffffffffffffffffffffffffffff8549", "-3.1415"},
    {R"({"type":"string","logicalType":"uuid"})",
     "4831323365343536372d653839622d313264332d613435362d343236363134313734303030",
     "123e4567-e89b-12d3-a456-426614174000"},
    {R"({"type":"fixed","name":"u","size":16,"logicalType":"uuid"})",
     "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-426614174000"},
    {R"({"type":"array","items":"long"})", "060203d80400", "list<item: int64>[1, -2, 300]"},
    {R"({"type":"array","items":"long"})", "05080203d80400", "list<item: int64>[1, -2, 300]"},
    {R"({"type":"array","items":["null","double"]})", "0402000000000000e03f0000",
     "list<item: double>[0.5, null]"},
    {R"({"type":"array","items":"string"})", "00", "list<item: string>[]"}};

}  // namespace

TEST(AvroRows, ReadWhatJavaWrites) {
  for (const Case& each : kCases) {
    const SchemaOfAvro schema = Record(FieldText("v", each.type));
    const auto columns = AvroColumns(*schema);
    ASSERT_TRUE(columns.ok()) << columns.status();
    EXPECT_EQ(RowOf(schema, nullptr, *columns, FromHex(each.hex)), each.value) << each.type;
  }
}

TEST(AvroRows, RefuseEveryPartOfARecordAndAllThatFollowsIt) {
  for (const Case& each : kCases) {
    const SchemaOfAvro schema = Record(FieldText("v", each.type));
    const SchemaPtr columns = *AvroColumns(*schema);
    const std::string bytes = FromHex(each.hex);
    for (size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_THAT(RowOf(schema, nullptr, columns, bytes.substr(0, length)),
                  HasSubstr("refused: the record is damaged"))
          << each.type << " " << length;
    }
    EXPECT_EQ(RowOf(schema, nullptr, columns, bytes + "x"),
              "refused: the record is damaged: 1 bytes are left behind its last field");
  }
}

TEST(AvroRows, ResolveTheWritersSchemaAsJavaDoes) {
  const SchemaOfAvro writer =
      Record(FieldText("a", "\"int\"") + "," + FieldText("old", "\"string\"") + "," +
             FieldText("gone", "\"float\"") + "," + FieldText("f", "\"float\""));
  const SchemaOfAvro reader =
      Record(FieldText("b", "\"long\"", ", \"default\": -5") + "," + FieldText("a", "\"double\"") +
             "," + FieldText("neu", "\"string\"", ", \"aliases\": [\"old\"]") + "," +
             FieldText("f", "\"double\"") + "," +
             FieldText("n", R"(["null", "string"])", ", \"default\": null") + "," +
             FieldText("y", "\"bytes\"", R"(, "default": "Az")") + "," +
             FieldText("l", R"({"type": "array", "items": "int"})", ", \"default\": [1, 2]") + "," +
             FieldText("e", R"({"type": "enum", "name": "k", "symbols": ["X", "Y"]})",
                       R"(, "default": "Y")") +
             "," +
             FieldText("t", R"({"type": "long", "logicalType": "timestamp-millis"})",
                       R"(, "default": 1000)"));
  const SchemaPtr columns = *AvroColumns(*reader);
  EXPECT_EQ(RowOf(writer, reader, columns, FromHex("0e0468690000803f00002040")),
            "-5, 7, hi, 2.5, null, Az, list<item: int64>[1, 2], Y, 1970-01-01 00:00:01.000000");
  EXPECT_EQ(ReadingOf(writer, reader, *columns, {})->unknown, "gone");
  // Without the reader's schema nothing is known of what is absent.
  EXPECT_EQ(RowOf(writer, nullptr, columns, ""),
            "refused: the schema has no field \"b\", and nothing says its default");
  const auto some =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("label", arrow::float64())});
  const auto optional = ReadingOf(writer, nullptr, *some, {"label"});
  ASSERT_TRUE(optional.ok()) << optional.status();
  auto rows = AvroRows::Make(some);
  ASSERT_TRUE(rows->Add(*optional, FromHex("0e0468690000803f00002040")).ok());
  EXPECT_TRUE((*rows->Finish())->column(1)->IsNull(0));
}

TEST(AvroRows, PassOverWhatIsNoColumn) {
  const SchemaOfAvro schema =
      Record(FieldText("who", R"({"type": "record", "name": "Person", "fields": [
          {"name": "name", "type": "string"},
          {"name": "friends", "type": {"type": "array", "items": "Person"}}]})") +
             "," + FieldText("tags", R"({"type": "map", "values": ["null", "int", "string"]})") +
             "," + FieldText("id", "\"long\""));
  const auto id = arrow::schema({arrow::field("id", arrow::int64())});
  for (const char* hex : {"04416c0404426f0004426f0000060261020202620402780263000054",
                          "04416c031004426f0004426f000005180261020202620402780263000054"}) {
    EXPECT_EQ(RowOf(schema, nullptr, id, FromHex(hex)), "42");
  }
  EXPECT_EQ((*AvroColumns(*schema, {"id"}))->ToString(), "id: int64");
  EXPECT_EQ(WhyRefused(AvroColumns(*schema).status()),
            "the field who is of the type record Person, which is no column");
}

TEST(AvroRows, NameTheFieldThatIsNoColumn) {
  const std::pair<const char*, const char*> bad[] = {
      {R"({"type": "map", "values": "int"})", "the field v is of the type map"},
      {R"(["null", "int", "string"])", "the field v is of the type union of null, int and string"},
      {R"({"type": "array", "items": {"type": "map", "values": "int"}})",
       "the field v[] is of the type map"},
      {R"({"type": "array", "items": {"type": "array", "items": "int"}})",
       "the field v[] is of the type array"},
      {R"({"type": "fixed", "name": "f", "size": 12, "logicalType": "duration"})",
       "the field v is of the type duration"},
      {R"({"type": "bytes", "logicalType": "decimal", "precision": 39})",
       "the field v is of the type decimal"}};
  for (const auto& [type, why] : bad) {
    EXPECT_THAT(WhyRefused(AvroColumns(*Record(FieldText("v", type))).status()), HasSubstr(why))
        << type;
  }
  EXPECT_EQ(WhyRefused(AvroColumns(*Parse("\"long\"")).status()),
            "the schema is not that of a record");
}

TEST(AvroRows, WidenNumbersAndNothingElse) {
  const auto read = [](const char* type, const std::shared_ptr<arrow::DataType>& column,
                       const char* hex) {
    return RowOf(Record(FieldText("v", type)), nullptr, arrow::schema({arrow::field("v", column)}),
                 FromHex(hex));
  };
  EXPECT_EQ(read(R"("int")", arrow::float64(), "0e"), "7");
  EXPECT_EQ(read(R"({"type": "array", "items": "int"})", arrow::list(arrow::float64()), "020e00"),
            "list<item: double>[7]");
  EXPECT_EQ(read(R"("double")", arrow::int64(), ""),
            "refused: the field v is of the type double, and the stream's column \"v\" is int64");
  EXPECT_EQ(read(R"("long")", arrow::utf8(), ""),
            "refused: the field v is of the type long, and the stream's column \"v\" is string");
  EXPECT_EQ(read(R"({"type": "long", "logicalType": "timestamp-micros"})", arrow::int64(), ""),
            "refused: the field v is of the type timestamp-micros, and the stream's column \"v\" "
            "is int64");
}

TEST(AvroRows, RefuseARecordByItself) {
  const SchemaOfAvro schema =
      Record(FieldText("v", R"({"type": "long", "logicalType": "timestamp-millis"})") + "," +
             FieldText("s", "\"string\"") + "," +
             FieldText("e", R"({"type": "enum", "name": "k", "symbols": ["X"]})"));
  const SchemaPtr columns = *AvroColumns(*schema);
  const auto reading = ReadingOf(schema, nullptr, *columns, {});
  auto rows = AvroRows::Make(columns);
  const std::string good = FromHex("02") + FromHex("0261") + FromHex("00");
  const std::pair<std::string, const char*> bad[] = {{FromHex("feffffffffffffffff01"
                                                              "0261"
                                                              "00"),
                                                      "beyond the years"},
                                                     {FromHex("02"
                                                              "02ff"
                                                              "00"),
                                                      "not UTF-8"},
                                                     {FromHex("02"
                                                              "0261"
                                                              "02"),
                                                      "a symbol, that there is not"},
                                                     {FromHex("02"
                                                              "feffffffffffffffff01"),
                                                      "longer than what is left"}};
  for (const auto& [bytes, why] : bad) {
    ASSERT_TRUE(rows->Add(*reading, good).ok());
    EXPECT_THAT(WhyRefused(rows->Add(*reading, bytes)), HasSubstr(why));
  }
  EXPECT_EQ((*rows->Finish())->num_rows(), 4);
  EXPECT_EQ(rows->rows(), 0);
}

// They are repeated by messages that have a byte for them, or none.
TEST(AvroRows, RefuseSchemasWhoseSymbolsAndDefaultsAreLong) {
  const std::string text(5000, 'x');
  const SchemaOfAvro symbol =
      Record(FieldText("e", R"({"type": "enum", "name": "k", "symbols": [")" + text + "\"]}"));
  EXPECT_EQ(RowOf(symbol, nullptr, *AvroColumns(*symbol), std::string(1, '\0')),
            "refused: a symbol of the enum k is longer than 4 KiB");
  const SchemaOfAvro reader =
      Record(FieldText("s", "\"string\"", ", \"default\": \"" + text + "\""));
  EXPECT_EQ(RowOf(Record(""), reader, *AvroColumns(*reader), ""),
            "refused: the default of the field s is longer than 4 KiB");
}

}  // namespace protium
