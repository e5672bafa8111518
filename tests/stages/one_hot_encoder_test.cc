// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "os/file.h"
#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions OneHot(Json more = Json::object()) {
  Json options = {{"id", "hot"}, {"inputs", {"k"}}};
  options.update(more);
  return {"one_hot_encoder", options};
}

// b comes first by frequency, a and c by value.
constexpr const char* kTable = "k\nb\na\nb\n-\nc\n";

class OneHotEncoder : public StageTest {
 protected:
  std::string Transformed(const Json& options, const std::string& others = kTable) {
    const PipelineModel model = Fitted({OneHot(options)}, Table(kTable));
    return Text(model.Transform(Table(others)), {"k"});
  }
};

TEST_F(OneHotEncoder, MakesAColumnPerValue) {
  EXPECT_EQ(Transformed(Json::object()),
            "k__hot__b: 1 0 1 0 0; k__hot__a: 0 1 0 0 0; k__hot__c: 0 0 0 0 1");
  const PipelineModel whole = Fitted({OneHot()}, Table("k\n-3\n10\n10\n"));
  EXPECT_EQ(Text(whole.Transform(Table("k\n10\n7\n")), {"k"}), "k__hot__10: 1 0; k__hot___3: 0 0");
}

TEST_F(OneHotEncoder, PutsTheRestIntoOneColumn) {
  EXPECT_EQ(Transformed({{"max_categories", 1}}, "k\nb\na\nx\n-\n"),
            "k__hot__b: 1 0 0 0; k__hot__other: 0 1 0 0");
  EXPECT_EQ(Transformed({{"max_categories", 1}, {"unseen", "other"}}, "k\nb\na\nx\n-\n"),
            "k__hot__b: 1 0 0 0; k__hot__other: 0 1 1 0");
  EXPECT_EQ(Transformed({{"max_categories", 3}}, "k\nx\n"),
            "k__hot__b: 0; k__hot__a: 0; k__hot__c: 0");
}

TEST_F(OneHotEncoder, HasPoliciesForNullAndForValuesNeverSeen) {
  EXPECT_EQ(Transformed({{"max_categories", 1}, {"missing", "own_column"}}, "k\nb\n-\nx\n"),
            "k__hot__b: 1 0 0; k__hot__other: 0 0 0; k__hot__missing: 0 1 0");
  EXPECT_THAT(Transformed({{"unseen", "error"}}, "k\nx\n"),
              HasSubstr("\"k\" has a value never seen"));
  EXPECT_EQ(Transformed({{"unseen", "error"}, {"max_categories", 1}}, "k\na\n-\n"),
            "k__hot__b: 0 0; k__hot__other: 1 0");
  EXPECT_THAT(FaultOfFitting({OneHot({{"missing", "error"}})}, kTable).what,
              HasSubstr("\"k\" has 1 NULLs in the training rows"));
  const PipelineModel strict = Fitted({OneHot({{"missing", "error"}})}, Table("k\na\nb\n"));
  EXPECT_THAT(Text(strict.Transform(Table("k\n-\na\n"))), HasSubstr("\"k\" has a NULL"));
}

TEST_F(OneHotEncoder, LeavesTheMostFrequentOutOnRequest) {
  EXPECT_EQ(Transformed({{"drop_first", true}}), "k__hot__a: 0 1 0 0 0; k__hot__c: 0 0 0 0 1");
  EXPECT_THAT(FaultOfFitting({OneHot({{"drop_first", true}})}, "k\na\na\n").what,
              HasSubstr("makes no column"));
}

// The stages after it are placed when its columns are known.
std::vector<StageOptions> Behind() {
  return {OneHot(),
          StandardScaler({.id = "scale", .inputs = OutputsOf("hot") + Columns{"x"}}),
          {"min_max_scaler", {{"id", "unit"}, {"inputs", {{{"stage", "scale"}}}}}},
          TorchEstimator({.numeric = OutputsOf("unit") + OutputsOf("hot"),
                          .label = "y",
                          .train = {.metrics = {"rmse"}}})};
}
constexpr const char* kRows = "k,x,y\nb,1,1.5\na,2,2.5\nb,3,3.5\nc,4,4.5\n";

TEST_F(OneHotEncoder, FeedsLaterStagesAndTheEstimator) {
  const PipelineModel model = Fitted(Behind(), Table(kRows));
  const Json pipeline = PipelineToJson(StateOf(model));
  EXPECT_EQ(pipeline[1]["outputs"],
            Json({"k__hot__b__scale", "k__hot__a__scale", "k__hot__c__scale", "x__scale"}));
  EXPECT_THAT(Text(model.Transform(Table(kRows)).Select({"prediction"})),
              HasSubstr("prediction: 1 0 1 0"));
}

TEST_F(OneHotEncoder, AndWhatIsBehindItComeBackFromAModelAndAResumedRun) {
  const PipelineModel model = Fitted(Behind(), Table(kRows));
  const std::string before = Text(model.Transform(Table(kRows)));
  ASSERT_TRUE(model.Save("model").ok());
  const auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(PipelineToJson(StateOf(*loaded)), PipelineToJson(StateOf(model)));
  EXPECT_EQ(Text(loaded->Transform(Table(kRows))), before);
  session_.reset();
  session_ = *OpenSession({.folder = folder_ / "run", .base = folder_, .resume = true});
  EXPECT_EQ(StateOf(Fitted(Behind(), Table(kRows))).trained.steps, 2);
}

TEST_F(OneHotEncoder, RefusesWhatWasDamaged) {
  const PipelineModel model = Fitted({OneHot()}, Table(kTable));
  ASSERT_TRUE(model.Save("model").ok());
  const auto file = folder_ / "run" / "model" / "stages.json";
  Json stages = *ParseJson(*ReadFile(file));
  EXPECT_EQ(stages["stages"][0]["learned"][0]["keys"], Json({"b", "a", "c"}));
  Pipeline pipeline({OneHot()});
  stages["stages"][0]["learned"][0]["keys"] = {"b", "a"};
  ASSERT_TRUE(WriteFile(folder_ / "run" / "stages.json", Dump(stages)).ok());
  session_.reset();
  session_ = *OpenSession({.folder = folder_ / "run", .base = folder_, .resume = true});
  EXPECT_THAT(FaultOf(pipeline.Fit(Table(kTable)).status()).what,
              HasSubstr("columns of stage \"hot\" do not fit its keys"));
}

}  // namespace
}  // namespace protium
