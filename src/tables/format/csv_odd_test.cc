// SPDX-License-Identifier: Apache-2.0
#include "format/csv_odd.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "format/csv.h"
#include "os/file.h"

namespace protium {
namespace {

class CsvOdd : public testing::Test {
 protected:
  std::vector<OddColumn> Find(const std::string& text, const CsvOptions& options = {}) {
    const std::string path = (folder_.path() / "t.csv").string();
    EXPECT_TRUE(WriteFile(path, text).ok());
    const auto table = InferCsv({path}, options);
    EXPECT_TRUE(table.ok());
    return *FindOddColumns({path}, options, *table->schema);
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(CsvOdd, NamesTheCellsThatMakeAColumnText) {
  std::string text = "n,name,day\n";
  for (int i = 0; i < 50; ++i)
    text += std::to_string(i) + ".5,x" + std::to_string(i) + ",2013-01-01\n";
  text += "N/A,x,2013-01-02\n?,y,unknown\nN/A,,\n";
  const auto odd = Find(text);
  ASSERT_EQ(odd.size(), 2u);
  EXPECT_EQ(odd[0].column, "n");
  EXPECT_EQ(odd[0].type, "float64");
  EXPECT_EQ(odd[0].texts, (std::vector<std::string>{"N/A", "?"}));
  EXPECT_EQ(odd[0].cells, 3);
  EXPECT_TRUE(odd[0].where.ends_with("t.csv:52"));
  EXPECT_EQ(odd[1].type, "date");
  EXPECT_EQ(odd[1].texts, std::vector<std::string>{"unknown"});
}

TEST_F(CsvOdd, TellsBlanksAndDecimalCommas) {
  const auto blanks = Find("a, b\n1, 2\n3, 4.5\n");
  ASSERT_EQ(blanks.size(), 1u);
  EXPECT_TRUE(blanks[0].trim && blanks[0].texts.empty());
  EXPECT_EQ(blanks[0].type, "float64");
  const auto commas = Find("a;b\n1;2,5\n3;-4,5\n", {.delimiter = ";"});
  ASSERT_EQ(commas.size(), 1u);
  EXPECT_TRUE(commas[0].decimal_comma && !commas[0].trim);
}

TEST_F(CsvOdd, FixesWhatIsBeyondDoubt) {
  // There may be many words for missing values, but not many other texts.
  const auto nulls = Find("a,b\nNA,1\n-,2\n3,x\nNA,4\n");
  ASSERT_EQ(nulls.size(), 1u);
  EXPECT_EQ(WithFixes(nulls, {}).null.all, (std::vector<std::string>{"NA", "-"}));
  std::string text = "a\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(i) + "\n";
  EXPECT_TRUE(WithFixes(Find(text + "many\n"), {}).null.empty());
  EXPECT_TRUE(WithFixes(Find("a, b\n1, 2\n3, 4.5\n"), {}).trim);
}

TEST_F(CsvOdd, TellsGroupsOfThousandsFromDecimals) {
  const CsvOptions semicolon{.delimiter = ";"};
  const auto groups = Find("a;b\n1;12,500\n3;-4,000\n", semicolon);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_TRUE(groups[0].decimal_comma && groups[0].maybe_groups);
  EXPECT_EQ(WithFixes(groups, semicolon).decimal, ".");
  const auto decimals = Find("a;b\n1;12,500\n3;0,500\n", semicolon);
  ASSERT_EQ(decimals.size(), 1u);
  EXPECT_FALSE(decimals[0].maybe_groups);
  EXPECT_EQ(WithFixes(decimals, semicolon).decimal, ",");
}

TEST_F(CsvOdd, LeavesTextsAlone) {
  EXPECT_TRUE(Find("a,b\n1,x\n2,2\ny,\"01\"\n").empty());
  EXPECT_TRUE(Find("a,b\n1,\n2,\n").empty());
}

}  // namespace
}  // namespace protium
