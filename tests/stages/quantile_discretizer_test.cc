// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Quantiles(Json more = Json::object()) {
  Json options = {{"id", "q"}, {"inputs", {"x"}}};
  options.update(more);
  return {"quantile_discretizer", options};
}

class QuantileDiscretizer : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& cells) {
    return Text(Fitted({Quantiles(options)}, Table("x\n" + cells)).Transform(Table("x\n" + cells)),
                {"x"});
  }
};

// The results of Spark 4.2.1 with relativeError = 0.
TEST_F(QuantileDiscretizer, CutsAsSpark) {
  const std::string ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
  EXPECT_EQ(Of({{"buckets", 2}}, ten), "x__q: 0 0 0 0 1 1 1 1 1 1");
  EXPECT_EQ(Of({{"buckets", 3}}, ten), "x__q: 0 0 0 1 1 1 2 2 2 2");
  EXPECT_EQ(Of({{"buckets", 4}}, ten), "x__q: 0 0 1 1 2 2 2 3 3 3");
  EXPECT_EQ(Of({{"buckets", 5}}, ten), "x__q: 0 1 1 2 2 3 3 4 4 4");
  EXPECT_EQ(Of({{"buckets", 4}}, "1\n1\n1\n1\n1\n2\n3\n"), "x__q: 1 1 1 1 1 2 2");
}

TEST_F(QuantileDiscretizer, TreatsNanAsSparkAndNullAsAsked) {
  const std::string cells = "1.0\n2.0\nNaN\n-\n4.0\n";
  EXPECT_EQ(Of({{"buckets", 2}, {"nan", "keep"}}, cells), "x__q: 0 1 2 null 1");
  EXPECT_EQ(Of({{"buckets", 2}, {"nan", "null"}, {"missing", "keep"}}, cells),
            "x__q: 0 1 null 2 1");
  EXPECT_THAT(Of({{"buckets", 2}}, cells), HasSubstr("column \"x\" has a NaN"));
}

TEST_F(QuantileDiscretizer, MakesOneValueOneOfTwoBuckets) {
  EXPECT_EQ(Of({{"buckets", 4}}, "7\n7\n-\n"), "x__q: 1 1 null");
  EXPECT_EQ(Of({{"buckets", 3}}, "-0.0\n0.0\n1.0\n"), "x__q: 1 1 1");
}

TEST_F(QuantileDiscretizer, MakesCategoriesForNets) {
  const PipelineModel model =
      Fitted({Quantiles({{"buckets", 2}}),
              TorchEstimator(
                  {.categorical = OutputsOf("q"), .label = "y", .train = {.metrics = {"rmse"}}})},
             Table("x,y\n1,1.5\n3,2.5\n4,3.5\n9,4.5\n"));
  ASSERT_EQ(StateOf(model).net.categorical.size(), 1);
  EXPECT_EQ(StateOf(model).net.categorical[0].cardinality, 2);
}

TEST_F(QuantileDiscretizer, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Quantiles({{"buckets", 2}})}, "x\n1\n2\n3\n4\n", "x\n1\n2\n9\n"),
            "x: 1 2 9; x__q: 0 1 1");
  EXPECT_THAT(FaultOfDamage(R"([{"input": "x", "output": "x__q", "bounds": [2, 1]}])",
                            {Quantiles()}, "x\n1\n2\n"),
              HasSubstr("are damaged"));
}

}  // namespace
}  // namespace protium
