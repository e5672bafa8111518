// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Poly(Json inputs, int degree) {
  return {"polynomial_expansion", {{"id", "p"}, {"inputs", std::move(inputs)}, {"degree", degree}}};
}

class PolynomialExpansion : public StageTest {
 protected:
  std::string Of(const StageOptions& stage, const std::string& csv) {
    return Text(Fitted({stage}, Table(csv)).Transform(Table(csv)), {"a", "b", "c"});
  }
};

// In the order of Spark 4.2.1's PolynomialExpansion, which returns these numbers.
TEST_F(PolynomialExpansion, IsSparks) {
  EXPECT_EQ(Of(Poly({"a", "b"}, 2), "a,b\n2,3\n"),
            "p__a: 2; p__a__a: 4; p__b: 3; p__a__b: 6; p__b__b: 9");
  EXPECT_EQ(Of(Poly({"a", "b"}, 3), "a,b\n2,3\n"),
            "p__a: 2; p__a__a: 4; p__a__a__a: 8; p__b: 3; p__a__b: 6; p__a__a__b: 12; p__b__b: 9; "
            "p__a__b__b: 18; p__b__b__b: 27");
  EXPECT_EQ(Of(Poly({"a", "b", "c"}, 2), "a,b,c\n2,3,5\n"),
            "p__a: 2; p__a__a: 4; p__b: 3; p__a__b: 6; p__b__b: 9; p__c: 5; p__a__c: 10; "
            "p__b__c: 15; p__c__c: 25");
}

TEST_F(PolynomialExpansion, PassesNullAndNanOn) {
  EXPECT_EQ(Of(Poly({"a", "b"}, 2), "a,b\n-,3.5\nNaN,2.5\n"),
            "p__a: null nan; p__a__a: null nan; p__b: 3.5 2.5; p__a__b: null nan; "
            "p__b__b: 12.25 6.25");
}

TEST_F(PolynomialExpansion, TakesColumnsThatAreKnownOnceOthersHaveLearned) {
  const std::vector<StageOptions> stages = {{"one_hot_encoder", {{"id", "h"}, {"inputs", {"k"}}}},
                                            Poly({"a", {{"stage", "h"}}}, 2)};
  const std::string csv = "a,k\n3,u\n5,v\n7,u\n";
  const std::string text = Text(Fitted(stages, Table(csv)).Transform(Table(csv)), {"a", "k"});
  EXPECT_EQ(text,
            "k__h__u: 1 0 1; k__h__v: 0 1 0; p__a: 3 5 7; p__a__a: 9 25 49; p__k__h__u: 1 0 1; "
            "p__a__k__h__u: 3 0 7; p__k__h__u__k__h__u: 1 0 1; p__k__h__v: 0 1 0; "
            "p__a__k__h__v: 0 5 0; p__k__h__u__k__h__v: 0 0 0; p__k__h__v__k__h__v: 0 1 0");
}

TEST_F(PolynomialExpansion, RefusesTooManyColumns) {
  Json inputs = Json::array();
  std::string csv;
  for (int i = 0; i < 70; ++i) {
    inputs.push_back("c" + std::to_string(i));
    csv += (i == 0 ? "c" : ",c") + std::to_string(i);
  }
  EXPECT_EQ(FaultOfFitting({Poly(inputs, 2)}, csv + "\n" + std::string(69, ',') + "1\n").what,
            "products of up to 2 out of 70 columns are more than 2000");
}

TEST_F(PolynomialExpansion, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Poly({"a"}, 2)}, "a\n2\n", "a\n3\n"), "a: 3; p__a: 3; p__a__a: 9");
}

}  // namespace
}  // namespace protium
