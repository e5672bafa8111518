// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Buckets(Json more) {
  Json options = {{"id", "b"}, {"inputs", {"x"}}};
  options.update(more);
  return {"bucketizer", options};
}

class Bucketizer : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& cells) {
    return Text(Fitted({Buckets(options)}, Table("x\n" + cells)).Transform(Table("x\n" + cells)),
                {"x"});
  }
};

// The results of Spark 4.2.1's Bucketizer for the splits -inf, 0, 1, inf.
TEST_F(Bucketizer, IsSparksBetweenInfinities) {
  const Json splits = {{"splits", {0, 1}}};
  EXPECT_EQ(Of(splits, "-Inf\n-5.0\n-0.0\n0.0\n0.5\n1.0\nInf\n-\n"), "x__b: 0 0 1 1 1 2 2 null");
  EXPECT_EQ(Of({{"splits", {0, 1}}, {"nan", "keep"}}, "NaN\n0.5\n"), "x__b: 3 1");
  EXPECT_THAT(Of(splits, "NaN\n0.5\n"), HasSubstr("column \"x\" has a NaN"));
}

// The same for the splits 0, 1, 2.
TEST_F(Bucketizer, RefusesWhatLiesBeyondClosedEndsAsSpark) {
  const Json closed = {{"splits", {0, 1, 2}}, {"ends", "closed"}};
  EXPECT_EQ(Of(closed, "0\n1\n2\n-\n"), "x__b: 0 1 1 null");
  EXPECT_THAT(Of(closed, "2.5\n"), HasSubstr("has a value beyond the splits of \"b\""));
  EXPECT_THAT(Of(closed, "-1\n"), HasSubstr("has a value beyond the splits of \"b\""));
  EXPECT_THAT(Of({{"splits", {0, 1}}, {"ends", "closed"}, {"nan", "null"}}, "NaN\n1.0\n"),
              HasSubstr("x__b: null 0"));
}

TEST_F(Bucketizer, HasPoliciesForNullAndNan) {
  const std::string cells = "NaN\n-\n3.0\n";
  EXPECT_EQ(Of({{"splits", {0}}, {"nan", "keep"}, {"missing", "keep"}}, cells), "x__b: 2 3 1");
  EXPECT_EQ(Of({{"splits", {0}}, {"nan", "null"}, {"missing", "keep"}}, cells), "x__b: null 2 1");
  EXPECT_THAT(Of({{"splits", {0}}, {"nan", "null"}, {"missing", "error"}}, cells),
              HasSubstr("column \"x\" has a NULL"));
}

TEST_F(Bucketizer, FindsEveryOneOfManyBuckets) {
  Json splits = Json::array();
  std::string cells, expected = "x__b:";
  for (int i = 0; i < 100; ++i) {
    splits.push_back(i * 10);
    cells += std::to_string(i * 10 + 5) + "\n" + std::to_string(i * 10) + "\n";
    expected += " " + std::to_string(i + 1) + " " + std::to_string(i + 1);
  }
  EXPECT_EQ(Of({{"splits", splits}}, cells), expected);
}

TEST_F(Bucketizer, MakesCategoriesForNets) {
  const PipelineModel model =
      Fitted({Buckets({{"splits", {2, 4}}, {"missing", "keep"}}),
              TorchEstimator(
                  {.categorical = OutputsOf("b"), .label = "y", .train = {.metrics = {"rmse"}}})},
             Table("x,y\n1,1.5\n3,2.5\n-,3.5\n9,4.5\n"));
  ASSERT_EQ(StateOf(model).net.categorical.size(), 1);
  EXPECT_EQ(StateOf(model).net.categorical[0].cardinality, 4);
}

TEST_F(Bucketizer, ScoresTheSameFromASavedModel) {
  const StageOptions stage = Buckets({{"splits", {2}}});
  EXPECT_EQ(SavedAndLoaded({stage}, "x\n1\n", "x\n0\n3\n"), "x: 0 3; x__b: 0 1");
}

TEST_F(Bucketizer, WantsSplitsThatRise) {
  EXPECT_EQ(FaultOfFitting({Buckets({{"splits", {1, 1}}})}, "x\n1\n").what,
            "splits must be 1 or more ascending numbers, got [1.0,1.0]");
  EXPECT_THAT(FaultOfFitting({Buckets(Json::object())}, "x\n1\n").what, HasSubstr("got []"));
  EXPECT_THAT(FaultOfFitting({Buckets({{"splits", {1}}, {"ends", "closed"}})}, "x\n1\n").what,
              HasSubstr("2 or more"));
  EXPECT_THAT(FaultOfFitting({Buckets({{"splits", {1}}, {"nan", "skip"}})}, "x\n1\n").what,
              HasSubstr("skip"));
}

}  // namespace
}  // namespace protium
