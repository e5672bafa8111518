// SPDX-License-Identifier: Apache-2.0
// Training that starts from the weights of an earlier run's model.
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

std::string WeightsOfRun(const OwnJob& own, const Outcome& run) {
  return ReadWeightsHash(run.json["model"].get<std::string>(), own.path());
}

constexpr const char* kForest = R"(name = "trees"
[tables]
machines = { csv = "machines.csv" }
[etl]
sql = "SELECT * FROM machines"
[[pipeline]]
kind = "string_indexer"
id = "index"
inputs = ["kind"]
[[pipeline]]
kind = "tree_estimator"
categorical = [{ stage = "index" }]
numeric = ["age"]
label = "hours"
trees = { rounds = 20 }
)";

}  // namespace

TEST(Start, TakesTheWeightsOfAModelForAnyNumberOfWorkers) {
  const OwnJob own;
  const Outcome first = own.Run({"--json"});
  ASSERT_EQ(first.exit, 0) << first.err;
  fs::rename(first.json["model"].get<std::string>(), own / "start");
  std::string weights;
  for (const char* workers : {"1", "3"}) {
    const Outcome next = own.Run(
        {"--json", "--set", "train.from=start", "--set", std::string("gang.workers=") + workers});
    ASSERT_EQ(next.exit, 0) << next.err;
    EXPECT_LT(next.json["metrics"]["validation"]["rmse"].get<double>(),
              first.json["metrics"]["validation"]["rmse"].get<double>());
    if (weights.empty()) weights = WeightsOfRun(own, next);
    EXPECT_EQ(WeightsOfRun(own, next), weights) << workers;
    EXPECT_TRUE(fs::exists(fs::path(next.json["folder"].get<std::string>()) / "start.safetensors"));
    fs::remove_all(fs::path(next.json["folder"].get<std::string>()));
  }
}

TEST(Start, RefusesWhatIsNoModelOrDoesNotFit) {
  const OwnJob own;
  const Outcome nothing = own.Run({"--set", "train.from=nowhere"});
  EXPECT_EQ(nothing.exit, 3) << nothing.err;
  EXPECT_TRUE(Has(nothing.err, "there is no folder")) << nothing.err;
  EXPECT_TRUE(Has(nothing.err, "--set train.from=nowhere")) << nothing.err;
  const Outcome first = own.Run();
  ASSERT_EQ(first.exit, 0) << first.err;
  const Outcome other = own.Run({"--set", "train.from=" + own.Model(), "--set", "net.hidden=[7]"});
  EXPECT_EQ(other.exit, 3) << other.err;
  EXPECT_TRUE(Has(other.err, "do not fit the net")) << other.err;
  const Outcome unknown =
      own.Run({"--set", "train.from=" + own.Model(), "--set", "train.from.parameters=[\"x*\"]"});
  EXPECT_NE(unknown.exit, 0);
}

// The second table has other kinds of machines, as many, in another order.
TEST(Start, KeepsTheStagesThatAModelWasTrainedOver) {
  for (const char* job : {kForest, kMachinesJob}) {
    const OwnJob own(MachinesTable(600), job);
    const Outcome first = own.Run({"--json"});
    ASSERT_EQ(first.exit, 0) << first.err;
    fs::rename(first.json["model"].get<std::string>(), own / "start");
    std::string table = MachinesTable(600);
    for (size_t at = 0; (at = table.find("lathe", at)) != std::string::npos;) table[at] = 'z';
    own.Write("machines.csv", table);
    const Outcome next = own.Run({"--json", "--set", "train.from=start"});
    ASSERT_EQ(next.exit, 0) << next.err;
    EXPECT_EQ(Has(next.err, "the stages keep what they learned"), job == kMachinesJob) << next.err;
    const fs::path model = next.json["model"].get<std::string>();
    const Json was = *ParseJson(own.Text("start/stages.json"));
    const Json is = *ParseJson(ReadText(model / "stages.json"));
    EXPECT_EQ(was["stages"].dump(), is["stages"].dump());
    EXPECT_TRUE(Has(is["stages"].dump(), "lathe")) << is.dump();
  }
}

TEST(Start, LetsOtherStagesOfANetLearnAnewAndRefusesOtherClasses) {
  const std::string kinds = With(With(kMachinesJob, "SELECT *", "SELECT *, kind AS made"),
                                 "label = \"hours\"", "label = \"made\"\nloss = \"cross_entropy\"");
  const OwnJob own(MachinesTable(600), kinds);
  const Outcome first = own.Run({"--json"});
  ASSERT_EQ(first.exit, 0) << first.err;
  fs::rename(first.json["model"].get<std::string>(), own / "start");
  own.Write("job.toml", With(kinds, "inputs = [\"load\"]", "inputs = [\"load\"]\nwith = \"mean\""));
  const Outcome anew = own.Run({"--json", "--set", "train.from=start"});
  ASSERT_EQ(anew.exit, 0) << anew.err;
  EXPECT_TRUE(Has(anew.err, "the stages learn anew")) << anew.err;
  EXPECT_TRUE(Has(anew.err, "its stage \"fill\" has with = \"median\"")) << anew.err;
  own.Write("job.toml",
            With(kinds, "kind AS made", "CASE WHEN kind = 'lathe' THEN 'a' ELSE kind END AS made"));
  const Outcome refused = own.Run({"--json", "--set", "train.from=start"});
  EXPECT_EQ(refused.exit, 3) << refused.err;
  EXPECT_TRUE(Has(refused.err, "it predicts other classes")) << refused.err;
}

TEST(Start, RefusesAForestThatWasGrownOverOtherStages) {
  const OwnJob own(MachinesTable(600), kForest);
  const Outcome first = own.Run({"--json"});
  ASSERT_EQ(first.exit, 0) << first.err;
  fs::rename(first.json["model"].get<std::string>(), own / "start");
  own.Write("job.toml", With(kForest, "[\"kind\"]", "[\"kind\"]\nunseen = \"null\""));
  const Outcome option = own.Run({"--set", "train.from=start"});
  EXPECT_EQ(option.exit, 3) << option.err;
  EXPECT_TRUE(Has(option.err, "its stage \"index\" has unseen = \"own_index\"")) << option.err;
  EXPECT_TRUE(Has(option.err, "train.from")) << option.err;
  own.Write("job.toml", With(kForest, "id = \"index\"", "id = \"other\""));
  own.Write("job.toml", With(own.Text("job.toml"), "stage = \"index\"", "stage = \"other\""));
  const Outcome stage = own.Run({"--set", "train.from=start"});
  EXPECT_EQ(stage.exit, 3) << stage.err;
  EXPECT_TRUE(Has(stage.err, "\"index\" where the pipeline has \"other\"")) << stage.err;
}

}  // namespace protium::whole
