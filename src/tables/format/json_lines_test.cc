// SPDX-License-Identifier: Apache-2.0
#include "format/json_lines.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "format/json_scan.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class JsonLinesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "jsonl-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::vector<std::string> Read(BringSpec spec) {
    spec.format = Format::kJsonLines;
    const auto rows = OpenRows(spec, [](double) { return Status::OK(); });
    if (!rows.ok()) return {Render(FaultOf(rows.status()))};
    std::vector<std::string> lines = {(*rows)->schema()->ToString()};
    while (true) {
      const auto batch = (*rows)->Next();
      if (!batch.ok()) return {Render(FaultOf(batch.status()))};
      if (*batch == nullptr) break;
      EXPECT_TRUE((*batch)->ValidateFull().ok());
      for (int64_t i = 0; i < (*batch)->num_rows(); ++i) {
        std::string line;
        for (const auto& column : (*batch)->columns()) {
          line += (line.empty() ? "" : "|") + (*column->GetScalar(i))->ToString();
        }
        lines.push_back(line);
      }
    }
    notes_ = (*rows)->notes();
    return lines;
  }
  std::vector<std::string> Read(const std::string& text, const SchemaPtr& known = nullptr) {
    return Read({.paths = {File("t.jsonl", text)}, .known = known});
  }

  fs::path folder_;
  std::vector<std::string> notes_;
};

TEST_F(JsonLinesTest, InfersTypesOverAllLines) {
  EXPECT_THAT(
      Read("{\"i\": 1, \"d\": 2, \"b\": true, \"day\": \"2013-12-31\", \"zip\": \"01234\"}\n\n"
           "{\"zip\": null, \"d\": -1.5e1, \"at\": \"2013-12-31T23:59\", \"i\": "
           "-9223372036854775808}\r\n"
           "{\"big\": 9223372036854775808, \"d\": NaN, \"b\": false}\n"
           "{\"d\": -Infinity, \"zip\": \"a\\u00e9\\ud83d\\ude00\\n\\\"\"}"),
      ElementsAre("i: int64\nd: double\nb: bool\nday: date32[day]\nzip: string\nat: timestamp[us]\n"
                  "big: string",
                  "1|2|true|2013-12-31|01234|null|null",
                  "-9223372036854775808|-15|null|null|null|2013-12-31 23:59:00.000000|null",
                  "null|nan|false|null|null|null|9223372036854775808",
                  "null|-inf|null|null|aé😀\n\"|null|null"));
  EXPECT_TRUE(notes_.empty());
}

TEST_F(JsonLinesTest, ReadsListsAndKeepsNestedValuesAsText) {
  EXPECT_THAT(
      Read("{\"v\": [1, 2.5, null], \"t\": [\"a\", \"\\t\"], \"o\": {\"x\": [1]}, \"m\": 1}\n"
           "{\"v\": [], \"t\": null, \"o\": null, \"m\": \"one\"}\n"
           "{\"v\": null, \"t\": [], \"o\": \"text\", \"m\": [true]}\n"),
      ElementsAre("v: list<item: double>\nt: list<item: string>\no: string\nm: string",
                  "list<item: double>[1, 2.5, null]|list<item: string>[a, \t]|{\"x\": [1]}|1",
                  "list<item: double>[]|null|null|one", "null|list<item: string>[]|text|[true]"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("column \"o\" holds objects")));
}

TEST_F(JsonLinesTest, NamesTheLineThatIsWrong) {
  const auto wrong = [&](const std::string& line) { return Read("{\"a\": 1}\n\n" + line).front(); };
  EXPECT_THAT(wrong("{\"a\": 1"), AllOf(HasSubstr("t.jsonl:3"), HasSubstr("ends within a value")));
  EXPECT_THAT(wrong("{\"a\": 01}"), HasSubstr("begins with 0, at byte 7"));
  EXPECT_THAT(wrong("[1]"), AllOf(HasSubstr("not an object"), HasSubstr("jq -c '.[]'")));
  EXPECT_THAT(wrong("{\"a\": 1, \"a\": 2}"), HasSubstr("the key \"a\" twice"));
  EXPECT_THAT(wrong("{\"A\": 1}"), HasSubstr("differ only in case"));
  EXPECT_THAT(wrong("{\"a\": 1} x"), HasSubstr("something follows"));
  EXPECT_THAT(wrong("{\"a\": \"\xff\"}"), AllOf(HasSubstr("not UTF-8"), HasSubstr(":3")));
  EXPECT_THAT(Read("").front(), HasSubstr("the file is empty"));
  EXPECT_THAT(Read("{}\n").front(), HasSubstr("no line has a key"));
  EXPECT_THAT(Read("{\"a\": \"" + std::string(17 << 20, 'x') + "\"}\n").front(),
              HasSubstr("longer than 16 MiB"));
  std::string many = "{\"k\": 0";
  for (int i = 0; i < 10'000; ++i) many += fmt::format(", \"{}\": 0", i);
  EXPECT_THAT(Read(many + "}").front(), HasSubstr("more than 10000 different keys"));
}

TEST_F(JsonLinesTest, TakesTypesThatAreKnownOrSaid) {
  const SchemaPtr known =
      arrow::schema({arrow::field("a", arrow::float64()), arrow::field("b", arrow::utf8()),
                     arrow::field("v", arrow::list(arrow::float64()))});
  EXPECT_THAT(Read("{\"a\": 1, \"b\": 2, \"v\": [1]}\n{\"v\": []}\n", known),
              ElementsAre("a: double\nb: string\nv: list<item: double>",
                          "1|2|list<item: double>[1]", "null|null|list<item: double>[]"));
  EXPECT_THAT(Read("{\"a\": \"x\"}\n", known).front(),
              AllOf(HasSubstr("which is not float64"), HasSubstr("t.jsonl:1")));
  EXPECT_THAT(
      Read({.paths = {File("s.jsonl", "{\"n\": 7.5}\n")}, .csv = {.types = {{{"n", "int64"}}}}})
          .front(),
      HasSubstr("column \"n\" holds \"7.5\", which is not int64"));
}

TEST_F(JsonLinesTest, JoinsFilesWithDifferentKeys) {
  EXPECT_THAT(
      Read({.paths = {File("a.jsonl", "{\"x\": 1}\n"), File("b.jsonl", "{\"y\": 2, \"x\": 3}")}}),
      ElementsAre("x: int64\ny: int64", "1|null", "3|2"));
}

// The JSON library used elsewhere accepts and refuses the same, except the three numbers and values
// that are nested too deep.
TEST(JsonScanner, AgreesWithAnotherReader) {
  for (const char* text : {"0",
                           "-0",
                           "1.5e+10",
                           "1e5",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "+1",
                           "1e",
                           "\"\"",
                           "\"\\q\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udc00\"",
                           "\"\\ud83d\\ude00\"",
                           "\"a\nb\"",
                           "[]",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[1,2]",
                           "{}",
                           "{\"a\":1,}",
                           "{\"a\" 1}",
                           "{a:1}",
                           "{\"a\":}",
                           "tru",
                           "true",
                           "false",
                           "nulll",
                           "null",
                           "[[[{\"a\":[1]}]]]",
                           "[1]]",
                           "\"\\/\\b\\f\\r\\t\"",
                           "'a'"}) {
    JsonScanner scanner(text);
    JsonValue value;
    const bool taken = scanner.Value(value) && scanner.End();
    const Result<Json> other = ParseJson(text);
    EXPECT_EQ(taken, other.ok()) << text;
    if (taken && value.kind == JsonValue::Kind::kText) {
      EXPECT_EQ(JsonText(value), other->get<std::string>()) << text;
    }
  }
  const std::string brackets(1000, '[');
  JsonScanner deep(brackets);
  JsonValue value;
  EXPECT_FALSE(deep.Value(value));
}

}  // namespace
}  // namespace protium
