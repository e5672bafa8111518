// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Cross(Json more) {
  Json options = {{"id", "x"}, {"inputs", {"a", "b"}}};
  options.update(more);
  return {"hashed_cross", options};
}

class HashedCross : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& rows) {
    return Text(Fitted({Cross(options)}, Table("a,b\n" + rows)).Transform(Table("a,b\n" + rows)),
                {"a", "b"});
  }
};

// pmod(hash(concat_ws(chr(31), a, b)), 1000003).
TEST_F(HashedCross, IsTheHashOfSparksSqlOfBothTexts) {
  EXPECT_EQ(Of({{"buckets", 1000003}}, "JFK,7\nJF,K7\nJFK,7\n"), "a__b__x: 758514 357747 758514");
}

TEST_F(HashedCross, HasOneIndexForRowsWithNull) {
  EXPECT_EQ(Of({{"buckets", 1}}, "u,v\n-,v\nu,-\n-,-\n"), "a__b__x: 0 1 1 1");
  EXPECT_THAT(Of({{"buckets", 1}, {"missing", "error"}}, "u,v\nu,-\n"),
              HasSubstr("column \"b\" has a NULL"));
}

TEST_F(HashedCross, GivesTheLabelAwayFromAnyInput) {
  EXPECT_THAT(FaultOfFitting({Cross(Json::object()),
                              TorchEstimator({.categorical = OutputsOf("x"), .label = "b"})},
                             "a,b\nu,2\n")
                  .what,
              HasSubstr("the label \"b\" is among its own inputs"));
}

TEST_F(HashedCross, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Cross({{"buckets", 1}})}, "a,b\nu,v\n", "a,b\nu,-\n"),
            "a: u; b: null; a__b__x: 1");
}

}  // namespace
}  // namespace protium
