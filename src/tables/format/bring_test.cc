// SPDX-License-Identifier: Apache-2.0
#include "format/bring.h"

#include <arrow/api.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "format/csv_options.h"
#include "format/parquet.h"
#include "format/parquet_rows.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class BringTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "bring-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  std::string Packed(const std::string& name, const std::string& text,
                     arrow::Compression::type kind) {
    const std::string path = (folder_ / name).string();
    const std::shared_ptr<arrow::util::Codec> codec = *arrow::util::Codec::Create(kind);
    const auto out = *arrow::io::FileOutputStream::Open(path);
    const auto packed = *arrow::io::CompressedOutputStream::Make(codec.get(), out);
    EXPECT_TRUE(packed->Write(text).ok() && packed->Close().ok());
    return path;
  }
  // Returns the brought table: its columns, then a line for each row.
  std::vector<std::string> Brought(const BringSpec& spec) {
    const std::string target = (folder_ / "brought.parquet").string();
    shares_.clear();
    const auto table = Bring(spec, target, [this](double share) {
      shares_.push_back(share);
      return Status::OK();
    });
    if (!table.ok()) {
      EXPECT_FALSE(fs::exists(target));
      return {Render(FaultOf(table.status()))};
    }
    notes_ = table->notes;
    const auto rows = ReadParquetRows({target}, {});
    std::vector<std::string> lines = {(*ParquetSchema({target}))->ToString()};
    while (const auto batch = *rows->rows->Next()) {
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        std::string line;
        for (const auto& column : batch->columns()) {
          line += (line.empty() ? "" : "|") + (*column->GetScalar(i))->ToString();
        }
        lines.push_back(line);
      }
    }
    fs::remove(target);
    return lines;
  }
  std::vector<std::string> Csv(const std::string& text, const CsvOptions& options) {
    return Brought({.paths = {File("t.csv", text)}, .csv = options});
  }

  fs::path folder_;
  std::vector<double> shares_;
  std::vector<std::string> notes_;
};

TEST_F(BringTest, TellsWhatEnginesReadThemselves) {
  const std::string plain = File("t.csv", "a\n1\n");
  const std::string packed = Packed("p.csv", "a\n1\n", arrow::Compression::GZIP);
  EXPECT_FALSE(*MustBeBrought({plain}, Format::kCsv, {.null = "NA", .delimiter = "auto"}));
  EXPECT_FALSE(*MustBeBrought({plain}, Format::kParquet, {}));
  EXPECT_TRUE(*MustBeBrought({plain, packed}, Format::kCsv, {}));
  EXPECT_TRUE(*MustBeBrought({File("u.csv",
                                   "\xff\xfe"
                                   "a")},
                             Format::kCsv, {}));
  EXPECT_TRUE(*MustBeBrought({plain}, Format::kJsonLines, {}));
  EXPECT_TRUE(*MustBeBrought({plain}, Format::kCsv, {.null = {"NA", "N/A"}}));
  EXPECT_TRUE(*MustBeBrought({plain}, Format::kCsv, {.trim = true}));
  EXPECT_EQ(FaultOf(MustBeBrought({plain}, Format::kCsv, {.comment = "//"}).status()).what,
            "comment must be one character, got \"//\"");
  CsvOptions quoted;
  quoted.delimiter = "\"";
  EXPECT_EQ(FaultOf(CheckCsvOptions(quoted)).what,
            "delimiter must not be a quote or a line end, got \"\\\"\"");
}

TEST_F(BringTest, ReadsPackedCsvWithTheTypesOfPlainCsv) {
  const std::string text =
      "i,d,b,day,at,text\n"
      "1,2,true,2013-12-31,2013-12-31T23:59,x\n"
      "-7,-.5e1,FALSE,0001-01-01,1969-12-31 23:59:58.5Z,\"a \"\"b\"\",\nc\"\n"
      ",NaN,,,,\"\"\n"
      "9223372036854775807,Inf,true,9999-12-31,2020-02-29,é\n";
  const std::vector<std::string> rows = {
      "i: int64\nd: double\nb: bool\nday: date32[day]\nat: timestamp[us]\ntext: string",
      "1|2|true|2013-12-31|2013-12-31 23:59:00.000000|x",
      "-7|-5|false|0001-01-01|1969-12-31 23:59:58.500000|a \"b\",\nc", "null|nan|null|null|null|",
      "9223372036854775807|inf|true|9999-12-31|2020-02-29 00:00:00.000000|é"};
  const std::string gzip = Packed("t.csv.gz", text, arrow::Compression::GZIP);
  EXPECT_EQ(Brought({.paths = {gzip}}), rows);
  EXPECT_EQ(shares_.back(), 1);
  EXPECT_EQ(Brought({.paths = {Packed("t.csv.zst", text, arrow::Compression::ZSTD)}}), rows);
  std::string cut(static_cast<size_t>(fs::file_size(gzip)) - 20, '\0');
  std::ifstream(gzip, std::ios::binary).read(cut.data(), static_cast<std::streamsize>(cut.size()));
  EXPECT_THAT(Brought({.paths = {File("cut.csv.gz", cut)}}).front(),
              HasSubstr("the file cannot be unpacked"));
}

// Rows are longer than the pieces of text, and line ends, quotes and characters fall on their
// boundaries.
TEST_F(BringTest, ReadsRowsAcrossPiecesOfText) {
  for (const int shift : {0, 1, 2, 3}) {
    std::string text = "n,t\r\n" + std::string(size_t(shift), '9') + "1,x\r\n";
    int64_t rows = 1;
    for (; text.size() < (3 << 20); ++rows) {
      text += fmt::format("{},\"{}\"\"\r\n€\"\r\n", rows, std::string(size_t(rows % 7000), 'a'));
    }
    const auto lines = Brought({.paths = {Packed("t.csv.gz", text, arrow::Compression::GZIP)}});
    ASSERT_EQ(lines.size(), size_t(rows) + 1) << lines.front();
    EXPECT_EQ(lines[0], "n: int64\nt: string");
    EXPECT_EQ(lines[100], fmt::format("99|{}\"\r\n€", std::string(99, 'a')));
  }
}

TEST_F(BringTest, DecodesOtherEncodings) {
  const std::vector<std::string> rows = {"n: string", "é€"};
  EXPECT_EQ(Csv("n\n\xe9\x80\n", {.encoding = Encoding::kWindows1252}), rows);
  EXPECT_EQ(Csv("n\n\xe9\n", {.encoding = Encoding::kLatin1})[1], "é");
  using namespace std::string_literals;
  EXPECT_EQ(Csv("\xff\xfen\0\n\0\xe9\0\xac\x20\n\0"s, {}), rows);
  EXPECT_EQ(Csv("\xfe\xff\0n\0\n\0\xe9\x20\xac\xd8\x3d\xde\x00\0\n"s, {})[1], "é€😀");
  EXPECT_THAT(Csv("n\nx\n\xe9\n", {.trim = true}).front(),
              testing::AllOf(HasSubstr("the text is not UTF-8"), HasSubstr("t.csv:3"),
                             HasSubstr("encoding = \"windows-1252\"")));
  EXPECT_THAT(Csv("n\nx\n", {.encoding = Encoding::kUtf16}).front(), HasSubstr("byte order mark"));
}

TEST_F(BringTest, ReadsNullsTrimmedCellsAndComments) {
  EXPECT_THAT(Csv("# made by hand\nage, ok, x\n39, yes, 4.5\n  # no row\n#\"\nN/A,\" yes \" , NA\n",
                  {.null = {"NA", "N/A"}, .comment = "#", .trim = true, .ragged = Ragged::kSkip}),
              ElementsAre("age: int64\nok: string\nx: double", "39|yes|4.5", "null| yes |null"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("t.csv: 1 row left out")));
}

TEST_F(BringTest, ReadsDecimalCommas) {
  EXPECT_THAT(Csv("a;b;c\n3,5;1.5;7\n-1;2;8\n", {.delimiter = ";", .decimal = ","}),
              ElementsAre("a: double\nb: string\nc: int64", "3.5|1.5|7", "-1|2|8"));
  EXPECT_THAT(Csv("a;b\n1,5;2\n", {.delimiter = "auto", .decimal = ","}),
              ElementsAre("a: double\nb: int64", "1.5|2"));
}

TEST_F(BringTest, DealsWithRaggedRows) {
  const std::string text = "a,b\n1\n2,3,\n4,5,6\n7,8\n";
  EXPECT_THAT(Csv(text, {.ragged = Ragged::kSkip}), ElementsAre("a: int64\nb: int64", "7|8"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("3 rows left out, of another length than the first "
                                            "line; the first is on line 2")));
  EXPECT_THAT(Csv(text, {.ragged = Ragged::kPad}).front(), HasSubstr("t.csv:4"));
  EXPECT_THAT(Csv("a,b\n1\n2,3,\n", {.ragged = Ragged::kPad}),
              ElementsAre("a: int64\nb: int64", "1|null", "2|3"));
  EXPECT_THAT(Csv(text, {.trim = true}).front(), HasSubstr("1 cells where 2 are expected"));
}

TEST_F(BringTest, TakesTypesThatAreSaidOrKnown) {
  EXPECT_THAT(Csv("zip,n\n01234,1\n5,2\n", {.types = {{{"zip", "string"}, {"n", "float64"}}}}),
              ElementsAre("zip: string\nn: double", "01234|1", "5|2"));
  EXPECT_THAT(Csv("n\n1\nx\n", {.types = {{{"n", "int64"}}}}).front(),
              testing::AllOf(HasSubstr("column \"n\" holds \"x\", which is not int64"),
                             HasSubstr("t.csv:3")));
  EXPECT_THAT(Csv("n\n1\n", {.types = {{{"m", "int64"}}}}).front(),
              HasSubstr("types names column"));
  const std::string path = Packed("k.csv", "a,b\n1,7.0\n", arrow::Compression::GZIP);
  const SchemaPtr known =
      arrow::schema({arrow::field("a", arrow::utf8()), arrow::field("b", arrow::int64())});
  EXPECT_THAT(Brought({.paths = {path}, .known = known}),
              ElementsAre("a: string\nb: double", "1|7"));
}

TEST_F(BringTest, AddsTheValuesOfFolders) {
  Partitions folders{.columns = arrow::schema({arrow::field("year", arrow::int64())}),
                     .values = {{"2013"}, {std::nullopt}}};
  EXPECT_THAT(Brought({.paths = {File("a.csv", "x\n1\n"), File("b.csv", "x\n2\n3\n")},
                       .partitions = folders}),
              ElementsAre("x: int64\nyear: int64", "1|2013", "2|null", "3|null"));
}

TEST_F(BringTest, EndsWhenItIsToldTo) {
  const std::string target = (folder_ / "out.parquet").string();
  const BringSpec spec{.paths = {File("t.csv", "a\n1\n")}};
  EXPECT_FALSE(Bring(spec, target, [](double) { return Status::Cancelled("enough"); }).ok());
  EXPECT_FALSE(fs::exists(target));
}

}  // namespace
}  // namespace protium
