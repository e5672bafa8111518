// SPDX-License-Identifier: Apache-2.0
// Nets of ONNX files on the executors of a Spark server, whose address is in PROTIUM_TEST_SPARK:
// the runtime comes with the program. Columns and weights are those of the embedded engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "onnx_runtime/net.h"
#include "onnx_runtime/testing/tiny_net.h"
#include "whole/flights.h"
#include "whole/own_job.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;

class SparkOnnx : public testing::Test {
 protected:
  void SetUp() override {
    const char* const address = std::getenv("PROTIUM_TEST_SPARK");
    if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
    if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
    address_ = address;
    own_.Write("net.onnx", testing_onnx::Product());
  }

  Outcome Predict(const std::string& engine) const {
    return own_.Protium({"predict", "--engine", engine, "--model", own_ / "net.onnx", "--inputs",
                         "age,id", "--input", own_ / "machines.csv", "--output", "-", "--format",
                         "jsonl"});
  }
  Outcome Query(const std::string& engine) const {
    const std::string query = fmt::format(
        "SELECT id, element_at(y, 1) AS more FROM score('{}', (SELECT id, array(age, id) AS x FROM "
        "machines)) ORDER BY id",
        (own_ / "net.onnx").string());
    return own_.Protium({"sql", query, "--json", "--engine", engine, "--data", own_.path()});
  }

  const OwnJob own_{MachinesTable(60)};
  std::string address_;
};

std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

TEST_F(SparkOnnx, FilesScoreATable) {
  const Outcome here = Predict("local"), there = Predict(address_);
  ASSERT_EQ(here.exit, 0) << here.err;
  ASSERT_EQ(there.exit, 0) << there.err;
  EXPECT_EQ(SortedLines(here.out).size(), 60u);
  EXPECT_EQ(SortedLines(there.out), SortedLines(here.out));
}

TEST_F(SparkOnnx, FilesScoreInSql) {
  const Outcome here = Query("local"), there = Query(address_);
  ASSERT_EQ(there.exit, 0) << there.err;
  EXPECT_EQ(there.json, here.json);
  EXPECT_FALSE(here.json["rows"].empty()) << here.err;
}

constexpr const char* kEstimator =
    "[[pipeline]]\nkind = \"torch_estimator\"\ncategorical = [{ stage = \"index\" }]\n"
    "numeric = [{ stage = \"scale\" }]";
constexpr const char* kOnFeatures = R"([[pipeline]]
kind = "net_features"
id = "net"
inputs = ["age", "id"]
model = "net.onnx"
values = ["y"]
[[pipeline]]
kind = "vector_columns"
id = "parts"
inputs = ["net__y"]
[[pipeline]]
kind = "torch_estimator"
categorical = [{ stage = "index" }]
numeric = [{ stage = "parts" }])";

TEST_F(SparkOnnx, FeaturesTrainTheVeryModelOfTheEmbeddedEngine) {
  own_.Write("job.toml", With(kMachinesJob, kEstimator, kOnFeatures));
  ASSERT_EQ(own_.Run().exit, 0);
  const std::string weights = ReadWeightsHash(own_.Model(), own_.path());
  EXPECT_EQ(weights.size(), 64u);
  const Outcome there = own_.Run({"--set", "engine=" + address_});
  ASSERT_EQ(there.exit, 0) << there.err;
  EXPECT_EQ(ReadWeightsHash(own_.Model(), own_.path()), weights);
}

TEST_F(SparkOnnx, FilesThatAreNotThereAreRefusedByTheDriver) {
  std::filesystem::remove(own_ / "net.onnx");
  const Outcome there = Predict(address_);
  EXPECT_NE(there.exit, 0);
  EXPECT_THAT(there.err, HasSubstr("net.onnx"));
}

}  // namespace
}  // namespace protium::whole
