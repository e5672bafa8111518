// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

class Id : public StageTest {
 protected:
  static StageOptions OfK() { return {"id", {{"inputs", {"k"}}}}; }
  static StageOptions OfC() { return {"hasher", {{"inputs", {"c"}}, {"buckets", 7}}}; }
  static StageOptions Net(const Choice& net, const Inputs& more = {}) {
    return TorchEstimator({.net = net,
                           .categorical = OutputsOf("id") + more,
                           .label = "y",
                           .train = {.metrics = {"rmse"}}});
  }
};

TEST_F(Id, IsTheTextOfAnyValueAndNullStays) {
  EXPECT_EQ(SavedAndLoaded({OfK()}, "k\na\n", "k\nnew\n-\n"), "k: new null; k__id: new null");
  EXPECT_EQ(SavedAndLoaded({OfK()}, "k\n1\n", "k\n-1\n0\n-9223372036854775808\n"),
            "k: -1 0 -9223372036854775808; k__id: -1 0 -9223372036854775808");
}

// Behind the columns of indices, whatever the order in which they are named.
TEST_F(Id, MakesColumnsWithARowForEachIdOfTheWeights) {
  const PipelineModel model = Fitted({OfK(), OfC(), Net(Linear(), OutputsOf("hasher"))},
                                     Table("k,c,y\na,u,1.5\nb,v,2.5\nc,w,3.5\n"));
  const auto& categorical = StateOf(model).net.categorical;
  ASSERT_EQ(categorical.size(), 2u);
  EXPECT_EQ(categorical[0].cardinality, 8);
  EXPECT_EQ(categorical[1].column, "k__id");
  EXPECT_EQ(categorical[1].cardinality, kAnyId);
}

TEST_F(Id, IsRefusedByNameWhereNothingReadsIds) {
  const std::string csv = "k,y\na,1\nb,2\nc,3\n";
  EXPECT_THAT(FaultOfFitting({OfK(), Net(FtTransformer())}, csv).what,
              HasSubstr("the net ft_transformer does not read ids"));
  const StageOptions trees = TreeEstimator({.categorical = OutputsOf("id"), .label = "y"});
  EXPECT_THAT(FaultOfFitting({OfK(), trees}, csv).what, HasSubstr("does not read ids"));
  EXPECT_THAT(FaultOfFitting({OfK()}, "k\n1.5\n").what, HasSubstr("not text"));
}

}  // namespace
}  // namespace protium
