// SPDX-License-Identifier: Apache-2.0
#include "format/csv.h"

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "column/schema.h"
#include "format/file.h"
#include "format/parquet.h"

namespace protium {
namespace {

class Csv : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "protium-csv-" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& text, const std::string& name = "t.csv") {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  std::string Infer(const std::string& text, const CsvOptions& options = {}) {
    const auto table = InferCsv({Write(text)}, options);
    return table.ok() ? Describe(*table->schema) : FaultOf(table.status()).what;
  }
  Fault FaultOfText(const std::string& text, const CsvOptions& options = {}) {
    Fault fault = FaultOf(InferCsv({Write(text)}, options).status());
    fault.where = fault.where.substr(fault.where.rfind('/') + 1);
    return fault;
  }

  std::string folder_;
};

TEST_F(Csv, InfersTypesOverTheWholeFile) {
  EXPECT_EQ(Infer("i,d,b,day,at,s\n"
                  "1,2,true,2013-01-31,2013-01-31T06:00:00Z,x\n"
                  "-7,.5,FALSE,2012-02-29,2013-01-31 06:00,1\n"
                  ",-1e-3,,,2013-01-31,\n"),
            "i int64, d float64, b bool, day date, at timestamp, s string");
}

TEST_F(Csv, DoesNotBeginWithAnEmptyLine) {
  for (const char* text : {"\na,b\n1,2\n", "\r\n\r\na\r\n1\r\n"}) {
    const Fault fault = FaultOfText(text);
    EXPECT_EQ(fault.what, "the file begins with an empty line");
    EXPECT_EQ(fault.where, "t.csv:1");
  }
  EXPECT_EQ(FaultOfText("\n1\n", {.header = false}).what, "the file begins with an empty line");
  EXPECT_EQ(Infer("a,b\n\n1,2\n\n"), "a int64, b int64");
}

TEST_F(Csv, OneOddValueOnLine30001MakesTextOfAColumn) {
  std::string text = "a,b\n";
  for (int i = 2; i < 30001; ++i) text += "1,2\n";
  EXPECT_EQ(Infer(text + "1,3\n"), "a int64, b int64");
  EXPECT_EQ(Infer(text + "x1,3\n"), "a string, b int64");
}

TEST_F(Csv, AnExplicitTypeThatDoesNotFitIsAFaultWithItsPlace) {
  std::string text = "a,b\n";
  for (int i = 2; i < 30001; ++i) text += "1,2\n";
  const std::string path = Write(text + "1,x1\n");
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())});
  const Fault fault = FaultOf(CheckCsv({path}, {}, *schema));
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_EQ(fault.what, "column \"b\" holds \"x1\", which is not int64");
  EXPECT_EQ(fault.where, path + ":30001");
  EXPECT_TRUE(CheckCsv({Write(text)}, {}, *schema).ok());
}

TEST_F(Csv, KnowsMissingValues) {
  EXPECT_EQ(Infer("a,b,c\nNA,NA,NA\n1,\"NA\",\n", {.null = "NA"}), "a int64, b string, c string");
  EXPECT_EQ(Infer("a,b\n\"\",1\n2,3\n"), "a string, b int64");
}

TEST_F(Csv, WholeNumbersBeyond64BitsStayText) {
  EXPECT_EQ(Infer("a,b,c\n9223372036854775807,9223372036854775808,1.5\n1,2,9223372036854775808\n"),
            "a int64, b string, c string");
}

TEST_F(Csv, NoTypeIsGuessedFromHalfAValue) {
  EXPECT_EQ(Infer("a,b,c,d,e,f\n 1,1.,2013-02-30,12:30,+1,1e\n2,2,2013-02-28,x,2,2\n"),
            "a string, b float64, c string, d string, e string, f string");
}

TEST_F(Csv, ReadsQuotesLineBreaksAndByteOrderMarks) {
  EXPECT_EQ(Infer("\xef\xbb\xbf\"a\",\"b\"\r\n\"x,1\",2\r\n\"line\r\nbreak\",3\r\n\"say "
                  "\"\"hi\"\"\",4\r\n"),
            "a string, b int64");
  EXPECT_EQ(Infer("a\"\"b\n1\n"), "a\"\"b int64");
}

TEST_F(Csv, TellsWhetherRowsAreLines) {
  const auto lines = [&](const std::string& text, const CsvOptions& options = {}) {
    return InferCsv({Write(text)}, options).ValueOrDie().rows_are_lines;
  };
  EXPECT_TRUE(lines("a,b\n1,2\n\"x,\"\"y\",3\n4,5"));
  EXPECT_TRUE(lines("a,b\r\n1,2\r\n"));
  EXPECT_FALSE(lines("a,b\n1,\"x\ny\"\n"));
  EXPECT_FALSE(lines("a,b\n1,\"x\r\"\n2,3\n"));
  EXPECT_FALSE(lines("a,\"b\nc\"\n1,2\n"));
  EXPECT_FALSE(lines("a\n1\n\n"));
  EXPECT_FALSE(lines("a\tb\n\t\n", {.delimiter = "\t"}));
}

TEST_F(Csv, LinesEndInOneWay) {
  for (const char* text :
       {"a,b\n1,2\n", "a,b\r\n1,2\r\n\r\n3,4", "a,b\r1,2\r", "a,b\n1,\"\r\n\"\n"}) {
    EXPECT_NE(Infer(text).find("a int64"), std::string::npos) << text;
  }
  const Fault fault = FaultOfText("a,b\n1,2\n3,4\r\n");
  EXPECT_EQ(fault.what, "mixed line endings: this line ends differently from those before it");
  EXPECT_EQ(fault.where, "t.csv:3");
  EXPECT_EQ(FaultOfText("a,b\r\n\n1,2\r\n").where, "t.csv:2");
  // Large enough to be read in parts.
  std::string large = "a,b\n";
  while (large.size() < (20 << 20)) large += "12345678,12345678\n";
  large += "1,2\r\n";
  const int64_t lines = std::count(large.begin(), large.end(), '\n');
  EXPECT_EQ(FaultOfText(large).where, "t.csv:" + std::to_string(lines));
}

TEST_F(Csv, WithoutHeaderColumnsAreNumbered) {
  EXPECT_EQ(Infer("1;x\n2;y\n", {.delimiter = ";", .header = false}),
            "column1 int64, column2 string");
}

TEST_F(Csv, ARaggedLineIsNamed) {
  Fault fault = FaultOfText("a,b\n1,\"x\ny\"\n1,2,3\n");
  EXPECT_EQ(fault.what, "3 cells where 2 are expected");
  EXPECT_EQ(fault.where, "t.csv:4");
  EXPECT_EQ(fault.exit, Exit::kInput);
  fault = FaultOfText("a,b\n\n\n1\n");
  EXPECT_EQ(fault.what, "1 cells where 2 are expected");
  EXPECT_EQ(fault.where, "t.csv:4");
}

TEST_F(Csv, BrokenQuotesAreNamed) {
  EXPECT_EQ(FaultOfText("a,b\n1,\"x\n2,3\n").what, "a quoted cell is never closed");
  EXPECT_EQ(FaultOfText("a,b\n1,\"x\n2,3\n").where, "t.csv:2");
  EXPECT_EQ(FaultOfText("a,b\n\"x\"y,1\n").what, "text follows the closing quote of \"x\"");
}

TEST_F(Csv, BytesThatAreNotUtf8AreNamed) {
  const Fault fault = FaultOfText("a,b\n1,2\ncaf\xe9,2\n");
  EXPECT_EQ(fault.what, "the text is not UTF-8");
  EXPECT_EQ(fault.where, "t.csv:3");
}

// Text is checked a block at a time: characters that cross a boundary between blocks are whole.
TEST_F(Csv, ACharacterOfSeveralBytesMayLieAnywhere) {
  for (const size_t lines : {1, 300}) {
    for (size_t at = 4080; at < 4110; ++at) {
      std::string text = "a\n" + std::string(at, 'x');
      for (size_t i = 0; i < lines; ++i) text += "\u20ac\nplain\n";
      ASSERT_EQ(Infer(text), "a string") << at;
      text[at + 2] = 'x';  // Leaves the rest of the first such character alone.
      ASSERT_EQ(FaultOfText(text).where, "t.csv:2") << at;
    }
  }
}

TEST_F(Csv, IsToldFromWhatIsNoText) {
  using namespace std::string_literals;
  const std::pair<std::string, std::string> files[] = {
      {"\xff\xfe\x61\0,\0b\0\n\0"s, "is UTF-16, not text"},
      {"a\0,\0b\0\n\0"s + "1\0,\0"s + "2\0\n\0"s, "is UTF-16, not text"},
      {"\x1f\x8b\x08\0\0"s, "is gzip, not text"},
      {"PK\x03\x04...."s, "is a zip archive or a spreadsheet, not text"},
      {"PAR1...."s, "is Parquet, not text"},
      {"a,b\n1,2\n\0\0\x01\x02"s, "is binary, not text"}};
  for (const auto& [text, what] : files) {
    const Fault fault = FaultOfText(text);
    EXPECT_TRUE(fault.what.ends_with(what)) << fault.what;
    EXPECT_EQ(fault.fix.find("latin1"), std::string::npos) << fault.fix;
    EXPECT_FALSE(fault.fix.empty()) << what;
  }
  const std::string named_wrongly = Write("id,age\n1,2\n", "t.parquet");
  const Fault fault = FaultOf(ParquetSchema({named_wrongly}).status());
  EXPECT_TRUE(fault.what.ends_with("t.parquet is not Parquet")) << fault.what;
  EXPECT_EQ(fault.why, "it is text that begins with \"id,age\"");
}

TEST_F(Csv, TakesTheTypesThatAreKnown) {
  const std::string path = Write("code,n,x,when\n007,,3,2013-01-02\n");
  const auto known =
      arrow::schema({arrow::field("code", arrow::utf8()), arrow::field("n", arrow::int64()),
                     arrow::field("x", arrow::float64()),
                     arrow::field("when", arrow::timestamp(arrow::TimeUnit::MICRO))});
  const SchemaPtr inferred = InferCsv({path}, {}).ValueOrDie().schema;
  EXPECT_EQ(Describe(*inferred), "code int64, n string, x int64, when date");
  EXPECT_EQ(Describe(*WithKnownTypes({path}, {}, inferred, *known).ValueOrDie()),
            "code string, n int64, x float64, when timestamp");
  const std::string odd = Write("code,n\nA,1\nB,?\n");
  const Fault fault =
      FaultOf(WithKnownTypes({odd}, {}, InferCsv({odd}, {}).ValueOrDie().schema, *known).status());
  EXPECT_EQ(fault.where, odd + ":3");
  EXPECT_EQ(fault.what, "column \"n\" holds \"?\", which is not int64");
}

TEST_F(Csv, TellsAnotherDelimiter) {
  const Fault fault = FaultOfText("day;x;y\n1;2,5;3\n");
  EXPECT_EQ(fault.what, "the only column is named \"day;x;y\"");
  EXPECT_EQ(fault.fix, "set the delimiter: delimiter = \";\"");
  EXPECT_EQ(Infer("day;x\n1;2\n", {.delimiter = ";"}), "day int64, x int64");
}

TEST_F(Csv, CutsLongCellsInMessages) {
  const std::string path = Write("n\n" + std::string(1 << 20, 'x') + "\n");
  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  const Fault fault = FaultOf(CheckCsv({path}, {}, *schema));
  EXPECT_LT(fault.what.size(), 200u);
  EXPECT_LT(fault.fix.size(), 200u);
  EXPECT_NE(fault.what.find("(1048576 bytes)"), std::string::npos) << fault.what;
}

// On a line of its own, and over many lines in quotes; also in later rows of a large file.
TEST_F(Csv, NamesARowThatIsTooLong) {
  const std::string few = "n,text\n1,a\n2,", many(20 << 20, 'x');
  std::string lines = "\"";
  for (int i = 0; i < 20; ++i) lines += std::string(1 << 20, 'x') + "\n";
  for (const std::string& cell : {many, "\"" + many + "\"", lines + "\""}) {
    const Fault fault = FaultOf(InferCsv({Write(few + cell + "\n3,b\n")}, {}).status());
    EXPECT_EQ(fault.what, "a row is longer than 16 MiB");
    EXPECT_TRUE(fault.where.ends_with(":3")) << fault.where;
  }
  EXPECT_EQ(Infer(few + std::string(15 << 20, 'x') + "\n3,b\n"), "n int64, text string");
}

TEST_F(Csv, RefusesNamesThatCannotBeTold) {
  EXPECT_EQ(FaultOfText("a,A\n1,2\n").what, "two columns are named \"A\"");
  EXPECT_EQ(FaultOfText("column2,\n1,2\n").what, "two columns are named \"column2\"");
  EXPECT_EQ(FaultOfText("").what, "the file is empty");
  EXPECT_EQ(FaultOf(InferCsv({folder_ + "/none.csv"}, {}).status()).what, "no such file or folder");
}

TEST_F(Csv, NamesColumnsWithoutANameByTheirPlace) {
  EXPECT_EQ(Infer("\"\",a,\n1,x,2.5\n"), "column1 int64, a string, column3 float64");
}

TEST_F(Csv, SeveralFilesAreOneTable) {
  const std::string a = Write("n\n1\n", "a.csv"), b = Write("n\n1.5\n", "b.csv");
  EXPECT_EQ(Describe(*InferCsv({a, b}, {}).ValueOrDie().schema), "n float64");
  const std::string c = Write("m\n1\n", "c.csv");
  EXPECT_EQ(FaultOf(InferCsv({a, c}, {}).status()).where, c + ":1");
}

// Beyond some megabytes, several threads read the rows; they must find the same.
TEST_F(Csv, ALargeFileIsReadAsASmallOne) {
  std::string text = "i,d,t,n,s\r\n";
  const size_t rows = 400'000;
  for (size_t i = 0; i < rows; ++i) {
    text += std::to_string(i) + (i == rows / 3 ? ",1.5" : ",7") +
            (i % 2 == 0 ? ",2013-01-31" : ",") + (i == rows - 1 ? ",x" : ",") + ",\r\n";
  }
  EXPECT_EQ(Infer(text), "i int64, d float64, t date, n string, s string");
  EXPECT_EQ(Infer(text + "1,2,2013-01-31 06:00,,\r\n\r\n"),
            "i int64, d float64, t timestamp, n string, s string");
  EXPECT_EQ(Infer(text + "1,2,,\"a\nb\",\r\n").substr(0, 7), "i int64");
  const Fault fault = FaultOfText(text + "\r\n1,2\r\n");
  EXPECT_EQ(fault.what, "2 cells where 5 are expected");
  EXPECT_EQ(fault.where, "t.csv:" + std::to_string(rows + 3));
  std::string one = "n\n";
  for (size_t i = 0; i < 2'000'000; ++i) one += i % 3 == 0 ? "\n" : "12345\n";
  EXPECT_EQ(Infer(one), "n int64");
}

TEST_F(Csv, AHeaderAloneIsATableOfText) { EXPECT_EQ(Infer("a,b\n"), "a string, b string"); }

TEST_F(Csv, FactsTellSizeAndTime) {
  const FileFacts facts = ReadFileFacts(Write("abc")).ValueOrDie();
  EXPECT_EQ(facts.bytes, 3);
  EXPECT_GT(facts.changed_ns, int64_t{1'000'000'000} * 1'000'000'000);
}

}  // namespace
}  // namespace protium
