// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/fault.h"
#include "inspect/first_job.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FirstLooks : public testing::Test {
 protected:
  // A table of 60 rows: "region", "area" with fractions and "rooms". `cell` writes area and rooms.
  FirstLook Look(const std::string& delimiter, const std::string& head,
                 const std::function<std::string(int row, int column)>& cell,
                 const char* name = "t.csv") {
    std::string text = head;
    for (int i = 0; i < 60; ++i) {
      text += (i % 3 == 0 ? "north" : "south") + delimiter + cell(i, 1) + delimiter + cell(i, 2);
      text += "\n";
    }
    const auto path = folder_.path() / name;
    EXPECT_TRUE(WriteFile(path, text).ok());
    const Result<FirstLook> look = LookAndFix(path, {}, 0);
    EXPECT_TRUE(look.ok()) << Render(FaultOf(look.status()));
    return look.ok() ? *look : FirstLook();
  }
  static std::string Usual(int row, int column) {
    return column == 1 ? std::to_string(row + 20) + ".25" : std::to_string(row % 7);
  }
  static std::string Types(const FirstLook& look) {
    std::string types;
    for (const ColumnProfile& each : look.table.columns) types += each.type->ToString() + " ";
    return types;
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

constexpr char kTyped[] = "string double int64 ";

TEST_F(FirstLooks, FindsDelimiterHeaderAndComments) {
  const FirstLook semicolons = Look(";", "region;area;rooms\n", Usual);
  EXPECT_THAT(OptionsSaid(semicolons.csv), ElementsAre("delimiter = \";\""));
  EXPECT_EQ(Types(semicolons), kTyped);
  const FirstLook rows = Look(",", "", Usual);
  EXPECT_THAT(OptionsSaid(rows.csv), ElementsAre("header = false"));
  EXPECT_EQ(Types(rows), kTyped);
  const FirstLook comments = Look("|", "# from there\nregion|area|rooms\n", Usual);
  EXPECT_THAT(OptionsSaid(comments.csv), ElementsAre("delimiter = \"|\"", "comment = \"#\""));
  EXPECT_EQ(Types(comments), kTyped);
}

TEST_F(FirstLooks, FixesNullsBlanksAndDecimalCommas) {
  const FirstLook nulls = Look(",", "region,area,rooms\n", [](int row, int column) {
    return row % 3 == 1 ? std::string(column == 1 ? "NA" : "-") : Usual(row, column);
  });
  EXPECT_THAT(OptionsSaid(nulls.csv), ElementsAre("null = [\"NA\",\"-\"]"));
  EXPECT_EQ(Types(nulls), kTyped);
  const FirstLook blanks = Look(",", "region, area, rooms\n", [](int row, int column) {
    return row == 7 ? std::string(" ?") : " " + Usual(row, column);
  });
  EXPECT_THAT(OptionsSaid(blanks.csv), ElementsAre("null = \"?\"", "trim = true"));
  EXPECT_EQ(Types(blanks), kTyped);
  const FirstLook commas = Look(";", "region;area;rooms\n", [](int row, int column) {
    return column == 1 ? std::to_string(row) + ",5" : Usual(row, column);
  });
  EXPECT_THAT(OptionsSaid(commas.csv), ElementsAre("delimiter = \";\"", "decimal = \",\""));
  EXPECT_EQ(Types(commas), kTyped);
}

TEST_F(FirstLooks, TakesMarksInTextForMissingValues) {
  const auto jobs = [](const std::string& missing) {
    return [missing](int row, int column) {
      return column == 2 && row % 4 == 0 ? missing : "clerk" + std::to_string(column + row % 2);
    };
  };
  const FirstLook marks = Look(",", "region,area,job\n", jobs("?"));
  EXPECT_THAT(OptionsSaid(marks.csv), ElementsAre("null = \"?\""));
  EXPECT_EQ(marks.table.columns[2].nulls, 15);
  EXPECT_EQ(marks.table.columns[2].distinct, 2);
  // Words may be the column's actual values.
  EXPECT_THAT(OptionsSaid(Look(",", "region,area,job\n", jobs("None")).csv), ElementsAre());
}

TEST_F(FirstLooks, TellsWhatOnlyAPersonCanFix) {
  const FirstLook look = Look(",", "region,area,rooms\n", [](int row, int column) {
    return row == 7 && column == 2 ? std::string("many") : Usual(row, column);
  });
  EXPECT_THAT(OptionsSaid(look.csv), ElementsAre());
  EXPECT_THAT(OddLines(look.odd, {}),
              ElementsAre(HasSubstr("rooms would be int64 but for 1 cell such as \"many\"")));
}

TEST_F(FirstLooks, JobsSayTheOptionsThatWereFound) {
  const FirstLook look = Look(
      "\t", "region\tarea\trooms\n",
      [](int row, int column) { return row == 7 ? std::string("NA") : Usual(row, column); },
      "t.tsv");
  FirstJobSpec spec{.name = "t", .data = ".", .label = "area"};
  spec.source = FindSource({{"t", folder_.path() / "t.tsv"}, look}, {}, spec.label).ValueOrDie();
  EXPECT_THAT(JobText(OutlineOf(spec).ValueOrDie()),
              HasSubstr("t = { csv = \"t.tsv\", null = \"NA\" }\n"));
}

TEST_F(FirstLooks, FaultsSayTheFlag) {
  const auto path = folder_.path() / "t.csv";
  ASSERT_TRUE(WriteFile(path, "a,b\n1,2\n3,4,5\n").ok());
  EXPECT_THAT(FaultOf(LookAt(path, {}, 0).status()).fix, HasSubstr("here: --csv KEY=VALUE"));
}

}  // namespace
}  // namespace protium
