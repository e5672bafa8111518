// SPDX-License-Identifier: Apache-2.0
// Exported models: compares what ONNX Runtime predicts from them on 10,500 rows with `protium
// predict`. Without that package (bench/peers/setup.sh) only files and messages are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;

constexpr int kRows = 10500;

std::string WithLabel(const std::string& column, const std::string& sql,
                      const std::string& estimator) {
  std::string job = With(kMachinesJob, "SELECT *", "SELECT id, kind, age, load, " + sql);
  return With(job, "label = \"hours\"", "label = \"" + column + "\"\n" + estimator);
}

const std::map<std::string, std::string>& Jobs() {
  static const std::map<std::string, std::string> kJobs = {
      {"values", WithLabel("hours", "hours", "net = { name = \"tabular_mlp\", hidden = [16] }")},
      {"log1p",
       WithLabel("hours", "hours", "net = { name = \"linear\" }\nlabel_scale = \"log1p\"")},
      {"quantiles",
       WithLabel("hours", "hours", "loss = { name = \"quantile\", levels = [0.1, 0.5, 0.9] }")},
      {"members",
       WithLabel("hours", "hours", "net = { name = \"tabm\", members = 4, hidden = [16, 8] }")},
      {"pairs",
       WithLabel("hours", "hours", "net = { name = \"factorization_machine\", factors = 4 }")},
      {"pairs of classes",
       WithLabel(
           "grade",
           "CASE WHEN hours < 400 THEN 'low' WHEN hours < 700 THEN 'mid' ELSE 'high' END AS grade",
           "net = { name = \"factorization_machine\", factors = 4 }\n"
           "loss = { name = \"cross_entropy\" }\nprobabilities = \"shares\"")},
      {"products", WithLabel("hours", "hours",
                             "net = { name = \"dlrm\", bottom = [8], top = [8], embedding = 4 }")},
      {"two classes",
       WithLabel("good", "hours > 500 AS good",
                 "net = { name = \"tabular_mlp\", hidden = [16], batch_norm = true }\n"
                 "loss = { name = \"binary_cross_entropy\" }\nthreshold = 0.4\n"
                 "calibration = \"temperature\"")},
      {"classes",
       WithLabel(
           "grade",
           "CASE WHEN hours < 400 THEN 'low' WHEN hours < 700 THEN 'mid' ELSE 'high' END AS grade",
           "net = { name = \"linear\" }\nloss = { name = \"cross_entropy\" }\n"
           "probabilities = \"shares\"")}};
  return kJobs;
}

class Exported : public testing::TestWithParam<std::string> {};

TEST_P(Exported, PredictsAsTheModelDoes) {
  const std::string python = (Repository() / ".deps/peers/bin/python3").string();
  if (!std::filesystem::exists(python)) {
    GTEST_SKIP() << "no ONNX Runtime: bench/peers/setup.sh sets it up";
  }
  const OwnJob own(MachinesTable(kRows), Jobs().at(GetParam()));
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const Outcome written =
      own.Protium({"export", own.Model(), "--to", "onnx", "--output", (own / "m.onnx").string()});
  ASSERT_EQ(written.exit, 0) << written.err;
  EXPECT_EQ(written.out, (own / "m.onnx").string() + "\n");
  const Outcome scored =
      own.Protium({"predict", "--model", own.Model(), "--input", (own / "machines.csv").string(),
                   "--output", (own / "scored.parquet").string()});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  Running check({python, (Repository() / "tests/whole/onnx_check.py").string(),
                 (own / "m.onnx").string(), (own / "scored.parquet").string()},
                own.path());
  const Outcome checked = check.Wait(std::chrono::seconds(300));
  EXPECT_EQ(checked.exit, 0) << checked.err;
  EXPECT_EQ(checked.out, std::to_string(kRows) + "\n");
}

INSTANTIATE_TEST_SUITE_P(Of, Exported,
                         testing::Values("values", "log1p", "quantiles", "members", "pairs",
                                         "pairs of classes", "products", "two classes", "classes"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

// The output of a script of this folder, run by the Python that has PyTorch and ONNX Runtime.
Outcome Checked(const OwnJob& own, const std::string& script, std::vector<std::string> words) {
  const std::string python = (Repository() / ".deps/peers/bin/python3").string();
  words.insert(words.begin(), {python, (Repository() / "tests/whole" / script).string()});
  Running check(std::move(words), own.path());
  return check.Wait(std::chrono::seconds(300));
}

Outcome Scored(const OwnJob& own) {
  return own.Protium({"predict", "--model", own.Model(), "--input", (own / "machines.csv").string(),
                      "--output", (own / "scored.parquet").string()});
}

TEST(Export, GivesPyTorchTheNet) {
  if (!std::filesystem::exists(Repository() / ".deps/peers/bin/python3")) {
    GTEST_SKIP() << "no PyTorch for Python: bench/peers/setup.sh sets it up";
  }
  std::string job = With(kMachinesJob, "categorical = [{ stage = \"index\" }]\n", "");
  job = With(job, "numeric = [{ stage = \"scale\" }]", "numeric = [\"age\"]");
  const OwnJob own(MachinesTable(600), job);
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string file = (own / "net.pt").string();
  const Outcome written =
      own.Protium({"export", own.Model(), "--to", "torchscript", "--output", file});
  ASSERT_EQ(written.exit, 0) << written.err;
  EXPECT_THAT(written.err, HasSubstr("left out: the stages"));
  EXPECT_THAT(written.err, HasSubstr("note: numeric: float32 [rows, 1] of age"));
  ASSERT_EQ(Scored(own).exit, 0);
  // A net that was a TorchScript file is exported with the weights that it learned.
  const std::string again =
      With(job, "label = \"hours\"",
           "label = \"hours\"\nnet = { name = \"torchscript\", file = \"" + file + "\" }");
  const OwnJob learned(MachinesTable(600), again);
  ASSERT_EQ(learned.Run().exit, 0);
  const std::string other = (learned / "net.pt").string();
  ASSERT_EQ(
      learned.Protium({"export", learned.Model(), "--to", "torchscript", "--output", other}).exit,
      0);
  ASSERT_EQ(Scored(learned).exit, 0);
  const Outcome checked = Checked(
      own, "script_check.py",
      {file, (own / "scored.parquet").string(), other, (learned / "scored.parquet").string()});
  EXPECT_EQ(checked.exit, 0) << checked.err;
  EXPECT_EQ(checked.out, "600\n600\n");
}

TEST(Export, GivesMlflowAFolder) {
  if (!std::filesystem::exists(Repository() / ".deps/peers/bin/python3")) {
    GTEST_SKIP() << "no ONNX Runtime: bench/peers/setup.sh sets it up";
  }
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  const std::string folder = (own / "m.mlflow").string();
  const std::vector<std::string> words = {"export", own.Model(), "--to",
                                          "mlflow", "--output",  folder};
  const Outcome written = own.Protium(words);
  ASSERT_EQ(written.exit, 0) << written.err;
  EXPECT_EQ(written.out, folder + "\n");
  ASSERT_EQ(Scored(own).exit, 0);
  const Outcome checked =
      Checked(own, "mlflow_check.py", {folder, (own / "scored.parquet").string()});
  EXPECT_EQ(checked.exit, 0) << checked.err;
  EXPECT_EQ(checked.out, "600\n");
  // Its own folder is replaced if that is asked for; a folder with anything else never.
  EXPECT_EQ(own.Protium(words).exit, 2);
  std::vector<std::string> forced = words;
  forced.emplace_back("--force");
  EXPECT_EQ(own.Protium(forced).exit, 0);
  own.Write("m.mlflow/notes.txt", "of a person's own");
  const Outcome refused = own.Protium(forced);
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("holds something other"));
  EXPECT_EQ(own.Text("m.mlflow/notes.txt"), "of a person's own");
}

TEST(Export, SaysWhatItLeavesOutAndWritesOverNothing) {
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  const auto to = [&](const std::string& format, const std::string& file,
                      std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"export", own.Model(), "--to",
                                      format,   "--output",  (own / file).string()};
    words.insert(words.end(), more.begin(), more.end());
    return own.Protium(std::move(words));
  };
  const Outcome weights = to("safetensors", "new/m.safetensors");
  EXPECT_EQ(weights.out, (own / "new/m.safetensors").string() + "\n") << weights.err;
  EXPECT_THAT(weights.err, HasSubstr("left out: everything but the weights"));
  const Outcome again = to("safetensors", "new/m.safetensors");
  EXPECT_EQ(again.exit, 2);
  EXPECT_THAT(again.err, HasSubstr("m.safetensors already exists"));
  // A folder is never removed, even with --force.
  own.Write("kept/file", "of a person's own");
  const Outcome folder = to("onnx", "kept", {"--force"});
  EXPECT_EQ(folder.exit, 2);
  EXPECT_THAT(folder.err, HasSubstr("kept is a folder"));
  EXPECT_EQ(own.Text("kept/file"), "of a person's own");
  const Outcome net = to("onnx-net", "net.onnx");
  EXPECT_EQ(net.exit, 0) << net.err;
  EXPECT_THAT(net.err, HasSubstr("the stages are left out"));
}

}  // namespace
}  // namespace protium::whole
