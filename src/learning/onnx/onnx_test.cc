// SPDX-License-Identifier: Apache-2.0
// Model folders that cannot be exported, and the structure of graphs.
// tests/whole/export_model_test.cc tests with ONNX Runtime that graphs predict the same as the
// model.
#include "onnx/onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "base/json.h"
#include "format/safetensors.h"
#include "model/model_folder.h"
#include "onnx/onnx.pb.h"
#include "os/file.h"
#include "trees/forest_file.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json Parsed(const std::string& text) { return ParseJson(text).ValueOrDie(); }

// A linear net over one category and one scaled number.
class Onnx : public testing::Test {
 protected:
  void SetUp() override {
    files_.json["pipeline.json"] = Parsed(R"([{"kind": "string_indexer", "id": "index"},
        {"kind": "standard_scaler", "id": "scale"}, {"kind": "torch_estimator", "id": "net"}])");
    files_.json["stages.json"] = Parsed(R"({"stages": [
        {"id": "index", "kind": "string_indexer", "learned": [{"input": "shop", "output": "shop__index",
          "keys": ["north", "south"], "unseen": 2, "missing": 3, "cardinality": 4}]},
        {"id": "scale", "kind": "standard_scaler", "learned": [
          {"input": "x", "output": "x__scale", "mean": 1.5, "deviation": 2}]}]})");
    files_.json["net.json"] = Parsed(R"({"net": {"name": "linear"},
        "categorical": [{"column": "shop__index", "cardinality": 4}], "numeric": ["x__scale"],
        "lists": [], "objective": {"kind": "values", "logarithmic": false,
        "labels": [{"column": "y", "mean": 3, "deviation": 4, "log1p": false}],
        "decision": {"cut": 0, "temperature": 1, "outputs": [], "probabilities": []}}})");
    files_.json["schema.json"] = Parsed(R"({"input": [{"name": "shop", "type": "string"},
        {"name": "x", "type": "int64"}], "output": [{"name": "prediction", "type": "float64"}]})");
  }

  Result<OnnxReport> Export(bool net_only = false) {
    const std::vector<float> table = {1, 2, 3, 4}, weight = {0.5}, bias = {0.25};
    const auto tensor = [](const char* name, std::vector<int64_t> shape,
                           const std::vector<float>& data) {
      return NamedTensor{name, "F32", std::move(shape), std::as_bytes(std::span(data))};
    };
    const std::vector<NamedTensor> tensors = {tensor("bias", {1}, bias),
                                              tensor("category.0.weight", {4, 1}, table),
                                              tensor("weight", {1, 1}, weight)};
    files_.weights = folder_.path() / "weights.safetensors";
    PT_TRY(WriteSafetensors(files_.weights, tensors));
    files_.weights_sha256 = WeightsSha256(tensors);
    PT_TRY(WriteModelFolder(folder_.path() / "model", files_));
    return WriteOnnx({folder_.path() / "model", folder_.path() / "model.onnx", net_only});
  }
  Result<OnnxReport> ExportForest(const Forest& forest) {
    files_.json["net.json"]["net"]["name"] = "trees";
    const ForestTensors tensors(forest);
    files_.weights = folder_.path() / "weights.safetensors";
    PT_TRY(WriteSafetensors(files_.weights, tensors.tensors()));
    files_.weights_sha256 = WeightsSha256(tensors.tensors());
    PT_TRY(WriteModelFolder(folder_.path() / "model", files_));
    return WriteOnnx({folder_.path() / "model", folder_.path() / "model.onnx"});
  }
  std::string Refusal() {
    const auto report = Export();
    return report.ok() ? "" : FaultOf(report.status()).what + ": " + FaultOf(report.status()).why;
  }
  onnx::proto::Model Written() const {
    onnx::proto::Model model;
    EXPECT_TRUE(model.ParseFromString(*ReadFile(folder_.path() / "model.onnx")));
    return model;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  ModelFiles files_;
};

TEST_F(Onnx, HasTheTablesColumnsAsInputs) {
  const OnnxReport report = Export().ValueOrDie();
  ASSERT_EQ(report.inputs.size(), 2u);
  EXPECT_EQ(report.inputs[0].name + " " + report.inputs[0].type, "shop string");
  EXPECT_EQ(report.inputs[1].name + " " + report.inputs[1].type, "x float64");
  ASSERT_EQ(report.outputs.size(), 1u);
  EXPECT_EQ(report.outputs[0].name, "prediction");
  const auto graph = Written().graph();
  ASSERT_EQ(graph.input_size(), 2);
  EXPECT_EQ(graph.input(0).type().tensor_type().shape().dim(0).dim_param(), "rows");
  std::set<std::string> made;
  for (const auto& each : graph.input()) made.insert(each.name());
  for (const auto& each : graph.initializer()) made.insert(each.name());
  for (const auto& node : graph.node()) {
    for (const auto& input : node.input()) EXPECT_TRUE(made.contains(input)) << input;
    for (const auto& output : node.output()) EXPECT_TRUE(made.insert(output).second) << output;
  }
  EXPECT_TRUE(made.contains("prediction"));
}

TEST_F(Onnx, OfTheNetAloneHasItsColumnsAsInputs) {
  const OnnxReport report = Export(true).ValueOrDie();
  ASSERT_EQ(report.inputs.size(), 2u);
  EXPECT_EQ(report.inputs[0].name + " " + report.inputs[0].type, "shop__index int64");
  EXPECT_THAT(report.notes.front(), HasSubstr("the stages are left out"));
}

TEST_F(Onnx, SaysWhatItCannotSay) {
  files_.json["stages.json"]["stages"][1]["kind"] = "tokenizer";
  EXPECT_THAT(Refusal(), HasSubstr("stage \"scale\", a tokenizer, cannot be expressed in ONNX"));
  SetUp();
  files_.json["schema.json"]["input"][0]["type"] = "timestamp";
  EXPECT_THAT(Refusal(), HasSubstr("column \"shop\" cannot be expressed in ONNX: it is of type"));
  SetUp();
  files_.json["net.json"]["net"]["name"] = "torchscript";
  EXPECT_THAT(Refusal(), HasSubstr("the net \"torchscript\" cannot be expressed"));
  SetUp();
  files_.json["net.json"]["objective"]["decision"]["outputs"] = {0.5};
  EXPECT_THAT(Refusal(), HasSubstr("\"isotonic\""));
  SetUp();
  files_.json.erase("net.json");
  EXPECT_THAT(Refusal(), HasSubstr("has no net.json"));
  SetUp();
  files_.json["net.json"].erase("numeric");
  EXPECT_THAT(Refusal(), HasSubstr("do not say what docs/model-folder.md asks for"));
}

// Numbers keep their thresholds; a set of categories is a chain of thresholds on the index.
// A time that a net reads as a number comes as one.
TEST_F(Onnx, TakesTimesAsSeconds) {
  const auto add = [this](const char* parts) {
    SetUp();
    files_.json["pipeline.json"].push_back(
        Parsed(R"({"kind": "datetime_parts", "id": "t", "inputs": ["at"], "parts": [)" +
               std::string(parts) + "]}"));
    Json& stages = files_.json["stages.json"]["stages"];
    stages.insert(stages.begin(),
                  Parsed(R"({"id": "t", "kind": "datetime_parts", "learned": []})"));
    stages[2]["learned"][0]["input"] = "at__t__unix_time";
    files_.json["schema.json"]["input"][1] = {{"name", "at"}, {"type", "timestamp"}};
  };
  add(R"("unix_time")");
  const auto report = Export();
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->inputs.size(), 2u);
  EXPECT_EQ(report->inputs[0].name + " " + report->inputs[0].type, "at float64");
  EXPECT_THAT(report->notes, testing::Contains("dates and times (at) are seconds since 1970"));
  add(R"("unix_time", "hour")");
  EXPECT_THAT(Refusal(), HasSubstr("stage \"t\", a datetime_parts, cannot be expressed in ONNX"));
  add(R"("unix_time")");
  files_.json["schema.json"]["input"][1]["type"] = "string";
  EXPECT_THAT(Refusal(), HasSubstr("the time \"at\" cannot be expressed in ONNX"));
}

TEST_F(Onnx, HasAForestAsOneNode) {
  Forest forest{.columns = {{"x__scale"}, {"shop__index", 4}}, .base = {0.5F}};
  TreeNode root{.column = 0, .left = 1, .threshold = 0.1F, .missing_left = true};
  TreeNode choice{.column = 1, .left = 3, .set = 0};
  forest.trees.push_back({{root, {.value = 1}, choice, {.value = 2}, {.value = 3}}, {0b0101}});
  files_.json["net.json"]["objective"]["kind"] = "relevance";  // A score is a number, too.
  EXPECT_EQ(ExportForest(forest).ValueOrDie().outputs.size(), 1U);
  SetUp();
  const OnnxReport report = ExportForest(forest).ValueOrDie();
  const auto graph = Written().graph();
  const auto node = std::ranges::find(graph.node(), "TreeEnsembleRegressor",
                                      [](const auto& each) { return each.op_type(); });
  ASSERT_NE(node, graph.node().end());
  std::map<std::string, onnx::proto::Attribute> given;
  for (const auto& each : node->attribute()) given[each.name()] = each;
  // 5 nodes; categories 0 | 1 | 2 | 3 go left, right, left, right, which two more make.
  EXPECT_THAT(given["nodes_values"].floats(), ElementsAre(0.1F, 0, 0, 1, 2, 0, 0));
  EXPECT_THAT(given["nodes_missing_value_tracks_true"].ints(), ElementsAre(1, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(given["nodes_truenodeids"].ints(), ElementsAre(1, 0, 3, 4, 3, 0, 0));
  EXPECT_THAT(given["nodes_falsenodeids"].ints(), ElementsAre(2, 0, 5, 6, 4, 0, 0));
  EXPECT_THAT(given["target_weights"].floats(), ElementsAre(1, 2, 3));
  EXPECT_EQ(report.outputs.size(), 1U);
}

// Thirty thousand levels, in a file of 60 kB, would make a graph of a billion nodes.
TEST_F(Onnx, RefusesMoreQuantilesThanAGraphCanSort) {
  Json& objective = files_.json["net.json"]["objective"];
  objective["kind"] = "quantiles";
  objective["levels"] = std::vector<int>(30'000, 0);
  EXPECT_THAT(Refusal(), HasSubstr("30000 quantiles of a label cannot be expressed in ONNX"));
}

}  // namespace
}  // namespace protium
