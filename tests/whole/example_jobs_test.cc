// SPDX-License-Identifier: Apache-2.0
// The jobs of examples/ on small tables of `protium example`, as their first lines say.
#include <gtest/gtest.h>

#include <algorithm>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Makes tables of about this many rows and runs the example's job on them.
Outcome RunExample(const OwnJob& own, const std::string& name, const std::string& rows,
                   const std::string& epochs = "1") {
  const Outcome made = own.Protium({"example", name, own / "tables", "--rows", rows});
  EXPECT_EQ(made.exit, 0) << made.err;
  const fs::path job = Repository() / "examples" / name / (name + ".toml");
  return own.Protium({"run", job.string(), "--json", "--runs-dir", own / "runs", "--set",
                      "data=" + (own / "tables").string(), "--set", "train.epochs=" + epochs});
}

}  // namespace

TEST(Examples, OfStoresLearnsFromSevenTables) {
  const OwnJob own;
  const Outcome run = RunExample(own, "stores", "10000");
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json test = run.json["metrics"]["test"];
  EXPECT_GT(test["rows"], 300);
  EXPECT_LT(test["rmspe"], run.json["metrics"]["baseline"]["rmspe"]);
}

TEST(Examples, OfVisitsLearnsFromDatesListsAndMistypedWords) {
  const OwnJob own;
  const Outcome run = RunExample(own, "visits", "6000");
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_GT(run.json["metrics"]["test"]["auc"], 0.6);
}

TEST(Examples, OfClicksLearnsFromIdsOfWhichMostAreRare) {
  const OwnJob own;
  const Outcome run = RunExample(own, "clicks", "30000", "2");
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_GT(run.json["metrics"]["test"]["auc"], 0.6);
}

// With the net that recommenders are compared by: the same bits with one worker, with an optimizer
// that workers share, and with a server.
TEST(Examples, OfClicksLearnsWithDlrm) {
  const OwnJob own;
  ASSERT_EQ(own.Protium({"example", "clicks", own / "tables", "--rows", "10000"}).exit, 0);
  own.Write("dlrm.toml", With(ReadText(Repository() / "examples" / "clicks" / "clicks.toml"),
                              R"({ name = "factorization_machine", factors = 8 })",
                              R"({ name = "dlrm", bottom = [32], top = [32], embedding = 8 })"));
  const auto run = [&](std::vector<std::string> settings) {
    settings.insert(settings.end(), {"data=" + (own / "tables").string(), "train.epochs=2"});
    std::vector<std::string> words = {"run", own / "dlrm.toml", "--json", "--runs-dir",
                                      own / "runs"};
    for (const std::string& each : settings) words.insert(words.end(), {"--set", each});
    Outcome out = own.Protium(words);
    EXPECT_EQ(out.exit, 0) << out.err;
    return out;
  };
  const auto weights = [&](const Outcome& of) {
    return of.exit == 0 ? ReadWeightsHash(of.json["model"].get<std::string>(), own.path()) : "";
  };
  const Outcome one = run({"gang.workers=1"});
  ASSERT_EQ(one.exit, 0);
  EXPECT_GT(one.json["metrics"]["test"]["auc"], 0.55);
  EXPECT_EQ(weights(run({"gang.workers=3", "train.share_optimizer=true"})), weights(one));
  EXPECT_EQ(weights(run({"gang.workers=2", "gang.servers=1"})), weights(one));
}

// A program with its own functions of rows and of groups.
TEST(Examples, OfLinesFitsOneForEachAirline) {
  const OwnJob own;
  ASSERT_EQ(own.Protium({"example", "flights", own / "data", "--rows", "3000"}).exit, 0);
  Running program(
      {(fs::path(ProtiumCommand()).parent_path() / "lines").string(), "run", "--runs-dir",
       (own / "runs").string(), "--json", "--set", "data=" + (own / "data").string()},
      own.path());
  const Outcome run = program.Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string lines = ReadText(run.json["outputs"][0].get<std::string>());
  EXPECT_TRUE(lines.starts_with("\"carrier\",\"slope\",\"offset\",\"flights\"")) << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 17) << lines;
}

// A C program, using only the C interface.
TEST(Examples, InCPrintsWhatHappenedBesideWhatWasPredicted) {
  const OwnJob own;
  ASSERT_EQ(own.Protium({"example", "flights", own / "data", "--rows", "3000"}).exit, 0);
  Running program(
      {(fs::path(ProtiumCommand()).parent_path() / "delays").string(), (own / "data").string()},
      own.path());
  const Outcome run = program.Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 6) << run.out;
  EXPECT_NE(run.err.find("\"epoch\":3"), std::string::npos) << run.err;
  Running nowhere({(fs::path(ProtiumCommand()).parent_path() / "delays").string(), "none"},
                  own.path());
  const Outcome failed = nowhere.Wait();
  EXPECT_EQ(failed.exit, 3);
  EXPECT_NE(failed.err.find("flights.csv"), std::string::npos) << failed.err;
}

// Pictures are found next to the tables that are scored, wherever these lie.
TEST(Examples, OfDigitsReadsPicturesBesideItsTable) {
  const OwnJob own;
  const Outcome run = RunExample(own, "digits", "1000", "6");
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_GT(run.json["metrics"]["test"]["accuracy"], 0.5);
  fs::rename(own / "tables", own / "moved");
  const std::string model = run.json["model"].get<std::string>();
  const Outcome beside = own.Protium(
      {"predict", "--model", model, "--data", own / "moved", "--output", own / "scored.parquet"});
  EXPECT_EQ(beside.exit, 0) << beside.err;
  const Outcome file = own.Protium({"predict", "--model", model, "--input",
                                    own / "moved/digits.csv", "--output", own / "scored.csv"});
  ASSERT_EQ(file.exit, 0) << file.err;
  EXPECT_TRUE(Has(own.Text("scored.csv"), "pictures/0001/000001.png")) << file.out;
  // Without its pictures, the error names the missing one.
  fs::remove(own / "moved/pictures/0020/001000.png");
  const Outcome missing = own.Protium({"predict", "--model", model, "--input",
                                       own / "moved/digits.csv", "--output", own / "none.csv"});
  EXPECT_EQ(missing.exit, 3) << missing.err;
  EXPECT_TRUE(Has(missing.err, "pictures/0020/001000.png")) << missing.err;
}

}  // namespace protium::whole
