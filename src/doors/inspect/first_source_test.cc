// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "inspect/text_dates.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string PatternOf(std::initializer_list<const char*> values) {
  DatePattern pattern;
  for (const char* value : values) pattern.Read(value);
  const TextDate found = pattern.Found();
  return found.odd_values > 0 ? "" : found.pattern + (found.other.empty() ? "" : "?");
}

TEST(DatePattern, IsThatOfAllValues) {
  EXPECT_EQ(PatternOf({"03/25/2017", "12/01/2017"}), "MM/dd/yyyy");
  EXPECT_EQ(PatternOf({"25/03/2017", "01/12/2017"}), "dd/MM/yyyy");
  EXPECT_EQ(PatternOf({"03/04/2017"}), "MM/dd/yyyy?");
  EXPECT_EQ(PatternOf({"25.03.2017", "01.02.2017"}), "dd.MM.yyyy");
  EXPECT_EQ(PatternOf({"2017/03/25"}), "yyyy/MM/dd");
  EXPECT_EQ(PatternOf({"3/25/2017", "12/1/2017"}), "M/d/yyyy");
  EXPECT_EQ(PatternOf({"3/25/2017 2:05 PM", "11/25/2017 12:05 AM"}), "M/dd/yyyy h:mm a");
  EXPECT_EQ(PatternOf({"25.03.2017 14:05:59"}), "dd.MM.yyyy HH:mm:ss");
  EXPECT_EQ(PatternOf({"03/2017", "11/2018"}), "MM/yyyy");
  EXPECT_EQ(PatternOf({"2017-03", "2018-11"}), "yyyy-MM");
}

TEST(DatePattern, HasNamesOfMonths) {
  EXPECT_EQ(PatternOf({"3 Mar 2024", "12 Dec 2023"}), "d MMM yyyy");
  EXPECT_EQ(PatternOf({"Mar 3, 2024", "May 12, 2023"}), "MMM d, yyyy");
  EXPECT_EQ(PatternOf({"May 12, 2023", "March 3, 2024"}), "MMMM d, yyyy");
  EXPECT_EQ(PatternOf({"3. March 2024"}), "d. MMMM yyyy");
  EXPECT_EQ(PatternOf({"03-MAR-24", "31-dec-23"}), "dd-MMM-yy");
  EXPECT_EQ(PatternOf({"03MAR2024"}), "ddMMMyyyy");
  EXPECT_EQ(PatternOf({"2024-Mar-03"}), "yyyy-MMM-dd");
  EXPECT_EQ(PatternOf({"Mar 2024"}), "MMM yyyy");
  EXPECT_EQ(PatternOf({"Mar 3, 2024, 2:05 PM"}), "MMM d, yyyy, h:mm a");
  for (const char* odd : {"Marc 3, 2024", "March 3, 2024", "Mar 32, 2024", "Mar 3 2024", "Mar-24",
                          "Mar 3, 2024 am", "March", "Mar", "Mar Apr 3, 2024"}) {
    EXPECT_EQ(PatternOf({"Apr 3, 2024", odd}), "") << odd;
  }
}

TEST(DatePattern, HasYearsOfTwoDigits) {
  EXPECT_EQ(PatternOf({"03/25/17", "12/01/17"}), "MM/dd/yy");
  EXPECT_EQ(PatternOf({"25.3.17", "1.12.18"}), "d.M.yy");
  EXPECT_EQ(PatternOf({"98-03-25"}), "yy-MM-dd");
  EXPECT_EQ(PatternOf({"3/4/17", "3/4/5"}), "");
  // Day or year first: whichever varies more is the day.
  EXPECT_EQ(PatternOf({"25-03-17", "26-03-17", "27-04-18"}), "dd-MM-yy?");
  EXPECT_EQ(PatternOf({"17-03-25", "17-03-26", "18-04-27"}), "yy-MM-dd?");
}

TEST(DatePattern, MayBeOfMostValues) {
  DatePattern pattern;
  for (const char* value : {"3/4/2017", "3/25/2017", "soon"}) pattern.Read(value);
  const TextDate found = pattern.Found();
  EXPECT_EQ(found.pattern, "M/d/yyyy");
  EXPECT_EQ(found.odd_values, 1);
  EXPECT_EQ(LooseReadingOf(found, "day"), "try_to_date(day, 'M/d/yyyy')");
  pattern.Read("n/a");
  EXPECT_EQ(pattern.Found().pattern, "");
}

TEST(DatePattern, ReadsThe20thCenturyByAPivot) {
  DatePattern pattern;
  pattern.Read("1-Apr-99");
  EXPECT_EQ(ReadingOf(pattern.Found(), "day"),
            "CASE WHEN to_date(day, 'd-MMM-yy') < DATE '2069-01-01' THEN to_date(day, 'd-MMM-yy') "
            "ELSE to_date(day, 'd-MMM-yy') - INTERVAL 100 YEAR END");
  // Values that nobody has seen may be of it even if those that were seen are not.
  DatePattern later;
  later.Read("1-Apr-19");
  EXPECT_EQ(LooseReadingOf(later.Found(), "day"),
            "CASE WHEN try_to_date(day, 'd-MMM-yy') < DATE '2069-01-01' THEN try_to_date(day, "
            "'d-MMM-yy') ELSE try_to_date(day, 'd-MMM-yy') - INTERVAL 100 YEAR END");
}

TEST(DatePattern, IsNoneWhereAValueDoesNotFit) {
  for (const char* odd :
       {"31/31/2017", "03/25/17", "2017-03", "03/2017", "03/25/2017 25:00", "25.03/2017", "",
        "03/25/2017 10", "3/25/20170", "03/25/2017 1:5", "/25/2017", "n/a"}) {
    EXPECT_EQ(PatternOf({"03/25/2017", odd}), "") << odd;
  }
  EXPECT_EQ(PatternOf({"03/25/2017", "25/03/2017"}), "");
  EXPECT_EQ(PatternOf({}), "");
}

// 120 sales of 12 shops; prices by (shop, week); visits, several for each shop; managers, whose
// "id" is their own.
class Sources : public testing::Test {
 protected:
  void SetUp() override {
    std::string sales = "id,shop,week,day,sold\n", prices = "shop,week,price\n";
    std::string shops = "shop,size,week\n", visits = "shop,guests\n", managers = "id,age\n";
    for (int i = 0; i < 120; ++i) {
      sales += fmt::format("{0},s{1},{2},{3:02}/{4:02}/2017,{0}\n", i, i % 12, i / 12, 1 + i / 28,
                           1 + i % 28);
      prices += fmt::format("s{},{},{}\n", i % 12, i / 12, i * 3);
      visits += fmt::format("s{},{}\n", i % 12, i);
      managers += fmt::format("{},{}\n", i, 30 + i % 9);
    }
    for (int i = 0; i < 9; ++i) shops += fmt::format("s{},{},{}\n", i, i * 100, i % 2);
    Write("sales", sales);
    Write("prices", prices);
    Write("shops", shops);
    Write("visits", visits);
    Write("managers", managers);
  }
  void Write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(WriteFile(folder_.path() / (name + ".csv"), text).ok());
  }
  Result<FirstSource> Find(const std::string& label, const std::string& named = {}) const {
    PT_LET(LookedPlace found, LookForTables(folder_.path(), {}, label, named));
    LookedTable main = found.tables.front();
    found.tables.erase(found.tables.begin());
    return FindSource(std::move(main), std::move(found.tables), label);
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(Sources, JoinTablesByTheKeysThatTheyShare) {
  const FirstSource source = Find("sold").ValueOrDie();
  EXPECT_EQ(source.from,
            "sales\n"
            "-- prices: one row for each shop, week, found for 100% of the rows\n"
            "LEFT JOIN prices ON prices.shop = sales.shop\n  AND prices.week = sales.week\n"
            "-- shops: one row for each shop, found for 75% of the rows\n"
            "LEFT JOIN shops ON shops.shop = sales.shop");
  EXPECT_EQ(source.seen.rows, 120);
  EXPECT_EQ(source.seen.Find("size")->nulls, 30);
  EXPECT_EQ(ReadOf(source, "shops_week"), "shops.week AS shops_week");
  EXPECT_THAT(source.notes, Contains("managers is not joined: it shares no column with sales"));
  EXPECT_THAT(source.notes, Contains(HasSubstr("visits is not joined: it has several rows for "
                                               "each shop")));
}

TEST_F(Sources, AreNeverJoinedByTheLabel) {
  EXPECT_THAT(Find("week", "sales").ValueOrDie().from, testing::Not(HasSubstr("prices.week")));
}

TEST_F(Sources, ReadDatesByTheirPattern) {
  const FirstSource source = Find("sold").ValueOrDie();
  EXPECT_EQ(ReadOf(source, "day"), "to_date(sales.day, 'MM/dd/yyyy') AS day");
  EXPECT_EQ(source.seen.Find("day")->least, "2017-01-01");
  EXPECT_EQ(source.seen.Find("day")->nulls, 0);
}

TEST_F(Sources, WantALabelOfOneTable) {
  EXPECT_EQ(FaultOf(Find("week").status()).fix, "say which table to learn from: --table prices");
  EXPECT_TRUE(Find("week", "sales").ok());
  EXPECT_THAT(FaultOf(Find("week", "sale").status()).fix, HasSubstr("\"sales\""));
  EXPECT_THAT(FaultOf(Find("none").status()).what,
              HasSubstr("none of the tables managers, prices, sales, shops, visits has a column"));
}

TEST_F(Sources, TakeFilesOfEqualColumnsForOneTable) {
  const auto parts = TemporaryFolder::Make().ValueOrDie();
  for (const char* name : {"a.csv", "b.csv"}) {
    ASSERT_TRUE(WriteFile(parts.path() / name, "x,y\n1,2\n3,4\n").ok());
  }
  const LookedPlace found = LookForTables(parts.path(), {}, "y", "").ValueOrDie();
  ASSERT_EQ(found.tables.size(), 1u);
  EXPECT_EQ(found.tables[0].look.table.rows, 4);
  // A part that cannot be read is not left out of its table.
  ASSERT_TRUE(WriteFile(parts.path() / "c.csv", "").ok());
  const Fault fault = FaultOf(LookForTables(parts.path(), {}, "y", "").status());
  EXPECT_EQ(fault.what, "the file is empty");
  EXPECT_THAT(fault.where, HasSubstr("c.csv"));
}

TEST_F(Sources, AreFoundBesideTablesThatCannotBeRead) {
  Write("aaa", "");
  Write("ragged", "shop,x\ns1,2\ns2\n");
  const LookedPlace found = LookForTables(folder_.path(), {}, "sold", "").ValueOrDie();
  EXPECT_EQ(found.tables.size(), 5u);
  EXPECT_EQ(found.tables[0].place.name, "sales");
  ASSERT_EQ(found.broken.size(), 2u);
  EXPECT_THAT(ReasonOf(found.broken[0]), HasSubstr("the file is empty ("));
  EXPECT_THAT(ReasonOf(found.broken[1]), HasSubstr("ragged.csv:3"));
  EXPECT_THAT(FaultOf(Find("none").status()).why, HasSubstr("aaa and ragged cannot be read"));
  EXPECT_EQ(FaultOf(Find("sold", "aaa").status()).what, "the file is empty");
}

TEST_F(Sources, AreRefusedIfNoneCanBeRead) {
  const auto broken = TemporaryFolder::Make().ValueOrDie();
  for (const char* name : {"a.csv", "b.csv"}) ASSERT_TRUE(WriteFile(broken.path() / name, "").ok());
  const Fault fault = FaultOf(LookForTables(broken.path(), {}, "y", "").status());
  EXPECT_EQ(fault.what, "the file is empty");
}

}  // namespace
}  // namespace protium
