// SPDX-License-Identifier: Apache-2.0
#include "inspect/codes.h"

#include <arrow/type.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/fault.h"
#include "inspect/first_columns.h"
#include "inspect/first_job.h"
#include "inspect/first_source.h"
#include "inspect/iso_times.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A table written as CSV, and what is made of it.
class MadeTable : public testing::Test {
 protected:
  FirstLook LookIn(const std::string& names, int rows,
                   const std::function<std::string(int)>& cells) {
    std::string text = names + "\n";
    for (int i = 0; i < rows; ++i) text += cells(i) + "\n";
    EXPECT_TRUE(WriteFile(place_, text).ok());
    return LookAndFix(place_, {}, 0).ValueOrDie();
  }
  // How the column is used, and why.
  static std::string UseOf(const TableProfile& table, const std::string& column,
                           const ColumnWishes& wishes = {}) {
    const UsedColumns used = SortColumns(table, *table.Find("y"), {}, wishes).ValueOrDie();
    for (const ColumnReason& each : used.reasons) {
      if (each.column == column) return each.use + ": " + each.why;
    }
    return "none";
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path place_ = folder_.path() / "t.csv";
};

using CodesTest = MadeTable;

TEST_F(CodesTest, WithLeadingZerosAreReadAsText) {
  const FirstLook look =
      LookIn("zip,area,y", 60, [](int i) { return fmt::format("{:05},{},{}", i * 700, i, i % 7); });
  EXPECT_EQ(look.table.Find("zip")->type->ToString(), "string");
  EXPECT_EQ(look.table.Find("area")->type->ToString(), "int64");
  ASSERT_EQ(look.codes.size(), 1u);
  EXPECT_EQ(look.codes[0].column + " " + look.codes[0].example, "zip 00000");
  EXPECT_EQ(look.table.Find("zip")->leading_zeros, 15);
}

TEST_F(CodesTest, AreReportedWhereTheTableIsOnlyExamined) {
  LookIn("zip,y", 60, [](int i) { return fmt::format("{:05},{}", i * 700, i % 7); });
  const FirstLook look = LookAt(place_, {}, 0).ValueOrDie();
  EXPECT_EQ(look.table.Find("zip")->type->ToString(), "int64");
  ASSERT_EQ(look.codes.size(), 1u);
  EXPECT_EQ(look.codes[0].column + " " + look.codes[0].example, "zip 00000");
}

TEST_F(CodesTest, AreNotAmountsThatAreZeroOrMonths) {
  const FirstLook look = LookIn("n,month,y", 30, [](int i) {
    return fmt::format("{},{:02},{}", i % 3 == 0 ? 0 : -i, 1 + i % 12, i % 7);
  });
  EXPECT_THAT(look.codes, IsEmpty());
  EXPECT_EQ(look.table.Find("n")->type->ToString(), "int64");
  EXPECT_EQ(look.table.Find("month")->type->ToString(), "int64");
}

using WholeNumbers = MadeTable;

// Each differs in every row.
TEST_F(WholeNumbers, AreAmountsUnlessTheyCountUpOrAreHashes) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> people(9, 1.5);
  const FirstLook look = LookIn("row,order,hash,citizens,city_id,x,y", 500, [&](int i) {
    return fmt::format("{},{},{},{},{},{},{}", (i * 37) % 500, 1000 + 3 * i, random() >> 2,
                       int64_t(people(random)) * 500 + i, int64_t(people(random)) * 500 + i, i % 9,
                       i % 7);
  });
  for (const char* id : {"row", "order", "hash", "city_id"}) {
    EXPECT_EQ(UseOf(look.table, id), "left out: has a different value in every row: an id?") << id;
  }
  EXPECT_THAT(UseOf(look.table, "citizens"), HasSubstr("number: whole numbers from "));
  EXPECT_THAT(UseOf(look.table, "order", {.kept = {"order"}}),
              HasSubstr("number: whole numbers from 1000 to 2497; kept by --keep"));
  EXPECT_EQ(UseOf(look.table, "citizens", {.dropped = {"citizens"}}),
            "left out: is dropped by --drop");
}

TEST(IsoTimes, HaveOffsetsOrNanoseconds) {
  for (const char* time : {"2024-02-16T00:36:02+02:00", "2024-03-10 20:49:05.581068243",
                           "2024-03-10T20:49Z", "2024-03-10 20:49:05.5-11:30"}) {
    EXPECT_TRUE(IsIsoTime(time)) << time;
  }
  for (const char* text : {"", "2024-02-16", "2024-02-16T25:00", "2024-13-16T00:36:02",
                           "2024-02-16T", "2024-02-16T00:36:02+2", "2024-02-16T00:36:02.+02:00",
                           "2024-02-16T00:36:02.1234567890", "16.02.2024 00:36"}) {
    EXPECT_FALSE(IsIsoTime(text)) << text;
  }
}

using TimesAsText = MadeTable;

TEST_F(TimesAsText, WithOffsetsAreTimes) {
  const FirstLook look = LookIn("at,y", 40, [](int i) {
    return fmt::format("2024-02-{:02}T{:02}:36:02+02:00,{}", 1 + i % 28, i % 24, i % 7);
  });
  const FirstSource source = FindSource({{"t", place_}, look}, {}, "y").ValueOrDie();
  EXPECT_EQ(source.reads.at("at"), "to_timestamp(at)");
  EXPECT_THAT(source.notes, ElementsAre("at is read as a time in UTC, to the microsecond"));
  const ColumnProfile& at = *source.seen.Find("at");
  EXPECT_EQ(at.least, "2024-01-31 22:36:02");
}

using Sentences = MadeTable;

TEST_F(Sentences, AreReadByTheirWordsIfThatIsAsked) {
  const FirstLook look = LookIn("note,n,y", 200, [](int i) {
    return fmt::format("a small {} house in street {},{},{}", i % 3 == 0 ? "red" : "blue", i,
                       i * i % 17, i % 7 + 0.5);
  });
  FirstJobSpec spec{.name = "t", .data = ".", .label = "y"};
  spec.source = FindSource({{"t", place_}, look}, {}, "y").ValueOrDie();
  JobOutline outline = OutlineOf(spec).ValueOrDie();
  EXPECT_THAT(outline.columns.left_out,
              ElementsAre("note has 200 distinct texts of about 7 words: see tokenizer in `protium "
                          "help stages`"));
  EXPECT_THAT(JobText(outline), Not(HasSubstr("count_vectorizer")));
  EXPECT_TRUE(HoldsSentences(look.table, *look.table.Find("note")));
  EXPECT_THAT(outline.notes, Contains("inputs: 1 numeric"));
  ReadWords(outline);
  EXPECT_THAT(outline.notes, Contains("inputs: 1 numeric, 1 text"));
  outline.log_label = true;
  EXPECT_THAT(outline.columns.left_out, IsEmpty());
  EXPECT_THAT(JobText(outline), AllOf(HasSubstr("kind   = \"count_vectorizer\""),
                                      HasSubstr("coalesce(note, '') AS note"),
                                      HasSubstr("numeric = [\"n\", { stage = \"word\" }]"),
                                      HasSubstr("label_scale = \"log1p\"")));
}

// Without the texts only 15 different rows are left.
TEST_F(Sentences, TellRowsApart) {
  const FirstLook look = LookIn("note,stars,y", 200, [](int i) {
    return fmt::format("a small {} house in street {},{},{}", i % 3 == 0 ? "red" : "blue", i, i % 5,
                       i % 3);
  });
  FirstJobSpec spec{.name = "t", .data = ".", .label = "y"};
  spec.source = FindSource({{"t", place_}, look}, {}, "y").ValueOrDie();
  JobOutline outline = OutlineOf(spec).ValueOrDie();
  EXPECT_THAT(outline.notes, Contains(HasSubstr("most rows have duplicates")));
  ReadWords(outline);
  EXPECT_THAT(outline.notes, Not(Contains(HasSubstr("most rows have duplicates"))));
}

}  // namespace
}  // namespace protium
