// SPDX-License-Identifier: Apache-2.0
// ONNX files as models at the command line: by predict, in SQL, and as a stage of a job whose saved
// model needs the file no more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx_runtime/net.h"
#include "onnx_runtime/testing/tiny_net.h"
#include "whole/own_job.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// y of Product() for the columns "age" and "id" of the machines.
std::string Line(int age, int id) {
  const auto relu = [](int value) { return value > 0 ? value : 0; };
  return fmt::format("\"y\": [{}.0, {}.0]", relu(age + 2 * id), relu(3 * id - age));
}

class Onnx : public testing::Test {
 protected:
  void SetUp() override {
    const auto numerics = NumericsOfOnnx();
    if (!numerics.ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
    job.Write("net.onnx", testing_onnx::Product());
  }
  std::string At(const std::string& name) const { return (job / name).string(); }
  // Into scored.jsonl.
  Outcome Predict(const std::string& model, const std::string& inputs = {}) const {
    fs::remove(job / "scored.jsonl");
    std::vector<std::string> words = {"predict",          "--model",  At(model),         "--input",
                                      At("machines.csv"), "--output", At("scored.jsonl")};
    if (!inputs.empty()) words.insert(words.end(), {"--inputs", inputs});
    return job.Protium(words);
  }

  const OwnJob job{MachinesTable(60)};
};

TEST_F(Onnx, FilesPredict) {
  const Outcome scored = Predict("net.onnx", "age,id");
  ASSERT_EQ(scored.exit, 0) << scored.err;
  const std::string text = job.Text("scored.jsonl");
  for (int i = 0; i < 60; ++i) EXPECT_THAT(text, HasSubstr(Line(i * 7 % 23, i)));
}

TEST_F(Onnx, FilesPredictInSql) {
  const Outcome scored = job.Protium(
      {"sql",
       fmt::format(
           "SELECT id, element_at(y, 1) AS more FROM score('{}', (SELECT id, array(age, id) "
           "AS x FROM machines)) WHERE id = 7",
           At("net.onnx")),
       "--data", job.path().string()});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_THAT(scored.out, HasSubstr(fmt::format("{}", 7 * 7 % 23 + 2 * 7)));
}

TEST_F(Onnx, FilesScoreStreamsAndTakeTheirPlaceWhileTheyRun) {
  job.Write("in/a.csv", "id,age\n1,2\n2,50\n");
  job.Write("live.toml", fmt::format(R"(name = "live"
[stream]
source = {{ folder = "in", pattern = "*.csv" }}
sink = {{ folder = "out", format = "jsonl" }}
model = "{}"
[etl]
sql = "SELECT id, array(age, id) AS x FROM events"
)",
                                     At("net.onnx")));
  const auto stream = [&](const std::vector<std::string>& verb) {
    std::vector<std::string> words = verb;
    words.insert(words.end(), {At("live.toml"), "--streams-dir", At("streams")});
    return job.Protium(words);
  };
  const auto scored = [&] {
    std::string text;
    for (const auto& each : fs::directory_iterator(job / "out")) text += ReadText(each.path());
    return text;
  };
  const Outcome once = stream({"stream", "--once"});
  ASSERT_EQ(once.exit, 0) << once.err;
  EXPECT_THAT(scored(), HasSubstr(Line(2, 1)));
  EXPECT_THAT(scored(), HasSubstr(Line(50, 2)));
  job.Write("net.onnx", testing_onnx::Product("Neg"));
  job.Write("in/b.csv", "id,age\n3,4\n");
  const Outcome again = stream({"stream", "--once"});
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_THAT(scored(), HasSubstr("[-10.0, -5.0]"));
}

TEST_F(Onnx, FilesAreRefusedBeforeARowIsRead) {
  const auto refused = [&](const Outcome& outcome) {
    EXPECT_NE(outcome.exit, 0);
    EXPECT_FALSE(fs::exists(job / "scored.jsonl"));
    return outcome.err;
  };
  EXPECT_THAT(refused(Predict("net.onnx")), HasSubstr("\"x\""));
  EXPECT_THAT(refused(Predict("net.onnx", "age")), HasSubstr("takes"));
  EXPECT_THAT(refused(Predict("net.onnx", "age,nothing")), HasSubstr("nothing"));
  job.Write("odd.onnx", testing_onnx::Product("Unheard"));
  EXPECT_THAT(refused(Predict("odd.onnx", "age,id")), HasSubstr("Unheard"));
  job.Write("text.onnx", "not a net");
  EXPECT_THAT(refused(Predict("text.onnx", "age,id")), HasSubstr("text.onnx"));
}

constexpr const char* kFeatures = R"([[pipeline]]
kind = "net_features"
id = "net"
inputs = ["age", "id"]
model = "net.onnx"
values = ["sum", "y"]
[[pipeline]]
kind = "vector_columns"
id = "parts"
inputs = ["net__sum"]
[[pipeline]]
kind = "torch_estimator"
categorical = [{ stage = "index" }]
numeric = [{ stage = "parts" }])";

std::string FeaturesJob() {
  return With(kMachinesJob,
              "[[pipeline]]\nkind = \"torch_estimator\"\ncategorical = [{ stage = \"index\" }]\n"
              "numeric = [{ stage = \"scale\" }]",
              kFeatures);
}

TEST_F(Onnx, FeaturesTrainAModelThatCarriesTheNet) {
  job.Write("job.toml", FeaturesJob());
  const Outcome run = job.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string model = job.Model();
  const Outcome first = Predict(fs::path(model).lexically_relative(job.path()));
  ASSERT_EQ(first.exit, 0) << first.err;
  const std::string scored = job.Text("scored.jsonl");
  EXPECT_THAT(scored, HasSubstr("\"prediction\""));
  // Elsewhere, without the job's folder.
  fs::rename(model, job / "kept");
  fs::remove(job / "net.onnx");
  const Outcome again = Predict("kept");
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(job.Text("scored.jsonl"), scored);
}

TEST_F(Onnx, ModelsWithAnotherNetAreRefused) {
  job.Write("job.toml", FeaturesJob());
  ASSERT_EQ(job.Run().exit, 0);
  const fs::path model = job.Model();
  std::string copy;
  for (const auto& each : fs::recursive_directory_iterator(model)) {
    if (each.path().extension() == ".onnx") copy = each.path().lexically_relative(job.path());
  }
  ASSERT_FALSE(copy.empty());
  job.Write(copy, testing_onnx::Product("Sigmoid"));
  const Outcome refused = Predict(model.lexically_relative(job.path()));
  EXPECT_EQ(refused.exit, 3) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("is damaged"));
}

}  // namespace
}  // namespace protium::whole
