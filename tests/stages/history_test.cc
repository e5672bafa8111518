// SPDX-License-Identifier: Apache-2.0
// Stages that read earlier rows, on the training table and on rows that come after it.
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Of(const std::string& kind, const Json& more) {
  Json options = {{"id", "h"}, {"inputs", {"x"}}, {"time", "t"}, {"by", {"g"}}};
  options.update(more);
  return {kind, options};
}

class History : public StageTest {
 protected:
  // What the stage adds to the rows of the training table, by group and time.
  std::string Added(const StageOptions& stage, const std::string& csv) {
    return Text(Fitted({stage}, Table(csv)).Transform(Table(csv)), {"g", "t", "x"});
  }
};

// Two series, neither in order.
constexpr const char* kTwo =
    "g,t,x\n"
    "a,2024-01-03,4\na,2024-01-01,1\na,2024-01-02,-\na,2024-01-05,10\n"
    "b,2024-01-02,0.5\nb,2024-01-01,0.25\n";

TEST_F(History, LagsCountRowsOfTheSameSeries) {
  EXPECT_EQ(Added(Of("lag", {{"lags", {1, 2}}}), kTwo),
            "x__h__1: null 1 null 4 null 0.25; x__h__2: null null 1 null null null");
}

TEST_F(History, DifferencesLieBetweenEarlierRows) {
  const char* const csv = "g,t,x\na,1,1\na,2,3\na,3,7\na,4,8\n";
  EXPECT_EQ(Added(Of("difference", Json::object()), csv), "x__h: null null 2 4");
  EXPECT_EQ(Added(Of("difference", {{"lag", 0}, {"rows", 2}}), csv), "x__h: null null 6 5");
}

TEST_F(History, WindowsOfRowsLeaveOutTheRowItselfAndWhatIsMissing) {
  EXPECT_EQ(
      Added(Of("rolling", {{"rows", 2}, {"of", {"mean", "sum", "min", "max", "count"}}}), kTwo),
      "x__h__mean: null 1 1 4 null 0.25; x__h__sum: null 1 1 4 null 0.25; "
      "x__h__min: null 1 1 4 null 0.25; x__h__max: null 1 1 4 null 0.25; "
      "x__h__count: 0 1 1 1 0 1");
  EXPECT_EQ(Added(Of("rolling", {{"rows", 2}, {"lag", 2}}), "g,t,x\na,1,1\na,2,3\na,3,7\na,4,8\n"),
            "x__h__mean: null null 1 2");
}

TEST_F(History, DeviationsAreThoseOfASample) {
  EXPECT_EQ(Added(Of("rolling", {{"rows", 3}, {"of", {"std"}}}),
                  "g,t,x\na,1,1000000001\na,2,1000000003\na,3,1000000005\na,4,0\n"),
            "x__h__std: null null 1.4142135623730951 2");
}

TEST_F(History, WindowsOfTimeEndBeforeTheRow) {
  EXPECT_EQ(Added(Of("rolling", {{"over", "2 days"}, {"of", {"sum", "count"}}}), kTwo),
            "x__h__sum: null 1 1 4 null 0.25; x__h__count: 0 1 1 1 0 1");
  EXPECT_EQ(Added(Of("rolling", {{"over", "2 days"}, {"gap", "2 days"}, {"of", {"sum"}}}), kTwo),
            "x__h__sum: null null 1 4 null null");
}

TEST_F(History, ExpandingWindowsHoldAllEarlierRows) {
  EXPECT_EQ(Added(Of("expanding", {{"of", {"mean", "count"}}, {"least", 2}}),
                  "g,t,x\na,1,1\na,2,3\na,3,NaN\na,4,8\n"),
            "x__h__mean: null null 2 2; x__h__count: 0 1 2 2");
}

TEST_F(History, SumsDoNotDependOnTheOrderOfAdding) {
  EXPECT_EQ(Added(Of("rolling", {{"rows", 3}, {"of", {"sum"}}}),
                  "g,t,x\na,1,100000000000000\na,2,0.1\na,3,-100000000000000\na,4,0\n"),
            "x__h__sum: null 1e+14 1.000000000000001e+14 0.09999999999999987");
}

TEST_F(History, NewRowsLookBackToTheRowsThatTheModelKeeps) {
  EXPECT_EQ(
      SavedAndLoaded({Of("lag", {{"lags", {1, 3}}})}, kTwo,
                     "g,t,x\nb,2024-01-09,7\na,2024-01-09,-\na,2024-01-08,2\nc,2024-01-09,1\n"),
      "g: a a b c; t: 2024-01-08 2024-01-09 2024-01-09 2024-01-09; x: 2 null 7 1; "
      "x__h__1: 10 2 0.5 null; x__h__3: null 4 null null");
}

TEST_F(History, NewRowsMayLackTheColumnThatIsLookedBackTo) {
  EXPECT_EQ(
      SavedAndLoaded({Of("rolling", {{"rows", 3}})}, kTwo, "g,t\na,2024-01-06\na,2024-01-07\n"),
      "g: a a; t: 2024-01-06 2024-01-07; x__h__mean: 7 7");
}

TEST_F(History, TimesOfNewRowsMayBeMomentsWhereThoseOfTrainingWereDays) {
  EXPECT_EQ(SavedAndLoaded({Of("rolling", {{"over", "1 day"}})}, kTwo,
                           "g,t\na,2024-01-06 00:00:00\na,2024-01-06 12:00:00\n"),
            "g: a a; t: 2024-01-06 00:00:00.000000 2024-01-06 12:00:00.000000; "
            "x__h__mean: 10 null");
}

TEST_F(History, OneSeriesNeedsNoGroups) {
  StageOptions stage = Of("lag", {{"by", Json::array()}});
  EXPECT_EQ(SavedAndLoaded({stage}, "t,x\n1,5\n2,6\n", "t,x\n3,7\n4,8\n"),
            "t: 3 4; x: 7 8; x__h__1: 6 7");
}

TEST_F(History, StagesBehindReadWhatItAdds) {
  const StageOptions fill = {"imputer", {{"id", "f"}, {"inputs", {{{"stage", "h"}}}}}};
  EXPECT_EQ(SavedAndLoaded({Of("lag", Json::object()), fill}, kTwo, "g,t,x\nd,2024-01-09,7\n"),
            "g: d; t: 2024-01-09; x: 7; x__h__1: null; x__h__1__f: 1");
}

TEST_F(History, RefusesTwoRowsOfATimeAndRowsWithoutOne) {
  EXPECT_THAT(FaultOfFitting({Of("lag", Json::object())}, "g,t,x\na,1,1\na,1,2\n").what,
              HasSubstr("column \"t\" has the same value in two rows of a group"));
  EXPECT_THAT(FaultOfFitting({Of("lag", Json::object())}, "g,t,x\na,1,1\na,-,2\n").what,
              HasSubstr("column \"t\" has a NULL"));
}

TEST_F(History, RefusesWindowsThatHoldTheRowItself) {
  EXPECT_EQ(FaultOfFitting({Of("lag", {{"lags", {0}}})}, kTwo).what, "a lag is below 1");
  EXPECT_EQ(FaultOfFitting({Of("rolling", {{"rows", 2}, {"over", "1 day"}})}, kTwo).what,
            "the window is given in rows and in time");
  EXPECT_EQ(FaultOfFitting({Of("rolling", Json::object())}, kTwo).what,
            "the length of the window is not set");
  EXPECT_EQ(FaultOfFitting({Of("expanding", {{"of", {"std"}}})}, kTwo).what,
            "expanding does not compute std");
}

TEST_F(History, RefusesColumnsThatStagesMakeAndTwoOrders) {
  const StageOptions clip = {"clip", {{"id", "c"}, {"inputs", {"x"}}, {"low", 0}}};
  EXPECT_EQ(FaultOfFitting({clip, Of("lag", {{"inputs", {"x__c"}}})}, kTwo).what,
            "stage \"h\" reads a column that a stage makes");
  EXPECT_EQ(FaultOfFitting({Of("lag", Json::object()), Of("lag", {{"id", "i"}, {"by", {"x"}}})},
                           "g,t,x\na,1,1\n")
                .what,
            "stage \"i\" reads \"x\" twice");
  EXPECT_EQ(FaultOfFitting(
                {Of("lag", Json::object()), Of("lag", {{"id", "i"}, {"by", Json::array()}})}, kTwo)
                .what,
            "stage \"i\" orders rows in another way than stage \"h\"");
}

}  // namespace
}  // namespace protium
