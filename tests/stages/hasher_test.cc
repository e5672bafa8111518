// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Hashed(Json more) {
  Json options = {{"id", "h"}, {"inputs", {"k"}}};
  options.update(more);
  return {"hasher", options};
}

class Hasher : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& cells) {
    return Text(Fitted({Hashed(options)}, Table("k\n" + cells)).Transform(Table("k\n" + cells)),
                {"k"});
  }
};

// pmod(hash(k), 1000003) of Spark 4.2.1.
TEST_F(Hasher, IsTheHashOfSparksSql) {
  EXPECT_EQ(Of({{"buckets", 1000003}},
               "a\nab\nabc\nabcd\nabcde\nJFK\né\n日本語\nx y\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"),
            "k__h: 268715 946977 433590 698291 635486 649756 100449 953598 36221 582926");
}

// Whole numbers and booleans are hashed by their text, so the width of a column does not matter.
TEST_F(Hasher, TakesWholeNumbersAndBooleansByTheirText) {
  EXPECT_EQ(Of({{"buckets", 1000003}}, "0\n-1\n"), "k__h: 844230 175900");
  EXPECT_EQ(Of({{"buckets", 1000003}}, "true\n"), "k__h: 809129");
}

TEST_F(Hasher, HasPoliciesForNull) {
  EXPECT_EQ(Of({{"buckets", 1}}, "a\n-\n"), "k__h: 0 1");
  EXPECT_EQ(Of({{"buckets", 1}, {"missing", "null"}}, "a\n-\n"), "k__h: 0 null");
  EXPECT_THAT(Of({{"buckets", 1}, {"missing", "error"}}, "a\n-\n"),
              HasSubstr("column \"k\" has a NULL"));
}

TEST_F(Hasher, MakesCategoriesForNets) {
  const PipelineModel model =
      Fitted({Hashed({{"buckets", 7}}),
              TorchEstimator(
                  {.categorical = OutputsOf("h"), .label = "y", .train = {.metrics = {"rmse"}}})},
             Table("k,y\na,1.5\nb,2.5\nc,3.5\nd,4.5\n"));
  ASSERT_EQ(StateOf(model).net.categorical.size(), 1);
  EXPECT_EQ(StateOf(model).net.categorical[0].cardinality, 8);
}

TEST_F(Hasher, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Hashed({{"buckets", 10}})}, "k\na\n", "k\nJFK\n"), "k: JFK; k__h: 2");
  EXPECT_THAT(FaultOfFitting({Hashed({{"buckets", 0}})}, "k\na\n").what, HasSubstr("at least 1"));
  EXPECT_THAT(FaultOfFitting({Hashed(Json::object())}, "k\n1.5\n").what, HasSubstr("not text"));
}

}  // namespace
}  // namespace protium
