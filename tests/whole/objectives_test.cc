// SPDX-License-Identifier: Apache-2.0
// What a job learns and how it is judged: logarithms, quantiles, yes-or-no labels, thresholds and
// calibration.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "whole/own_job.h"

namespace protium::whole {

namespace {

Outcome RunWith(const OwnJob& own, int workers) {
  return own.Run({"--json", "--set", "gang.workers=" + std::to_string(workers)});
}

std::string Weights(const OwnJob& own, const Outcome& run) {
  return ReadWeightsHash(run.json["model"].get<std::string>(), own.path());
}

Json Learned(const OwnJob& own, const Outcome& run) {
  const std::string model = run.json["model"].get<std::string>();
  return (*ParseJson(own.Text(model + "/stages.json")))["objective"];
}

// Scores the job's own table with the model of the last run and returns the cells of the CSV by row
// and column name.
std::vector<std::map<std::string, std::string>> Predicted(const OwnJob& own) {
  const Outcome scored = own.Protium(
      {"predict", "--model", own.Model(), "--data", own.path(), "--output", own / "out.csv"});
  EXPECT_EQ(scored.exit, 0) << scored.err;
  std::istringstream lines(own.Text("out.csv"));
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::map<std::string, std::string> row;
    size_t at = 0;
    for (std::string cell; std::getline(cells, cell, ','); ++at) {
      if (rows.empty() && names.size() == at) names.push_back(cell.substr(1, cell.size() - 2));
      row[names[at]] = cell;
    }
    rows.push_back(row);
  }
  rows.erase(rows.begin());
  return rows;
}

// Both numbers of workers get the same weights, metrics, and fitted values. Returns the second run.
Outcome RunWithOneAndTwo(const OwnJob& own) {
  const Outcome one = RunWith(own, 1), two = RunWith(own, 2);
  EXPECT_EQ(one.exit, 0) << one.err;
  EXPECT_EQ(two.exit, 0) << two.err;
  if (one.exit != 0 || two.exit != 0) return two;
  EXPECT_EQ(Weights(own, one), Weights(own, two));
  EXPECT_EQ(one.json["metrics"], two.json["metrics"]);
  EXPECT_EQ(Learned(own, one), Learned(own, two));
  return two;
}

// Whether a machine breaks and whether it is loud, which depends on its age and load with a little
// noise; breaking is the rarer.
std::string FlagsTable(int rows) {
  std::string text = "id,kind,age,load,broken,loud,state\n";
  for (int i = 0; i < rows; ++i) {
    const int age = i * 7 % 23, noise = i * 31 % 7;
    const double load = (i * 37 % 101) / 10.0;
    text += fmt::format("{},{},{},{},{},{},{}\n", i, i % 2 ? "press" : "mill", age, load,
                        age + load + noise > 26, load + noise > 8, i % 40);
  }
  return text;
}

// `estimator` has lines of the estimator's table, `train` of the training table.
std::string FlagsJob(const std::string& estimator, const std::string& train = "") {
  const std::string job = With(kMachinesJob, "label = \"hours\"", estimator);
  return With(job, "epochs = 2", "epochs = 12\n" + train);
}

std::string TwoClassesJob(const std::string& more, const std::string& train = "") {
  return FlagsJob("label = \"broken\"\nloss = \"binary_cross_entropy\"\n" + more, train);
}

}  // namespace

TEST(Objectives, LogarithmsComeBackOnTheLabelsOwnScale) {
  const std::string job = With(kMachinesJob, "label =", "label_scale = \"log1p\"\nlabel =");
  const OwnJob own(MachinesTable(600), With(job, "epochs = 2",
                                            "epochs = 8\nmetrics = "
                                            "[\"rmspe\", \"mae\"]"));
  const Outcome run = RunWithOneAndTwo(own);
  ASSERT_EQ(run.exit, 0);
  EXPECT_EQ(Learned(own, run)["labels"][0]["log1p"], true);
  double off = 0;
  int known = 0;
  for (const auto& row : Predicted(own)) {
    off += std::abs(std::stod(row.at("prediction")) - std::stod(row.at("hours")));
    ++known;
  }
  EXPECT_EQ(known, 600);
  EXPECT_LT(off / known, 60);
}

TEST(Objectives, LabelsWithoutALogarithmAreCountedAndRefused) {
  const std::string job = With(kMachinesJob, "label =", "label_scale = \"log1p\"\nlabel =");
  std::string table = MachinesTable(600);
  for (int i = 600; i < 660; ++i) table += fmt::format("{},press,3,2.5,{}\n", i, -1 - i);
  const Outcome run = OwnJob(table, job).Run();
  EXPECT_EQ(run.exit, 3) << run.err;
  EXPECT_TRUE(Has(run.err, "label \"hours\" is -1 or less in ")) << run.err;
  EXPECT_TRUE(Has(run.err, "down to -6")) << run.err;
}

TEST(Objectives, QuantilesNeverCrossAndCoverTheirShare) {
  const std::string loss = "loss = { name = \"quantile\", levels = [0.1, 0.5, 0.9] }\nlabel =";
  const OwnJob own(MachinesTable(900),
                   With(With(kMachinesJob, "label =", loss), "epochs = 2", "epochs = 10"));
  const Json result = RunWithOneAndTwo(own).json["metrics"];
  EXPECT_LT(result["test"]["pinball"], result["baseline"]["pinball"]) << Dump(result);
  for (const auto& row : Predicted(own)) {
    const double low = std::stod(row.at("prediction_q10")),
                 mid = std::stod(row.at("prediction_q50"));
    EXPECT_LE(low, mid);
    EXPECT_LE(mid, std::stod(row.at("prediction_q90")));
  }
}

// The net's outputs are logarithms of rates; predictions and metrics are rates.
TEST(Objectives, CountsArePredictedAsRates) {
  const std::string job =
      With(With(kMachinesJob, "SELECT *", "SELECT *, age % 5 + id % 2 AS visits"),
           "label = \"hours\"", "label = \"visits\"\nloss = \"poisson\"");
  const OwnJob own(MachinesTable(600), With(job, "epochs = 2",
                                            "epochs = 40\noptimizer = { name = \"adam\", "
                                            "learning_rate = 0.01 }"));
  const Outcome run = RunWithOneAndTwo(own);
  ASSERT_EQ(run.exit, 0);
  EXPECT_LT(run.json["metrics"]["test"]["rmse"], run.json["metrics"]["baseline"]["rmse"]);
  double sum = 0, counts = 0;
  for (const auto& row : Predicted(own)) {
    EXPECT_GT(std::stod(row.at("prediction")), 0);
    sum += std::stod(row.at("prediction"));
    counts += std::stod(row.at("visits"));
  }
  EXPECT_NEAR(sum / counts, 1, 0.2);
}

TEST(Objectives, FlagsAreLearnedTogetherWithAPairOfColumnsEach) {
  const OwnJob own(FlagsTable(900), FlagsJob("labels = [\"broken\", \"loud\"]\n"
                                             "loss = \"binary_cross_entropy\""));
  const Json metrics = RunWithOneAndTwo(own).json["metrics"];
  EXPECT_GT(metrics["test"]["auc"].get<double>(), 0.85) << Dump(metrics);
  EXPECT_EQ(metrics["baseline"]["auc"], 0.5);
  for (const auto& row : Predicted(own)) {
    for (const std::string label : {"broken", "loud"}) {
      const double probability = std::stod(row.at("probability_" + label));
      EXPECT_EQ(row.at("prediction_" + label), probability > 0.5 ? "true" : "false");
    }
  }
}

TEST(Objectives, AThresholdChosenByAMetricIsKeptAndPredictedWith) {
  const OwnJob own(FlagsTable(900), TwoClassesJob("threshold = \"f1\""));
  const Outcome run = RunWithOneAndTwo(own);
  ASSERT_EQ(run.exit, 0);
  const double cut = Learned(own, run)["decision"]["cut"].get<double>();
  EXPECT_NE(cut, 0);
  const double threshold = 1 / (1 + std::exp(-cut));
  for (const auto& row : Predicted(own)) {
    const double probability = std::stod(row.at("probability"));
    EXPECT_EQ(row.at("prediction"), probability > threshold ? "true" : "false") << probability;
  }
}

TEST(Objectives, AThresholdMayBeANumber) {
  // The first one chooses the epoch, and does not depend on the threshold.
  const std::string metrics = "metrics = [\"log_loss\", \"recall\"]";
  const OwnJob own(FlagsTable(600), TwoClassesJob("threshold = 0.9", metrics));
  const OwnJob half(FlagsTable(600), TwoClassesJob("", metrics));
  const Outcome high = own.Run({"--json"}), usual = half.Run({"--json"});
  ASSERT_EQ(high.exit, 0) << high.err;
  EXPECT_EQ(Weights(own, high), Weights(half, usual));
  EXPECT_LT(high.json["metrics"]["test"]["recall"], usual.json["metrics"]["test"]["recall"]);
}

TEST(Objectives, ProbabilitiesAreCalibratedOnTheValidationRows) {
  for (const std::string by : {"temperature", "isotonic"}) {
    const OwnJob own(FlagsTable(900), TwoClassesJob("calibration = \"" + by + "\""));
    const Outcome run = RunWithOneAndTwo(own);
    ASSERT_EQ(run.exit, 0);
    const Json decision = Learned(own, run)["decision"];
    EXPECT_EQ(decision["outputs"].empty(), by == "temperature") << Dump(decision);
    EXPECT_EQ(decision["temperature"] == 1, by == "isotonic") << Dump(decision);
    EXPECT_EQ(Predicted(own).size(), 900u);
  }
}

TEST(Objectives, WithoutValidationRowsNothingIsFittedToThem) {
  const std::string job = TwoClassesJob("calibration = \"temperature\"");
  const OwnJob own(FlagsTable(100), With(job, "share = 0.1", "share = 0.0"));
  const Outcome run = own.Run();
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_TRUE(Has(run.err, "calibration is fitted on validation rows")) << run.err;
}

// One class has one row, which may be held out; that must not break metrics or reports.
TEST(Objectives, AClassOfOneRowIsLearnedLikeAnyOther) {
  std::string table = FlagsTable(400);
  table += "400,press,3,2.5,false,false,77\n";
  const OwnJob own(table, FlagsJob("label = \"state\"\nloss = { name = \"cross_entropy\", "
                                   "class_weights = \"balanced\" }",
                                   "metrics = [\"log_loss\", \"f1\", \"top_5\"]"));
  EXPECT_EQ(RunWithOneAndTwo(own).exit, 0);
}

TEST(Objectives, TenThousandClassesAreLearned) {
  std::string table = "id,kind,age,load,state\n";
  for (int i = 0; i < 12'000; ++i) {
    table += fmt::format("{},press,{},{},c{}\n", i, i % 100, i / 100 % 100, i % 10'000);
  }
  std::string job = FlagsJob(
      "label = \"state\"\nloss = \"cross_entropy\"\n"
      "calibration = \"temperature\"\n"
      "net = { name = \"tabular_mlp\", hidden = [4] }",
      "metrics = [\"log_loss\", \"f1\", \"top_10\"]");
  job = With(job, "epochs = 12", "epochs = 1");
  job = With(job, "[split]\nby = [\"id\"]\n", "");
  const OwnJob own(table, With(job, "share = 0.1", "share = 0.02"));
  const Outcome run = own.Run({"--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_GT(run.json["metrics"]["validation"]["log_loss"].get<double>(), 5);
}

}  // namespace protium::whole
