// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Parts(Json parts) {
  return {"datetime_parts", {{"id", "t"}, {"inputs", {"at"}}, {"parts", std::move(parts)}}};
}

class DatetimeParts : public StageTest {
 protected:
  std::string Of(const Json& parts, const std::string& cells) {
    return Text(Fitted({Parts(parts)}, Table("at\n" + cells)).Transform(Table("at\n" + cells)),
                {"at"});
  }
};

constexpr const char* kTimes =
    "2024-02-29 23:59:59.999999\n1969-12-31 23:59:59.5\n2021-01-01 00:00:00\n2020-12-31 "
    "12:00:00\n-\n";

// The results of Spark 4.2.1's functions of these names.
TEST_F(DatetimeParts, AreSparks) {
  EXPECT_EQ(Of({"year", "quarter", "month", "week_of_year", "day", "day_of_year"}, kTimes),
            "at__t__year: 2024 1969 2021 2020 null; at__t__quarter: 1 4 1 4 null; "
            "at__t__month: 2 12 1 12 null; at__t__week_of_year: 9 1 53 53 null; "
            "at__t__day: 29 31 1 31 null; at__t__day_of_year: 60 365 1 366 null");
  EXPECT_EQ(Of({"day_of_week", "weekend", "hour", "minute", "second"}, kTimes),
            "at__t__day_of_week: 5 4 6 5 null; at__t__weekend: 0 0 0 0 null; "
            "at__t__hour: 23 23 0 12 null; at__t__minute: 59 59 0 0 null; "
            "at__t__second: 59 59 0 0 null");
}

TEST_F(DatetimeParts, AreTheTimeItselfAsANumber) {
  EXPECT_EQ(Of({"unix_time"}, kTimes),
            "at__t__unix_time: 1709251199.999999 -0.5 1609459200 1609416000 null");
  EXPECT_EQ(Of({"unix_time"}, "2024-03-02\n1969-12-31\n-\n"),
            "at__t__unix_time: 1709337600 -86400 null");
}

TEST_F(DatetimeParts, OfDatesHaveNoTime) {
  EXPECT_EQ(Of({"weekend", "hour"}, "2024-03-02\n2024-03-03\n2024-03-04\n-\n"),
            "at__t__weekend: 1 1 0 null; at__t__hour: 0 0 0 null");
}

TEST_F(DatetimeParts, AreInputsOfLaterStagesBeforeAnythingIsLearned) {
  const PipelineModel model =
      Fitted({Parts({"month"}), {"string_indexer", {{"id", "i"}, {"inputs", {"at__t__month"}}}}},
             Table("at\n2024-03-02\n2024-03-03\n2023-01-01\n"));
  EXPECT_EQ(Text(model.Transform(Table("at\n2024-01-09\n2024-03-01\n")), {"at", "at__t__month"}),
            "at__t__month__i: 1 0");
}

TEST_F(DatetimeParts, ComeFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Parts({"day"})}, "at\n2024-03-02\n", "at\n2024-03-04\n"),
            "at: 2024-03-04; at__t__day: 4");
}

TEST_F(DatetimeParts, AreRefusedWhereThereAreNone) {
  EXPECT_THAT(FaultOfFitting({Parts({"day"})}, "at\n7\n").what, HasSubstr("not a date or a time"));
  EXPECT_EQ(FaultOfFitting({Parts({"day", "day"})}, "at\n2024-03-02\n").what,
            "a part is named twice");
  EXPECT_EQ(FaultOfFitting({Parts(Json::array())}, "at\n2024-03-02\n").what, "no parts are named");
  EXPECT_THAT(FaultOfFitting({Parts({"days"})}, "at\n2024-03-02\n").what, HasSubstr("days"));
}

}  // namespace
}  // namespace protium
