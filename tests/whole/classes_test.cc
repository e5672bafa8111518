// SPDX-License-Identifier: Apache-2.0
// Labels that are classes: learned, measured and predicted as classes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// The state of a machine by its age and load: "new", "worn" or "old"; unknown in every `unknown`-th
// row.
std::string StatesTable(int rows, int unknown = 0) {
  std::string text = "id,kind,age,load,state,broken\n";
  for (int i = 0; i < rows; ++i) {
    const int age = i * 7 % 23;
    const double load = (i * 37 % 101) / 10.0;
    const double wear = age + load;
    const char* const kind = i % 3 == 0 ? "press" : i % 3 == 1 ? "lathe" : "mill";
    const char* const state = wear < 10 ? "new" : wear < 20 ? "worn" : "old";
    const bool known = unknown == 0 || i % unknown != 0;
    text += fmt::format("{},{},{},{},{},{}\n", i, kind, age, load, known ? state : "",
                        wear > 18 ? "yes" : "no");
  }
  return text;
}

std::string JobFor(const std::string& label, const std::string& loss) {
  std::string job =
      With(kMachinesJob, "label = \"hours\"", "label = \"" + label + "\"\nloss = " + loss);
  return With(job, "epochs = 2", "epochs = 8");
}

// The cells of column `name` in a CSV file whose cells have no commas.
std::vector<std::string> ReadColumn(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::string line, cell;
  std::vector<std::string> out;
  size_t column = std::string::npos;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    const bool head = column == std::string::npos;
    for (size_t i = 0; std::getline(cells, cell, ','); ++i) {
      if (head && cell == "\"" + name + "\"") column = i;
      if (!head && i == column) out.push_back(cell);
    }
  }
  return out;
}

std::string Weights(const OwnJob& own, const Outcome& run) {
  return ReadWeightsHash(run.json["model"].get<std::string>(), own.path());
}

std::vector<std::string> Workers(int count) {
  return {"--json", "--set", "gang.workers=" + std::to_string(count)};
}

}  // namespace

TEST(Classes, OfTextAreLearnedMeasuredAndPredictedByName) {
  const OwnJob own(StatesTable(900), JobFor("state", "\"cross_entropy\""));
  const Outcome run = own.Run({"--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json metrics = run.json["metrics"];
  EXPECT_GT(metrics["test"]["accuracy"].get<double>(), 0.85) << Dump(metrics);
  EXPECT_LT(metrics["baseline"]["accuracy"].get<double>(), 0.6) << Dump(metrics);
  EXPECT_LT(metrics["test"]["log_loss"], metrics["baseline"]["log_loss"]);
  EXPECT_TRUE(metrics["validation"].contains("log_loss")) << Dump(metrics);
  const Outcome scored = own.Protium(
      {"predict", "--model", own.Model(), "--data", own.path(), "--output", own / "out.csv"});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  const auto states = ReadColumn(own.Text("out.csv"), "prediction");
  EXPECT_EQ(states.size(), 900u);
  EXPECT_GT(std::count(states.begin(), states.end(), "\"worn\""), 100);
  for (const std::string& share : ReadColumn(own.Text("out.csv"), "probability")) {
    ASSERT_TRUE(std::stod(share) > 1.0 / 3 - 1e-9 && std::stod(share) <= 1) << share;
  }
}

TEST(Classes, GiveTheSameWeightsForAnyNumberOfWorkers) {
  const std::string loss = "{ name = \"cross_entropy\", class_weights = \"balanced\" }";
  const OwnJob own(StatesTable(600), JobFor("state", loss));
  const Outcome one = own.Run(Workers(1));
  ASSERT_EQ(one.exit, 0) << one.err;
  for (const int workers : {2, 4}) {
    const Outcome more = own.Run(Workers(workers));
    ASSERT_EQ(more.exit, 0) << more.err;
    EXPECT_EQ(Weights(own, more), Weights(own, one));
    EXPECT_EQ(more.json["metrics"], one.json["metrics"]);
  }
}

TEST(Classes, OfTwoAreLearnedByALinearNetWithThePositiveOneNamed) {
  std::string job = JobFor("broken", "\"binary_cross_entropy\"\nnet = \"linear\"");
  job =
      With(job, "epochs = 8", "epochs = 8\noptimizer = { name = \"adam\", learning_rate = 0.05 }");
  const OwnJob yes(StatesTable(900), job);
  const OwnJob no(StatesTable(900), With(job, "label =", "positive = \"no\"\nlabel ="));
  const Outcome of_yes = yes.Run({"--json"}), of_no = no.Run({"--json"});
  ASSERT_EQ(of_yes.exit, 0) << of_yes.err;
  ASSERT_EQ(of_no.exit, 0) << of_no.err;
  EXPECT_GT(of_yes.json["metrics"]["test"]["auc"].get<double>(), 0.95);
  EXPECT_EQ(of_yes.json["metrics"]["baseline"]["auc"], 0.5);
  const auto probabilities = [](const OwnJob& own) {
    const Outcome scored = own.Protium(
        {"predict", "--model", own.Model(), "--data", own.path(), "--output", own / "out.csv"});
    EXPECT_EQ(scored.exit, 0) << scored.err;
    return ReadColumn(own.Text("out.csv"), "probability");
  };
  const auto yeses = probabilities(yes), noes = probabilities(no);
  ASSERT_EQ(yeses.size(), noes.size());
  for (size_t i = 0; i < yeses.size(); ++i) {
    EXPECT_NEAR(std::stod(yeses[i]) + std::stod(noes[i]), 1, 0.1) << i;
  }
}

TEST(Classes, RowsWithoutOneAreLeftOut) {
  const OwnJob own(StatesTable(600, 10), JobFor("state", "\"cross_entropy\""));
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(run.err, " rows have no \"state\": they are left out of training")) << run.err;
}

// In the rows that training and validation share, only the last rows have the odd class.
TEST(Classes, SeenInHeldOutRowsAloneAreCountedAndLeftOut) {
  std::string table = StatesTable(600);
  for (int i = 600; i < 606; ++i) table += fmt::format("{},press,3,2.5,odd{},no\n", i, i);
  std::string job = JobFor("state", "\"cross_entropy\"");
  job = With(job, "[split]\nby = [\"id\"]\n", "");
  job = With(job, "share = 0.1", "share = 0.5");
  const OwnJob own(table, job);
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(run.err, "validation rows have classes that no training row has")) << run.err;
  const Outcome refused = own.Run({"--set", "pipeline.3.unseen_class=error"});
  EXPECT_EQ(refused.exit, 3) << refused.err;
  EXPECT_TRUE(Has(refused.err, "unseen_class = \"ignore\"")) << refused.err;
}

// The split by `id` puts row 3 on the test side, and no other row is odd.
TEST(Classes, SeenInTestRowsAloneAreCountedAndInNoMetric) {
  const std::string job = JobFor("state", "\"cross_entropy\"");
  const OwnJob own(StatesTable(300), job);
  const OwnJob with_odd(With(StatesTable(300), "3,press,21,1,old,yes", "3,press,21,1,odd,yes"),
                        job);
  const Outcome without = own.Run({"--json"}), run = with_odd.Run({"--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(run.err, "1 scored rows have classes that no training row has")) << run.err;
  const auto result = [](const Outcome& each) {
    const std::string folder = each.json["folder"];
    return Json::parse(ReadText(std::filesystem::path(folder) / "result.json"));
  };
  EXPECT_EQ(result(run)["unseen_test_rows"], 1);
  EXPECT_FALSE(result(without).contains("unseen_test_rows"));
  EXPECT_EQ(Weights(with_odd, run), Weights(own, without));
  EXPECT_EQ(run.json["metrics"]["test"]["rows"].get<int>() + 1,
            without.json["metrics"]["test"]["rows"].get<int>());
}

TEST(Classes, ThatCannotBeLearnedAreRefusedByName) {
  const auto refused = [](const std::string& label, const std::string& loss) {
    const OwnJob own(StatesTable(200), JobFor(label, loss));
    const Outcome run = own.Run();
    EXPECT_NE(run.exit, 0);
    return run.err;
  };
  EXPECT_TRUE(
      Has(refused("state", "\"binary_cross_entropy\""),
          "has 3 classes (\"new\", \"old\", \"worn\"), but binary_cross_entropy learns two"));
  EXPECT_TRUE(Has(refused("state", "\"mse\""), "to predict classes, set loss = \"cross_entropy\""));
  EXPECT_TRUE(Has(refused("broken", "\"binary_cross_entropy\"\npositive = \"ye\""),
                  "did you mean \"yes\"?"));
  EXPECT_TRUE(Has(refused("state", "{ name = \"cross_entropy\", class_weights = { odl = 2.0 } }"),
                  "the label has no class \"odl\""));
  const OwnJob alike("id,kind,age,load,state\n1,a,2,3,on\n2,b,3,4,on\n3,a,1,4,on\n4,a,5,4,on\n",
                     JobFor("state", "\"cross_entropy\""));
  const Outcome run = alike.Run();
  EXPECT_TRUE(Has(run.err, "is \"on\" in all training rows")) << run.err;
}

TEST(Classes, WithAListOfProbabilitiesNeedAFormatThatHasLists) {
  const std::string loss = "\"cross_entropy\"\nprobabilities = \"all\"";
  const OwnJob own(StatesTable(300), JobFor("state", loss));
  ASSERT_EQ(own.Run().exit, 0);
  std::vector<std::string> words = {"predict",  "--model",  own.Model(),    "--data",
                                    own.path(), "--output", own / "out.csv"};
  const Outcome refused = own.Protium(words);
  EXPECT_NE(refused.exit, 0);
  EXPECT_TRUE(Has(refused.err, "cannot be written as CSV")) << refused.err;
  words.back() = own / "out.parquet";
  EXPECT_EQ(own.Protium(words).exit, 0);
}

TEST(SeveralLabels, AreLearnedTogether) {
  std::string job = With(kMachinesJob, "SELECT * FROM machines",
                         "SELECT id, kind, age, load, hours, hours / 24 AS days FROM machines");
  job = With(job, "label = \"hours\"", "labels = [\"hours\", \"days\"]");
  const OwnJob own(MachinesTable(600, 10), job);
  const Outcome run = own.Run({"--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(run.err, "rows have no \"hours\" and \"days\"")) << run.err;
  const Outcome scored = own.Protium(
      {"predict", "--model", own.Model(), "--data", own.path(), "--output", own / "out.csv"});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_EQ(ReadColumn(own.Text("out.csv"), "prediction_hours").size(), 600u);
  EXPECT_EQ(ReadColumn(own.Text("out.csv"), "prediction_days").size(), 600u);
}

// Made by the release before classes; its predictions are next to it.
TEST(Version1, ModelsAreReadAndScoreAsTheyDid) {
  const fs::path made = fs::path(PROTIUM_REPOSITORY) / "tests/whole/version1";
  for (const char* model : {"value", "logit"}) {
    const OwnJob own;
    const Outcome scored = own.Protium(
        {"predict", "--model", made / model, "--data", made, "--output", own / "out.csv"});
    ASSERT_EQ(scored.exit, 0) << scored.err;
    const std::string then = ReadText(made / (std::string(model) + ".csv"));
    const std::string now = own.Text("out.csv");
    for (const char* column : {"id", "colour", "size", "weight", "price", "dear"})
      EXPECT_EQ(ReadColumn(now, column), ReadColumn(then, column)) << model << " " << column;
    const auto values = ReadColumn(now, "prediction"), expected = ReadColumn(then, "prediction");
    ASSERT_EQ(values.size(), expected.size());
    // That release also computed in float32, but added products in another order.
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(std::stod(values[i]), std::stod(expected[i]), 1e-5) << model << " row " << i;
  }
}

}  // namespace protium::whole
