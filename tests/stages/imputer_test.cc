// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/json.h"
#include "stage_test.h"

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

// As happens when the values of a column are all in the held-out fold.
TEST_F(ImputerStages, MakeAConstantOfAColumnWithoutValuesAndSaySo) {
  std::string told;
  for (const char* cell : {"NaN", "-"}) {
    const std::string none = std::string("g,x\na,NaN\nb,") + cell + "\n";
    for (const char* with : {"median", "mean", "mode"}) {
      for (const Columns& by : {Columns{}, Columns{"g"}}) {
        session_.reset();
        told.clear();
        SessionOptions options{
            .engine = "local[2]", .folder = folder_ / "run", .base = folder_, .force = true};
        options.call.events = [&](const Json& event) { told += Dump(event); };
        session_ = *OpenSession(options);
        Json more = Json::object();
        if (!by.empty()) more["by"] = by;
        const PipelineModel model =
            Fitted({FilledWith(with, more), StandardScaler({.id = "s", .inputs = OutputsOf("f")})},
                   Table(none));
        EXPECT_EQ(Text(model.Transform(Table("g,x\na,-\nc,2.5\n")), {"g", "x"}),
                  "x__f: 0 2.5; x__f__s: 0 0");
        EXPECT_THAT(told, HasSubstr("has no value in the training rows"));
      }
    }
  }
  session_.reset();  // It also reports its end.
}

constexpr const char* kStores =
    "s,d,x\n1,a,1\n1,a,3\n1,a,3\n2,a,10\n2,a,-\n-,a,7\n3,a,-\n1,b,100\n";

TEST_F(ImputerStages, FillByGroup) {
  const auto filled = [&](const std::string& with, const Columns& by) {
    return Text(Fitted({FilledWith(with, {{"by", by}, {"indicator", true}})}, Table(kStores))
                    .Transform(Table("s,d,x\n1,a,-\n2,b,-\n-,a,-\n3,a,-\n9,a,-\n1,b,5.5\n")),
                {"s", "d", "x"});
  };
  // Store 3 has no value and store 9 is unknown: they get the value of all rows.
  EXPECT_EQ(filled("median", {"s"}), "x__f: 3 10 7 3 3 5.5; x__f__missing: 1 1 1 1 1 0");
  EXPECT_EQ(filled("mode", {"s"}), "x__f: 3 10 7 3 3 5.5; x__f__missing: 1 1 1 1 1 0");
  EXPECT_EQ(filled("median", {"s", "d"}), "x__f: 3 3 7 3 3 5.5; x__f__missing: 1 1 1 1 1 0");
  EXPECT_EQ(filled("mean", {"d"}), "x__f: 4.8 100 4.8 4.8 4.8 5.5; x__f__missing: 1 1 1 1 1 0");
}

TEST_F(ImputerStages, LearnGroupsFromAnyPartsInAnyOrder) {
  std::string up = "s,x\n", down = up;
  for (int i = 0; i < 300; ++i) up += std::to_string(i % 7) + "," + std::to_string(i % 31) + ".1\n";
  for (int i = 299; i >= 0; --i) {
    down += std::to_string(i % 7) + "," + std::to_string(i % 31) + ".1\n";
  }
  const auto learned = [&](const std::string& rows) {
    const PipelineModel model = Fitted({FilledWith("mean", {{"by", {"s"}}})}, Table(rows));
    return Dump(StateOf(model).chain->stages[0].stage->learned());
  };
  const std::string one = learned(up);
  Open("local[3]");
  EXPECT_EQ(learned(down), one);
}

TEST_F(ImputerStages, FillByGroupFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({FilledWith("median", {{"by", {"s"}}})}, "s,x\na,1\nb,2\n-,3\n",
                           "s,x\nb,-\n-,-\nz,-\n"),
            "s: b null z; x: null null null; x__f: 2 3 2");
  EXPECT_THAT(FaultOfDamage(R"([{"input": "x", "output": "x__f", "value": 1, "keys": ["a"]}])",
                            {FilledWith("median", {{"by", {"s"}}})}, "s,x\na,1\n"),
              HasSubstr("do not fit their values"));
}

TEST_F(ImputerStages, RefuseGroupsThatMakeNoSense) {
  EXPECT_THAT(FaultOfFitting({FilledWith("constant", {{"by", {"s"}}})}, "s,x\n1,2\n").what,
              HasSubstr("a constant is the same in all groups"));
  EXPECT_THAT(FaultOfFitting({FilledWith("mean", {{"by", {"s"}}})}, "s,x\n1.5,2\n").what,
              HasSubstr("not text, whole numbers or booleans"));
  EXPECT_THAT(FaultOfFitting({FilledWith("mean", {{"by", {"z"}}})}, "s,x\n1,2\n").what,
              HasSubstr("no column \"z\""));
  EXPECT_THAT(FaultOfFitting({FilledWith("mean", {{"by", {"s"}}})}, "s,x\n1,2.5\n1,Inf\n").what,
              HasSubstr("infinite value"));
  EXPECT_THAT(FaultOfFitting({FilledWith("mean", {{"by", {"y"}}}),
                              TorchEstimator({.numeric = {"x__f"}, .label = "y"})},
                             "x,y\n1,2\n")
                  .what,
              HasSubstr("the label \"y\" is among its own inputs"));
}

TEST_F(ImputerStages, RefuseColumnsWithoutAValue) {
  EXPECT_THAT(FaultOfFitting({FilledWith("mode")}, "x,y\n-,1\n").what, HasSubstr("x"));
}

}  // namespace
}  // namespace protium
