// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "learn/stages/stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions FilledWith(const std::string& with, Json more = Json::object()) {
  Json options = {{"id", "f"}, {"inputs", {"x"}}, {"with", with}};
  options.update(more);
  return {"imputer", options};
}

constexpr const char* kTenCells = "x\n1.0\n2.0\n2.0\n7.0\n7.0\n-\nNaN\n9.0\n11.0\n100.0\n";

class ImputerStages : public StageTest {
 protected:
  std::string Of(const StageOptions& stage, const std::string& others = "x\n-\nNaN\n3.5\n") {
    return Text(Fitted({stage}, Table(kTenCells)).Transform(Table(others)), {"x"});
  }
};

// Spark 4.2.1's Imputer fills with 17.375, 7 and 2.
TEST_F(ImputerStages, FillAsSpark) {
  EXPECT_EQ(Of(FilledWith("mean")), "x__f: 17.375 17.375 3.5");
  EXPECT_EQ(Of(FilledWith("median")), "x__f: 7 7 3.5");
  EXPECT_EQ(Of(FilledWith("mode")), "x__f: 2 2 3.5");
  EXPECT_EQ(Of(FilledWith("constant", {{"value", -1}})), "x__f: -1 -1 3.5");
}

TEST_F(ImputerStages, TellWhatWasFilled) {
  EXPECT_EQ(Of(FilledWith("mode", {{"indicator", true}})), "x__f: 2 2 3.5; x__f__missing: 1 1 0");
  EXPECT_EQ(Of(FilledWith("mode", {{"indicator", true}, {"outputs", {"y"}}})),
            "y: 2 2 3.5; y__missing: 1 1 0");
}

TEST_F(ImputerStages, FeedLaterStagesWithWhatWasFilled) {
  const PipelineModel model = Fitted({FilledWith("median", {{"indicator", true}}),
                                      StandardScaler({.id = "s", .inputs = OutputsOf("f")})},
                                     Table("x\n1\n-\n3\n"));
  EXPECT_EQ(Text(model.Transform(Table("x\n-\n")), {"x", "x__f", "x__f__missing"}),
            "x__f__s: -0.5773502691896258; x__f__missing__s: 1.1547005383792517");
}

TEST_F(ImputerStages, ComeFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({FilledWith("mode", {{"indicator", true}})}, kTenCells, "x\n-\n1\n"),
            "x: null 1; x__f: 2 1; x__f__missing: 1 0");
}

TEST_F(ImputerStages, RefuseColumnsWithoutAValue) {
  EXPECT_THAT(FaultOfFitting({FilledWith("mode")}, "x,y\n-,1\n").what, HasSubstr("x"));
}

}  // namespace
}  // namespace protium
