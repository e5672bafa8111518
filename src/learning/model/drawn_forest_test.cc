// SPDX-License-Identifier: Apache-2.0
#include "model/drawn_forest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "base/fault.h"
#include "model/testing/forest_folder.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::HasSubstr;

struct Drawn : testing::Test {
  TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  Forest forest = TwoColumnForest();
  ModelFiles files = TwoColumnFiles();

  std::filesystem::path path() const { return folder.path() / "model"; }
  Json& objective() { return files.json["net.json"]["objective"]; }
  Result<std::optional<DrawnForest>> Read() {
    PT_TRY(WriteForestModel(path(), forest, files));
    return DrawnForest::Read(path());
  }
  DrawnForest Draw() { return Read().ValueOrDie().value(); }
};

TEST_F(Drawn, ATreeIsInTermsOfTheTable) {
  EXPECT_EQ(Draw().TreeAt(0).ValueOrDie(), Json::parse(R"({
      "tree": 0, "round": 1, "output": 0, "leaves": 3, "depth": 2, "nodes": [
        {"value": 0.4, "cover": 10.0, "column": "temp", "gain": 8.0, "missing": "left",
         "threshold": 61.0, "left": 1},
        {"value": -4.0, "cover": 6.0},
        {"value": 7.0, "cover": 4.0, "column": "shop", "gain": 2.0, "missing": "right",
         "named": "left", "categories": ["north", "east"], "category_count": 2, "left": 3},
        {"value": 4.0, "cover": 1.0},
        {"value": 8.0, "cover": 3.0}]})"));
  const auto none = Draw().TreeAt(1);
  EXPECT_EQ(FaultOf(none.status()).exit, Exit::kInput);
  EXPECT_THAT(FaultOf(none.status()).what, HasSubstr("there are 1, from 0 on"));
}

TEST_F(Drawn, PredictionsByAColumnAreInTheLabelsUnits) {
  const Json outline = Draw().Outline();
  EXPECT_EQ(outline, Json::parse(R"json({"rounds": 1, "trees": 1, "leaves": 3, "columns": 2,
      "outputs": ["y"], "mean": [5.4], "dependence": [
        {"column": "temp", "gain": 0.8, "thresholds": [61.0], "values": [[1.0, 12.0]],
         "missing": [1.0]},
        {"column": "shop", "gain": 0.2,
         "categories": ["north", "south", "east", "(others)", "(missing)"], "left_out": 0,
         "values": [[4.2, 5.8, 4.2, 5.8, 5.8]], "missing": [5.8]
}]
})json"));
}

TEST_F(Drawn, ASummaryCountsTreesAndInputsAndOrdersColumnsByGain) {
  EXPECT_EQ(Draw().Summary(), Json::parse(R"({"rounds": 1, "trees": 1, "leaves": 3,
      "most_leaves": 3, "depth": 2, "numeric": 1, "categorical": 1, "outputs": ["y"], "splits": [
        {"column": "temp", "gain": 0.8, "splits": 1},
        {"column": "shop", "gain": 0.2, "splits": 1}]})"));
  forest.trees[0].nodes = {{.value = 3}};
  EXPECT_EQ(Draw().Summary()["splits"], Json::array());
  EXPECT_EQ(Draw().Summary()["depth"], 0);
}

TEST_F(Drawn, CategoriesAreNamedOnTheSideWhereMissingValuesDoNotGo) {
  forest.trees[0].nodes[2].missing_left = true;
  const Json tree = Draw().TreeAt(0).ValueOrDie();
  EXPECT_EQ(tree["nodes"][2]["named"], "right");
  EXPECT_EQ(tree["nodes"][2]["categories"], Json::array({"south", "(others)", "(missing)"}));
  forest.columns[1].cardinality = files.json["net.json"]["categorical"][0]["cardinality"] = 32;
  const Json many = Draw().TreeAt(0).ValueOrDie()["nodes"][2];
  EXPECT_EQ(many["category_count"], 30);
  EXPECT_EQ(many["categories"].size(), 12u);
  EXPECT_EQ(many["categories"].back(), "13") << "an index that has no text";
}

TEST_F(Drawn, OutputsSayWhatTheyAre) {
  EXPECT_EQ(Draw().Outline()["outputs"], Json::array({"y"}));
  objective()["labels"][0]["log1p"] = true;
  EXPECT_EQ(Draw().Outline()["outputs"], Json::array({"logarithm of 1 + y"}));
  objective()["labels"][0]["log1p"] = false;
  objective()["logarithmic"] = true;
  EXPECT_EQ(Draw().Outline()["outputs"], Json::array({"logarithm of y"}));
  objective()["kind"] = "quantiles";
  objective()["levels"] = {0.9};
  EXPECT_EQ(Draw().Outline()["outputs"], Json::array({"y, quantile 0.9"}));
  objective()["kind"] = "relevance";
  EXPECT_EQ(Draw().Outline()["outputs"], Json::array({"score by y"}));
  objective()["kind"] = "two_classes";
  objective()["classes"] = {"no", "yes"};
  objective()["decision"]["temperature"] = 2;
  EXPECT_EQ(Draw().Outline()["outputs"], Json::array({"log-odds of y = yes"}));
  EXPECT_EQ(Draw().Outline()["mean"], Json::array({0.3}));
}

TEST_F(Drawn, OfColumnsThatAreMadeFromOneEachKeepsItsName) {
  files.json["stages.json"]["stages"][0]["learned"][0]["input"] = "temp";
  const Json nodes = Draw().TreeAt(0).ValueOrDie()["nodes"];
  EXPECT_EQ(nodes[0]["column"], "temp (temp__fill__scale)");
  EXPECT_EQ(nodes[2]["column"], "temp (shop__index)");
}

TEST_F(Drawn, ALargeTreeIsCutBelow) {
  auto& nodes = forest.trees[0].nodes;
  nodes = {{.column = 0, .left = 1, .cover = 1}};
  for (int32_t i = 1; i < 2001; i += 2) {
    nodes.push_back({.cover = 1});
    nodes.push_back({.column = 0, .left = i + 2, .cover = 1});
  }
  nodes.push_back({.value = 1});
  nodes.push_back({.value = std::numeric_limits<float>::max()});
  nodes[0].threshold = std::numeric_limits<float>::infinity();
  const Json tree = Draw().TreeAt(0).ValueOrDie();
  EXPECT_EQ(tree["leaves"], 1002);
  EXPECT_EQ(tree["depth"], 1001);
  EXPECT_EQ(tree["nodes"].size(), 1023u);
  EXPECT_EQ(tree["nodes"].back()["below"], 491);
  EXPECT_EQ(tree["nodes"][0]["threshold"], "∞");
}

TEST_F(Drawn, OtherModelsHaveNoneAndDamagedOnesAreRefused) {
  files.json["net.json"]["net"]["name"] = "mlp";
  EXPECT_FALSE(Read().ValueOrDie().has_value());
  files.json["net.json"]["net"]["name"] = "trees";
  objective()["labels"] = Json::array();
  EXPECT_EQ(FaultOf(Read().status()).exit, Exit::kInput);
  files = TwoColumnFiles();
  // What stages learned may be anything: names are then those of the forest.
  files.json["stages.json"] = {{"stages", {7, {{"learned", {{{"output", {1}}}, "x"}}}}}};
  EXPECT_EQ(Draw().TreeAt(0).ValueOrDie()["nodes"][2]["column"], "shop__index");
  std::ofstream(path() / "weights.safetensors", std::ios::app) << "x";
  EXPECT_EQ(FaultOf(DrawnForest::Read(path()).status()).exit, Exit::kInput);
}

}  // namespace
}  // namespace protium
