// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>
#include <numeric>

#include "stage_test.h"
#include "stages/holiday_rules.h"

namespace protium {
namespace {

using testing::HasSubstr;

class Holidays : public StageTest {
 protected:
  static StageOptions Of(Json options) {
    options["id"] = "h";
    options["inputs"] = {"at"};
    return {"holidays", std::move(options)};
  }
  std::string On(const Json& options, const std::string& cells) {
    return Text(Fitted({Of(options)}, Table("at\n" + cells)).Transform(Table("at\n" + cells)),
                {"at"});
  }
};

// The figures of holidays_reference.py, of the years 2000 to 2040.
TEST_F(Holidays, AreThoseOfThePackageHolidays) {
  struct Known {
    const char* country;
    int64_t days, sum;
  };
  constexpr Known kKnown[] = {{"AT", 532, 9824655}, {"BE", 491, 9059462}, {"BR", 385, 7193745},
                              {"CZ", 517, 9627142}, {"DE", 369, 6807663}, {"DK", 434, 7917503},
                              {"FR", 447, 8265675}, {"GB", 370, 6831673}, {"IT", 542, 10064704},
                              {"NL", 377, 6951476}, {"NO", 487, 8971889}, {"PL", 539, 10076828},
                              {"PT", 519, 9606415}, {"US", 485, 9075044}};
  ASSERT_EQ(HolidayCountries().size(), std::size(kKnown));
  constexpr int32_t kFrom = 10957, kTo = 25933;  // 2000-01-01 and 2041-01-01.
  for (const Known& each : kKnown) {
    int64_t days = 0, sum = 0;
    for (const int32_t day : HolidaysOf(each.country)) {
      if (day < kFrom || day >= kTo) continue;
      ++days;
      sum += day;
    }
    EXPECT_EQ(std::pair(days, sum), std::pair(each.days, each.sum)) << each.country;
  }
}

// German Unity Day is a Thursday in 2024; the next holiday is Christmas, the last one Whit Monday.
TEST_F(Holidays, SayHowFarTheNextAndTheLastOneAre) {
  EXPECT_EQ(On({{"countries", {"DE"}}}, "2024-10-02\n2024-10-03\n2024-10-04\n-\n2024-12-26\n"),
            "at__h__de: 0 1 0 null 1; at__h__de_to_next: 1 83 82 null 6; "
            "at__h__de_since_last: 135 136 1 null 1");
}

TEST_F(Holidays, OfTimesAreThoseOfTheirDays) {
  EXPECT_EQ(On({{"countries", {"FR"}}}, "2024-07-13 23:59:59\n2024-07-14 00:00:00\n"),
            "at__h__fr: 0 1; at__h__fr_to_next: 1 32; at__h__fr_since_last: 54 55");
}

TEST_F(Holidays, AreUnknownInOtherYears) {
  EXPECT_EQ(On({{"countries", {"US"}}}, "1994-12-31\n1995-01-01\n2060-12-31\n2061-01-01\n"),
            "at__h__us: null 1 1 null; at__h__us_to_next: null 1 null null; "
            "at__h__us_since_last: null null 6 null");
}

TEST_F(Holidays, OfOnesOwnEndWithTheLastDate) {
  EXPECT_EQ(On({{"dates", {"2024-11-29", "2024-12-02", "2024-11-29"}}},
               "2024-11-28\n2024-11-29\n2024-12-01\n2024-12-02\n2024-12-03\n"),
            "at__h__own: 0 1 0 1 null; at__h__own_to_next: 1 3 1 null null; "
            "at__h__own_since_last: null null 2 3 null");
}

TEST_F(Holidays, OfAFileAreInTheModel) {
  std::ofstream(folder_ / "own.csv") << "day,name\n2024-11-29,Black Friday\n\"2024-12-02\"\n";
  const std::string cells = "at\n2024-11-30\n";
  const std::string text =
      SavedAndLoaded({Of({{"file", "own.csv"}, {"countries", {"AT"}}})}, cells, cells);
  EXPECT_THAT(text, HasSubstr("at__h__own: 0; at__h__own_to_next: 2; at__h__own_since_last: 1"));
  EXPECT_THAT(text, HasSubstr("at__h__at_to_next: 8; at__h__at_since_last: 29"));
  std::filesystem::remove(folder_ / "own.csv");
  const auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(Text(loaded->Transform(Table(cells))), text);
}

TEST_F(Holidays, AreRefusedWhereTheyCannotBeKnown) {
  EXPECT_THAT(Render(FaultOfFitting({Of({{"countries", {"XX"}}})}, "at\n2024-01-01\n")),
              HasSubstr("the holidays of \"XX\" are not known"));
  EXPECT_EQ(FaultOfFitting({Of(Json::object())}, "at\n2024-01-01\n").what, "no holidays are named");
  EXPECT_EQ(FaultOfFitting({Of({{"countries", {"DE", "DE"}}})}, "at\n2024-01-01\n").what,
            "country \"DE\" is named twice");
  EXPECT_THAT(FaultOfFitting({Of({{"dates", {"24.12.2024"}}})}, "at\n2024-01-01\n").what,
              HasSubstr("2025-12-24"));
  EXPECT_THAT(FaultOfFitting({Of({{"countries", {"DE"}}})}, "at\n7\n").what,
              HasSubstr("not a date or a time"));
  std::ofstream(folder_ / "own.csv") << "day\n2024-11-29\n29.11.2025\n";
  EXPECT_THAT(FaultOfFitting({Of({{"file", "own.csv"}})}, "at\n2024-01-01\n").what,
              HasSubstr("begins with \"29.11.2025\", which is no day"));
  EXPECT_EQ(FaultOfFitting({Of({{"file", "none.csv"}})}, "at\n2024-01-01\n").where,
            "pipeline.0.file");
}

}  // namespace
}  // namespace protium
