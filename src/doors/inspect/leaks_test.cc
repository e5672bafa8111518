// SPDX-License-Identifier: Apache-2.0
#include "leaks/leaks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/fault.h"
#include "inspect/first_source.h"
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
    place_ = folder_.path() / "t.csv";
    ASSERT_TRUE(WriteFile(place_, text).ok());
  }
  Leaks Find(const std::string& label, bool classes) {
    const FirstLook look = LookAt(place_, {}, 0).ValueOrDie();
    const FirstSource source = FindSource({{"t", place_}, look}, {}, label).ValueOrDie();
    return FindLeaksIn(source, label, classes).ValueOrDie();
  }
  // The same for a table of so many rows, written by `cells`.
  Leaks FindIn(const std::string& names, int rows, const std::string& label, bool classes,
               const std::function<std::string(int)>& cells) {
    std::string text = names + "\n";
    for (int i = 0; i < rows; ++i) text += cells(i) + "\n";
    EXPECT_TRUE(WriteFile(place_, text).ok());
    return Find(label, classes);
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path place_;
};

TEST_F(LeaksTest, TellClassesByTheirValuesOrByBeingThere) {
  EXPECT_THAT(Find("died", true),
              ElementsAre(Pair("cause", "gives died away in every row, by whether it is missing"),
                          Pair("ward", "gives died away in all but 1 of 200 rows")));
}

TEST_F(LeaksTest, TellNumbersByALine) {
  EXPECT_THAT(Find("kilos", false),
              ElementsAre(Pair("pounds", "is kilos times a number, plus another")));
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
              ElementsAre(Pair("net", testing::HasSubstr("follows price on a line"))));
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
    const std::string why = "is a part of y = " + made + " in every row";
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

// A refund that only those get who stayed is below every age otherwise.
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
  const std::string why = "is a part of nights = left - came in every row";
  EXPECT_THAT(FindIn("came,left,guests,nights", 600, "nights", false, stay),
              ElementsAre(Pair("came", why), Pair("left", why)));
}

TEST_F(LeaksTest, BlameNoColumnForTheLeakBesideIt) {
  const Leaks leaks = FindIn("age,refund,left", 600, "left", true, [&](int i) {
    return fmt::format("{},{},{}", 18 + i * 7 % 60, i % 3 == 0 ? 0 : 100 + i, i % 3 == 0 ? 1 : 0);
  });
  EXPECT_THAT(leaks,
              ElementsAre(Pair("refund", "gives left away in every row, by its sort order alone")));
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
