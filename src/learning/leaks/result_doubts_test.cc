// SPDX-License-Identifier: Apache-2.0
#include "leaks/result_doubts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Json Results(const Json& test, const Json& validation, const Json& baseline) {
  return {{"metrics", {{"test", test}, {"validation", validation}, {"baseline", baseline}}}};
}

Json Importance(double a, double b, double c) {
  return {{"metric", "rmse"},
          {"columns",
           {{{"column", "a"}, {"worse", a}},
            {{"column", "b"}, {"worse", b}},
            {{"column", "c"}, {"worse", c}}}}};
}

TEST(ResultDoubts, NameTheOneFeatureThatMatters) {
  Json results = Results({{"rmse", 2}}, {}, {{"rmse", 10}});
  results["importance"] = Importance(95, 3, -1);
  EXPECT_THAT(ResultDoubts(results, {}),
              ElementsAre("a alone has 96% of the feature importance, and the model's error is 20% "
                          "of the baseline's: is it known when you predict?"));
  EXPECT_THAT(ResultDoubts(results, {"a"}), IsEmpty());
  // Without test rows, of the validation rows.
  results["metrics"] = {{"validation", {{"rmse", 3}}}, {"baseline", {{"rmse", 10}}}};
  EXPECT_THAT(ResultDoubts(results, {}), ElementsAre(testing::HasSubstr("is 30% of the baseline")));
  results["importance"] = Importance(80, 15, 5);
  EXPECT_THAT(ResultDoubts(results, {}), IsEmpty());
}

// The only strong column of a weak model is no surprise.
TEST(ResultDoubts, AreNoneOfAWeakModel) {
  Json results = Results({{"rmse", 6}}, {}, {{"rmse", 10}});
  results["importance"] = Importance(95, 3, 1);
  EXPECT_THAT(ResultDoubts(results, {}), IsEmpty());
}

TEST(ResultDoubts, CompareTestWithValidation) {
  const Json baseline = {{"rmse", 10}, {"mae", 8}};
  const Json validation = {{"rmse", 4}, {"mae", 3}, {"rows", 900}};
  const auto with = [&](double rmse, double mae, int64_t rows) {
    return ResultDoubts(
        Results({{"rmse", rmse}, {"mae", mae}, {"rows", rows}}, validation, baseline), {});
  };
  EXPECT_THAT(
      with(6.5, 4.9, 500),
      ElementsAre("test rows are predicted far worse than validation rows (rmse 6.5 against "
                  "4, mae 4.9 against 3): do they come from another time or another source?"));
  EXPECT_THAT(with(2, 1.5, 500),
              ElementsAre("test rows are predicted far better than validation rows (rmse 2 against "
                          "4, mae 1.5 against 3): do they hold rows that training has seen?"));
  EXPECT_THAT(with(5, 4, 500), IsEmpty());
  EXPECT_THAT(with(6.5, 4.9, 199), IsEmpty());
  // A few outliers move one of them.
  EXPECT_THAT(with(9, 3.1, 500), IsEmpty());
}

TEST(ResultDoubts, CompareSharesByTheirDifference) {
  const auto with = [](double auc, double loss) {
    return ResultDoubts(
        Results({{"auc", auc}, {"log_loss", loss}, {"rows", 500}},
                {{"auc", 0.8}, {"log_loss", 0.3}, {"rows", 500}}, {{"log_loss", 0.69}}),
        {});
  };
  EXPECT_EQ(with(0.95, 0.1).size(), 1);
  EXPECT_THAT(with(0.95, 0.28), IsEmpty());
  EXPECT_THAT(with(0.82, 0.31), IsEmpty());
}

TEST(ResultDoubts, AreNoneOfARunWithoutMetrics) {
  EXPECT_THAT(ResultDoubts(Json::object(), {}), IsEmpty());
}

}  // namespace
}  // namespace protium
