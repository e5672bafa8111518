// SPDX-License-Identifier: Apache-2.0
#include "leaks/leaks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "base/fault.h"
#include "frame/open.h"
#include "frame/session_state.h"
#include "inspect/place.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::Pair;

// 50 of 200 patients died. "cause" exists for them only, "ward" is theirs with one exception, "age"
// and "sex" reveal nothing; "pounds" is "kilos" in another unit.
class LeaksTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string text = "sex,ward,cause,age,died,kilos,pounds\n";
    for (int i = 0; i < 200; ++i) {
      const bool died = i % 4 == 0;
      text += i % 3 == 0 ? "f," : "m,";
      text += died || i == 1 ? "west," : "east,";
      text += died ? std::to_string(i) + " weeks," : std::string(",");
      text += std::to_string(20 + i * 7 % 60) + "," + (died ? "1," : "0,");
      text += std::to_string(50 + i) + "," + std::to_string(2 * (50 + i)) + ".5\n";
    }
    ASSERT_TRUE(WriteFile(place_, text).ok());
  }
  // One session for all tests: opening it takes longer than any of their tables.
  static void SetUpTestSuite() {
    SessionOptions options;
    options.base = std::filesystem::current_path();
    session_ = OpenSession(options).ValueOrDie();
  }
  static void TearDownTestSuite() { session_.reset(); }
  Leaks Find(const std::string& label, bool classes) {
    const DataFrame rows = OpenPlace(*session_, place_, {});
    const TableProfile table = ProfileRows(*rows.Stream().ValueOrDie(), 0).ValueOrDie();
    return FindLeaks(*rows.Stream().ValueOrDie(), table, label, classes).ValueOrDie();
  }
  // The same for a table of so many rows, written by `cells`.
  Leaks FindIn(const std::string& names, int rows, const std::string& label, bool classes,
               const std::function<std::string(int)>& cells) {
    std::string text = names + "\n";
    for (int i = 0; i < rows; ++i) text += cells(i) + "\n";
    place_ = folder_.path() / fmt::format("t{}.csv", ++tables_);
    EXPECT_TRUE(WriteFile(place_, text).ok());
    return Find(label, classes);
  }
  static std::unique_ptr<Session> session_;
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path place_ = folder_.path() / "t.csv";
  int tables_ = 0;  // A table keeps its file: the session may still know the one before.
};

std::unique_ptr<Session> LeaksTest::session_;

TEST_F(LeaksTest, TellClassesByTheirValuesOrByBeingThere) {
  EXPECT_THAT(Find("died", true),
              ElementsAre(Pair("cause", "gives died away in every row, by whether it is missing"),
                          Pair("ward", "gives died away in all but 1 of 200 rows")));
}

TEST_F(LeaksTest, TellNumbersByALine) {
  EXPECT_THAT(Find("kilos", false), ElementsAre(Pair("pounds", "is a linear function of kilos")));
  EXPECT_THAT(Find("age", false), ElementsAre());
}

// A price that was rounded gives itself away; a floor's area only tells most of it.
TEST_F(LeaksTest, TellLinesFromStrongColumns) {
  const auto row = [](int i) {
    const double price = 900 + 17.3 * (i * 37 % 101);
    const int area = 20 + i * 7 % 60;
    return fmt::format("{:.0f},{},{:.2f},{}", price / 1.19, area, price, area * 2 + i % 3);
  };
  EXPECT_THAT(FindIn("net,area,price,rent", 400, "price", false, row),
              ElementsAre(Pair("net", testing::HasSubstr("is nearly a linear function of price"))));
  EXPECT_THAT(FindIn("net,area,price,rent", 400, "rent", false, row), ElementsAre());
}

// 23 of 500 who survived were in no boat, and 9 of 800 who did not were in one.
TEST_F(LeaksTest, TellClassesByWhatIsMissingWithSomeExceptions) {
  const Leaks leaks = FindIn("age,boat,survived", 1300, "survived", true, [](int i) {
    const bool survived = i < 500, boat = survived ? i >= 23 : i < 509;
    return fmt::format("{},{},{}", i * 7 % 60, boat ? std::to_string(i % 16) : "",
                       survived ? 1 : 0);
  });
  EXPECT_THAT(leaks, ElementsAre(Pair("boat",
                                      "gives survived away in all but 32 of 1,300 rows, by "
                                      "whether it is missing")));
}

TEST_F(LeaksTest, TellClassesByTheOrderOfAnId) {
  const Leaks leaks = FindIn("id,age,bad", 1000, "bad", true, [](int i) {
    return fmt::format("{},{},{}", 5000 + i, i * 37 % 100, i < 300 ? 1 : 0);
  });
  EXPECT_THAT(leaks,
              ElementsAre(Pair("id", "gives bad away in every row, by its sort order alone")));
}

// The flowers of a table that was sorted by kind.
TEST_F(LeaksTest, TellSeveralClassesByTheOrderOfAnId) {
  const Leaks leaks = FindIn("id,width,kind", 300, "kind", true, [](int i) {
    return fmt::format("{},{},{}", i + 1, i * 37 % 100, i < 120 ? "b" : i < 230 ? "c" : "a");
  });
  EXPECT_THAT(leaks,
              ElementsAre(Pair("id", "gives kind away in every row, by its sort order alone")));
}

TEST_F(LeaksTest, TellClassesByTheOrderOfADate) {
  const Leaks leaks = FindIn("seen,age,left", 1000, "left", true, [](int i) {
    const bool left = i % 3 == 0;
    const int day = left ? i * 11 % 400 : 400 + i * 7 % 90;
    return fmt::format("20{:02}-{:02}-{:02},{},{}", 20 + day / 336, 1 + day / 28 % 12, 1 + day % 28,
                       i * 37 % 100, left ? 1 : 0);
  });
  EXPECT_THAT(leaks,
              ElementsAre(Pair("seen", "gives left away in every row, by its sort order alone")));
}

// The logarithm of a price, rounded or not, a price in steps of 500, and an id of a table that was
// sorted by it.
TEST_F(LeaksTest, TellNumbersByTheirOrder) {
  const Leaks leaks = FindIn("id,log,band,area,price", 1200, "price", false, [](int i) {
    const double price = 900 + 3.7 * i + 0.004 * i * i;
    return fmt::format("{},{:.5f},{},{},{:.2f}", 7 * i, std::log(price), int(price / 500),
                       20 + (i * 7 % 60 + i / 20) / 2, price);
  });
  EXPECT_THAT(leaks, ElementsAre(Pair("band", testing::HasSubstr("but for rounding")),
                                 Pair("id", "is a monotonic function of price"),
                                 Pair("log", "is a monotonic function of price")));
}

// No date of payment where nothing was paid, but for two rows.
TEST_F(LeaksTest, TellWhereANumberIsZeroByWhatIsMissing) {
  const auto row = [](int i) {
    const int paid = i % 3 == 0 ? 0 : 20 + i * 37 % 400;
    const bool date = paid > 0 && i > 2;
    return fmt::format("{},{},{}", date ? fmt::format("2024-05-{:02}", 1 + i % 28) : "",
                       i * 7 % 5 > 0 ? "x" : "", paid);
  };
  EXPECT_THAT(FindIn("on,note,paid", 600, "paid", false, row),
              ElementsAre(Pair("on",
                               "gives away where paid is 0 in all but 2 of 600 rows, by whether it "
                               "is missing")));
}

// Who has no card spends nothing, but so do a few who have one.
TEST_F(LeaksTest, TellClassesByWhetherAnAmountIsTheUsualOne) {
  const auto row = [](int i) {
    const bool card = i % 5 > 0, spends = card && i % 80 > 1;
    return fmt::format("{},{},{}", spends ? fmt::format("{}.5", 1 + i * 37 % 400) : "0",
                       18 + i * 7 % 60, card ? "yes" : "no");
  };
  EXPECT_THAT(FindIn("spent,age,card", 1200, "card", true, row),
              ElementsAre(Pair("spent",
                               "gives card away in all but 15 of 1,200 rows, by whether it is 0")));
  const auto weaker = [](int i) {
    const bool card = i % 5 > 0, spends = card && i % 8 > 1;
    return fmt::format("{},{},{}", spends ? fmt::format("{}.5", 1 + i * 37 % 400) : "0",
                       18 + i * 7 % 60, card ? "yes" : "no");
  };
  EXPECT_THAT(FindIn("spent,age,card", 1200, "card", true, weaker), ElementsAre());
}

// Hours with two digits, from times of seconds; a distance that is nearly proportional to them.
TEST_F(LeaksTest, TellNumbersByTheTimeBetweenTwoTimes) {
  const auto row = [](int i) {
    const int seconds = 60 + i * 7919 % 86'000;
    const auto at = [](int64_t second) {
      return fmt::format("2024-05-{:02} {:02}:{:02}:{:02}", 1 + second / 86'400, second / 3600 % 24,
                         second / 60 % 60, second % 60);
    };
    const int64_t begin = int64_t(i) * 1543 % 2'000'000;
    return fmt::format("{},{},{:.2f},{}", at(begin), at(begin + seconds), seconds / 3600.0,
                       seconds / 60 + i * 31 % 120);
  };
  const std::string why =
      "gives hours away: it is the time between begun and ended (correlation 1.0000)";
  EXPECT_THAT(FindIn("begun,ended,hours,km", 600, "hours", false, row),
              ElementsAre(Pair("begun", why), Pair("ended", why)));
  EXPECT_THAT(FindIn("begun,ended,hours,km", 600, "km", false, row), ElementsAre());
  const auto numbers = [](int i) {
    const int seconds = 60 + i * 7919 % 86'000, begin = i * 1543 % 2'000'000;
    return fmt::format("{},{},{:.3f}", begin, begin + seconds, seconds / 3600.0);
  };
  const std::string line =
      "gives hours away: it is a linear function of ended - begun (correlation 1.000000)";
  EXPECT_THAT(FindIn("begun,ended,hours", 600, "hours", false, numbers),
              ElementsAre(Pair("begun", line), Pair("ended", line)));
}

TEST_F(LeaksTest, TellNumbersByWhatTwoColumnsMake) {
  std::mt19937 random(1);
  const auto draw = [&](int most) { return int(random() % unsigned(most)) + 1; };
  const auto only = [&](const std::string& label, const std::function<double(int, int)>& make) {
    return FindIn("a,b,c," + label, 500, label, false, [&](int) {
      const int a = draw(900), b = draw(700);
      return fmt::format("{},{},{},{:.9g}", a, b, draw(50), make(a, b));
    });
  };
  const auto says = [](const std::string& made) {
    const std::string why = "is part of y = " + made + " in every row";
    return ElementsAre(Pair("a", why), Pair("b", why));
  };
  EXPECT_THAT(only("y", [](int a, int b) { return a + b; }), says("a + b"));
  EXPECT_THAT(only("y", [](int a, int b) { return b - a; }), says("b - a"));
  EXPECT_THAT(only("y", [](int a, int b) { return double(a) * b; }), says("a * b"));
  EXPECT_THAT(only("y", [](int a, int b) { return double(a) / b; }), says("a / b"));
  EXPECT_THAT(only("y", [&](int a, int b) { return a + b + draw(9); }), ElementsAre());
}

TEST_F(LeaksTest, TellClassesByComparingTwoColumns) {
  std::mt19937 random(1);
  const auto leaks = [&](const std::function<bool(int, int)>& label) {
    return FindIn("due,paid,late", 600, "late", true, [&](int) {
      const int a = int(random() % 40), b = int(random() % 3) == 0 ? a : int(random() % 40);
      return fmt::format("{},{},{}", a, b, label(a, b) ? "yes" : "no");
    });
  };
  const std::string larger = "gives late away: late is whether paid > due in every row";
  EXPECT_THAT(leaks([](int a, int b) { return b > a; }),
              ElementsAre(Pair("due", larger), Pair("paid", larger)));
  const std::string equal = "gives late away: late is whether due = paid in every row";
  EXPECT_THAT(leaks([](int a, int b) { return a == b; }),
              ElementsAre(Pair("due", equal), Pair("paid", equal)));
}

// Dates, times and texts are compared as numbers are; texts only for being equal.
TEST_F(LeaksTest, TellClassesByComparingDatesTimesAndTexts) {
  const auto day = [](int i) {
    return fmt::format("2024-{:02}-{:02}", 1 + i / 28 % 12, 1 + i % 28);
  };
  const auto late = [&](int i) {
    const int due = 6 + i * 37 % 300, paid = due + i * 11 % 13 - 6;
    return day(due) + "," + day(paid) + "," + (paid > due ? "yes" : "no");
  };
  const std::string why = "gives late away: late is whether paid > due in every row";
  EXPECT_THAT(FindIn("due,paid,late", 600, "late", true, late),
              ElementsAre(Pair("due", why), Pair("paid", why)));
  const auto same = [](int i) {
    const char first = char('a' + i * 7 % 4), second = char('a' + i * 5 % 11 % 4);
    return fmt::format("{},{},{}", first, second, first == second ? 1 : 0);
  };
  const std::string equal = "gives same away: same is whether first = second in every row";
  EXPECT_THAT(FindIn("first,second,same", 600, "same", true, same),
              ElementsAre(Pair("first", equal), Pair("second", equal)));
  const auto took = [&](int i) {
    const int begin = i * 37 % 200, days = i * 11 % 23;
    return fmt::format("2024-01-01 00:00:{:02},2024-01-01 00:{:02}:30,{}", i % 60, i * 7 % 60,
                       days % 2) +
           "," + day(begin) + "," + day(begin + 1);
  };
  EXPECT_THAT(FindIn("at,then,odd,from,to", 600, "odd", true, took), ElementsAre());
}

// The days between two dates.
TEST_F(LeaksTest, TellNumbersByTheDaysBetweenDates) {
  const auto stay = [](int i) {
    const int days = i * 11 % 9;
    return fmt::format("2024-05-{:02},2024-05-{:02},{},{}", 1 + i % 20, 1 + i % 20 + days,
                       i * 7 % 5, days);
  };
  const std::string why = "is part of nights = left - came in every row";
  EXPECT_THAT(FindIn("came,left,guests,nights", 600, "nights", false, stay),
              ElementsAre(Pair("came", why), Pair("left", why)));
}

// A refund that only those get who stayed is below every age otherwise.
TEST_F(LeaksTest, BlameNoColumnForTheLeakBesideIt) {
  const Leaks leaks = FindIn("age,refund,left", 600, "left", true, [&](int i) {
    return fmt::format("{},{},{}", 18 + i * 7 % 60, i % 3 == 0 ? 0 : 100 + i, i % 3 == 0 ? 1 : 0);
  });
  EXPECT_THAT(leaks,
              ElementsAre(Pair("refund", "gives left away in every row, by whether it is 0")));
}

// Ages in whole years, one date and one time, and seconds since 1970.
TEST_F(LeaksTest, TellNumbersByTheTimeBetweenPointsOfAnyForm) {
  const auto day = [](int number) {
    return fmt::format("{}-{:02}-{:02}", 1940 + number / 336, 1 + number / 28 % 12,
                       1 + number % 28);
  };
  const auto age = [&](int i) {
    const int born = i * 7919 % 20'000, seen = 22'000 + i * 31 % 4000;
    const double years = (seen - born) / 336.0;
    return fmt::format("{},{} 10:00:00,{}", day(born), day(seen), int(years));
  };
  const auto says = [](const std::string& from, const std::string& to) {
    const auto why = testing::HasSubstr("it is the time between " + from + " and " + to);
    return testing::UnorderedElementsAre(Pair(from, why), Pair(to, why));
  };
  EXPECT_THAT(FindIn("born,seen,age", 600, "age", false, age), says("born", "seen"));
  const auto stay = [&](int i) {
    const int64_t begin = i * 37 % 300, days = 1 + i * 11 % 23;
    return fmt::format("2024-{:02}-{:02},{},{}", 1 + begin / 28, 1 + begin % 28,
                       1'704'067'200 + (begin / 28 * 31 + begin % 28 + days) * 86'400, days);
  };
  EXPECT_THAT(FindIn("came,end,guests", 600, "guests", false, stay), testing::SizeIs(0));
  const auto ended = [&](int i) {
    const int64_t second = int64_t(i) * 7919 % 86'400, took = 60 + i * 37 % 3000;
    return fmt::format("2024-05-01 {:02}:{:02}:{:02},{},{:.1f}", second / 3600, second / 60 % 60,
                       second % 60, (1'714'521'600 + second + took) * 1000, took / 60.0);
  };
  EXPECT_THAT(FindIn("begun,ended,minutes", 600, "minutes", false, ended), says("begun", "ended"));
}

TEST_F(LeaksTest, TellNumbersByTheTimeBetweenTimesOfDayAndQuarters) {
  const auto minutes = [](int i) {
    const int begin = i * 37 % 700, took = 5 + i * 11 % 600;
    const int end = begin + took;
    return fmt::format("{:02}:{:02},{:02}:{:02},{}", begin / 60, begin % 60, end / 60, end % 60,
                       took);
  };
  const auto why = testing::HasSubstr("it is the time between from and to");
  EXPECT_THAT(FindIn("from,to,minutes", 600, "minutes", false, minutes),
              ElementsAre(Pair("from", why), Pair("to", why)));
  const auto quarters = [](int i) {
    const int begin = i * 7 % 40, took = 1 + i * 11 % 37;
    return fmt::format("{}-Q{},{}-Q{},{}", 2000 + begin / 4, 1 + begin % 4,
                       2000 + (begin + took) / 4, 1 + (begin + took) % 4, took);
  };
  EXPECT_THAT(FindIn("from,to,held", 600, "held", false, quarters),
              ElementsAre(Pair("from", why), Pair("to", why)));
  const auto late = [](int i) {
    const int due = i * 7 % 40, paid = due + i * 11 % 3 - 1;
    return fmt::format("{}-Q{},Q{} {},{}", 2000 + due / 4, 1 + due % 4, 1 + paid % 4 + (paid < 0),
                       2000 + paid / 4, paid > due ? "yes" : "no");
  };
  EXPECT_THAT(FindIn("due,paid,late", 600, "late", true, late),
              testing::Contains(Pair("due", testing::HasSubstr("whether paid > due"))));
}

// Thousands, whole units of something else, and ranges.
TEST_F(LeaksTest, TellNumbersByTheirRoundingAndTheirRanges) {
  const auto row = [](int i) {
    const double price = 20'000 + 731.3 * (i * 37 % 997);
    return fmt::format("{},{},{},{},{:.2f}", int(price / 10'000) * 10'000, int(price / 20'000),
                       price < 250'000   ? "low"
                       : price < 500'000 ? "middle"
                                         : "high",
                       i * 7 % 5, price);
  };
  EXPECT_THAT(FindIn("thousands,bin,band,rooms,price", 1200, "price", false, row),
              ElementsAre(Pair("band", "gives away which range price is in, in every row"),
                          Pair("bin", testing::HasSubstr("but for rounding")),
                          Pair("thousands", testing::HasSubstr("but for rounding"))));
}

TEST_F(LeaksTest, TellTheLabelInATextAndThatOfTheNextRow) {
  const auto price = [](int i) { return 10'000 + i * 7919 % 90'000; };
  const auto row = [&](int i) {
    return fmt::format("{},\"house {} sold for {}.{:03} EUR\",{},{}", price(i + 1), i % 9,
                       price(i) / 1000, price(i) % 1000, price(i - 1), price(i));
  };
  // "10.000" is no number of an English text: the other two columns are told or known.
  EXPECT_THAT(FindIn("next,note,before,price", 400, "price", false, row),
              ElementsAre(Pair("next", "is price of the next row in every row")));
  const auto english = [&](int i) {
    return fmt::format("\"house {} sold for ${},{:03}\",{},{}", i % 9, price(i) / 1000,
                       price(i) % 1000, i % 4, price(i));
  };
  EXPECT_THAT(FindIn("note,rooms,price", 400, "price", false, english),
              ElementsAre(Pair("note", "contains price as text in every row")));
  const auto outcome = [](int i) {
    const char* const state = i * 7 % 11 < 4 ? "refused" : i * 7 % 11 < 8 ? "granted" : "open";
    return fmt::format("case {} of {} was {} in the end,{}", i, i % 30, state, state);
  };
  EXPECT_THAT(FindIn("note,state", 600, "state", true, outcome),
              ElementsAre(Pair("note", "contains state as text in every row")));
}

// A mean of which each row is a part, of three rows or so.
TEST_F(LeaksTest, TellTheMeanOfTheLabelOverGroups) {
  std::mt19937 random(3);
  std::vector<double> labels(900), sums(300);
  for (double& each : labels) each = double(random() % 10'000) / 7;
  for (size_t i = 0; i < labels.size(); ++i) sums[i % 300] += labels[i];
  const auto row = [&](int i) {
    return fmt::format("shop {},{:.4f},{:.4f}", i % 300, sums[size_t(i % 300)] / 3,
                       labels[size_t(i)]);
  };
  EXPECT_THAT(FindIn("shop,mean,sales", 900, "sales", false, row),
              ElementsAre(Pair("mean",
                               "is the mean of sales over groups of rows, each row among its own "
                               "group")));
}

// The number of a body: nobody who survived has one, but few of the dead were found.
TEST_F(LeaksTest, TellClassesByWhatOnlyOneOfThemHas) {
  const auto row = [](int i) {
    const bool survived = i % 5 < 2;
    return fmt::format("{},{},{}", !survived && i % 7 == 0 ? std::to_string(i) : "",
                       i % 9 == 0 ? "" : "x", survived ? 1 : 0);
  };
  EXPECT_THAT(FindIn("body,cabin,survived", 1000, "survived", true, row),
              ElementsAre(Pair("body", "is present only where survived is 0, in 86 rows")));
}

// Yearly counts that grow, and last year's of very unequal places; and what is there for one class
// only makes no comparison of it with another column.
TEST_F(LeaksTest, TellNothingOfTrendsGiantsAndConstants) {
  const auto grows = [](int i) {
    return fmt::format("{},{},{:.1f}", 1800 + i, i * 7 % 5, 5000 + 40.0 * i + 1.3 * i * i);
  };
  EXPECT_THAT(FindIn("year,wars,people", 200, "people", false, grows), ElementsAre());
  std::mt19937 random(5);
  const auto places = [&](int i) {
    const double size = std::exp(0.02 * (i * 37 % 600));
    const double before = size * (0.9 + 0.2 * double(random() % 1000) / 1000);
    return i % 150 == 0 ? fmt::format("{0}000000.5,{0}000010.5", 3 + i)
                        : fmt::format("{:.2f},{:.2f}", before, size);
  };
  EXPECT_THAT(FindIn("last,this", 600, "this", false, places), ElementsAre());
  const auto matched = [](int i) {
    const bool moved = i % 3 > 0;
    return moved ? fmt::format("{},{},1", i * 7 % 90, 100 + i * 11 % 50)
                 : fmt::format("{},,{}", i * 7 % 90, i % 30 == 0 ? 1 : 0);
  };
  EXPECT_THAT(FindIn("age,match,moved", 600, "moved", true, matched),
              ElementsAre(Pair("match", "is present only where moved is 1, in 400 rows")));
}

// Ten tables in which columns say much about the label, and none says all.
TEST_F(LeaksTest, GiveNoFalseAlarmOnCleanTables) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const bool classes = seed % 2 == 0, rare = seed % 4 == 0;
    const Leaks leaks =
        FindIn("id,strong,weak,kind,count,sparse,y", 1000, "y", classes, [&](int i) {
          const double z = normal(random), strong = z + 0.35 * normal(random);
          const double y = rare ? (z > 1.7 ? 1 : 0) : classes ? (z > 0 ? 1 : 0) : 10 * z;
          const bool gap = normal(random) > (z > 0 ? 0.5 : 1.5);
          return fmt::format("{},{:.4f},{},{},{},{},{:.5g}", i, strong,
                             gap ? "" : fmt::format("{:.3f}", z + 2 * normal(random)),
                             strong > 0.2 ? "big" : "small", int(random() % 4),
                             random() % 100 == 0 ? 1 : 0, y);
        });
    EXPECT_THAT(leaks, ElementsAre()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace protium
