// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Cyclic(Json more = Json::object()) {
  Json options = {{"id", "c"}, {"inputs", {"x"}}};
  options.update(more);
  return {"cyclic_encoder", options};
}

class CyclicEncoder : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& cells) {
    return Text(Fitted({Cyclic(options)}, Table("x\n" + cells)).Transform(Table("x\n" + cells)),
                {"x"});
  }
};

TEST_F(CyclicEncoder, IsExactAtQuartersOfATurn) {
  EXPECT_EQ(Of(Json::object(), "0\n6\n12\n18\n24\n-6\n"),
            "x__c__sin: 0 1 0 -1 0 -1; x__c__cos: 1 0 -1 0 1 0");
  EXPECT_EQ(Of({{"period", 7}, {"start", 1}}, "1\n8\n"), "x__c__sin: 0 0; x__c__cos: 1 1");
}

TEST_F(CyclicEncoder, GoesWithTheLibrarysSineAndCosine) {
  std::string cells;
  for (int i = -200; i < 200; ++i) cells += std::to_string(i * 0.173) + "\n";
  std::stringstream words(Of({{"period", 24}}, cells));
  std::string word;
  words >> word;
  for (int wave = 0; wave < 2; ++wave) {
    for (int i = -200; i < 200; ++i) {
      words >> word;
      const double angle = std::stod(std::to_string(i * 0.173)) / 24 * 2 * std::numbers::pi;
      EXPECT_NEAR(std::stod(word), wave == 0 ? std::sin(angle) : std::cos(angle), 1e-14) << i;
    }
    words >> word;
  }
}

TEST_F(CyclicEncoder, LeavesNullAndNanAndHasNoAngleForInfinity) {
  EXPECT_EQ(Of(Json::object(), "-\nNaN\nInf\n1e300\n-0.0\n"),
            "x__c__sin: null nan nan 0 -0; x__c__cos: null nan nan 1 1");
}

TEST_F(CyclicEncoder, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Cyclic()}, "x\n1\n", "x\n6\n"), "x: 6; x__c__sin: 1; x__c__cos: 0");
  EXPECT_THAT(FaultOfFitting({Cyclic({{"period", 0}})}, "x\n1\n").what, HasSubstr("above 0"));
}

}  // namespace
}  // namespace protium
