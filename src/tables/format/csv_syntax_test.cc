// SPDX-License-Identifier: Apache-2.0
#include "format/csv_syntax.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "format/csv.h"
#include "format/csv_options.h"
#include "format/csv_rows.h"
#include "os/file.h"

namespace protium {
namespace {

class CsvSyntaxOfFiles : public testing::Test {
 protected:
  std::string Write(const std::string& text, const char* name = "t.csv") {
    const std::string path = (folder_.path() / name).string();
    EXPECT_TRUE(WriteFile(path, text).ok());
    return path;
  }
  CsvOptions Find(const std::string& text, const std::set<std::string>& said = {}) {
    return FindSyntax(Write(text), {}, said).ValueOrDie();
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(CsvSyntaxOfFiles, FindsDelimiters) {
  EXPECT_EQ(Find("a;b\n1,5;2,5\n").delimiter, ";");
  EXPECT_EQ(Find("a\tb\n1\t2\n").delimiter, "\t");
  EXPECT_EQ(Find("a|b\n1|2\n").delimiter, "|");
  EXPECT_EQ(Find("a,b\n1,x;y\n").delimiter, ",");
  EXPECT_EQ(Find("a\n1\n").delimiter, ",");
}

TEST_F(CsvSyntaxOfFiles, TellsCommentsFromHeadersThatBeginWithAMark) {
  EXPECT_EQ(Find("# made today\n# by hand\na,b\n1,2\n").comment, "#");
  EXPECT_EQ(Find("#a,b\n1,2\n").comment, "");
  EXPECT_EQ(Find("a,b\n1,2\n").comment, "");
}

TEST_F(CsvSyntaxOfFiles, TellsRowsFromNames) {
  EXPECT_FALSE(Find("north,1.5\nsouth,2.5\nnorth,NA\n").header);
  EXPECT_FALSE(Find("0,0,5\n0,1,7\n").header);
  EXPECT_FALSE(Find("39, State-gov, 7\n50, Private, 8\n38, State-gov, ?\n").header);
  EXPECT_TRUE(Find("country,1990,1991\nfr,1,2\nde,3,4\n").header);
  EXPECT_TRUE(Find("1990,1991\n1,2\n3,4\n").header);
  EXPECT_TRUE(Find("a,b\nx,y\na,b\n").header);
  EXPECT_TRUE(Find("0.5,0.5x\n1,2\n").header);
  EXPECT_TRUE(Find("0,0.5\n0,1\n", {"header"}).header);
}

TEST_F(CsvSyntaxOfFiles, ATsvFileHasTabs) {
  const std::string path = Write("a\tb\n1\t2\n", "t.TSV");
  EXPECT_EQ(CsvRows::Open(path, {}).ValueOrDie().names().size(), 2u);
  EXPECT_EQ(WithDelimiter(path, {})->delimiter, "\t");
  EXPECT_EQ(WithDelimiter(Write("a,b\n1,2\n", "u.tsv"), {})->delimiter, ",");
}

TEST_F(CsvSyntaxOfFiles, AFileOfJsonIsRefused) {
  const Fault fault = FaultOf(CsvRows::Open(Write("[{\"a\": 1}]\n", "t.json"), {}).status());
  EXPECT_TRUE(fault.what.ends_with("t.json is JSON, not CSV"));
  EXPECT_EQ(CsvRows::Open(Write("[a],b\n1,2\n"), {}).ValueOrDie().names().size(), 2u);
}

TEST(CheckOptionsFit, RefusesOptionsOfCsvForOtherFormats) {
  CsvOptions options{.trim = true};
  EXPECT_TRUE(CheckOptionsFit(Format::kCsv, options).ok());
  EXPECT_TRUE(CheckOptionsFit(Format::kParquet, {}).ok());
  EXPECT_EQ(FaultOf(CheckOptionsFit(Format::kArrow, options)).what,
            "\"trim\" is an option of CSV, and this table is Arrow");
  options = {.types = {{{"zip", "string"}}}};
  EXPECT_TRUE(CheckOptionsFit(Format::kJsonLines, options).ok());
  EXPECT_FALSE(CheckOptionsFit(Format::kParquet, options).ok());
}

}  // namespace
}  // namespace protium
