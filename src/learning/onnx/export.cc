// SPDX-License-Identifier: Apache-2.0
// Exports a model folder as a graph; the library's entry point.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <utility>

#include "base/fault.h"
#include "model/model_folder.h"
#include "onnx/cells.h"
#include "onnx/columns_feed.h"
#include "onnx/forest.h"
#include "onnx/onnx.h"
#include "onnx/predictions.h"
#include "onnx/stages.h"
#include "onnx_graph/graph.h"
#include "os/file.h"

namespace protium::onnx {
namespace {

// protobuf writes at most 2 GiB.
constexpr uint64_t kMostWeights = uint64_t{2000} << 20;

struct Model {
  ModelFiles files;
  const Json& json(const char* name) const { return files.json.at(name); }
};

Result<Model> ReadModel(const std::filesystem::path& folder) {
  Model model;
  PT_LET(model.files, ReadModelFolder(folder));
  const std::string where = folder.string();
  if (model.files.version != kModelVersion) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the model is of version {}", model.files.version),
                 .where = where,
                 .fix = "train it again; versions before 3 are scored, but not exported"});
  }
  for (const char* name : {"pipeline.json", "stages.json", "net.json", "schema.json"}) {
    if (model.files.json.contains(name)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "the model has no " + std::string(name),
                 .where = where,
                 .why = "only a pipeline with an estimator can be exported"});
  }
  std::error_code ignored;
  if (std::filesystem::file_size(model.files.weights, ignored) > kMostWeights) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the model's weights take more than 2 GiB",
                 .where = where,
                 .why = "an ONNX file holds no more"});
  }
  return model;
}

// The columns that are inputs of the graph: those of the table, or with `net_only` those of the
// net.
std::map<std::string, std::string> ColumnsOf(const Model& model, bool net_only) {
  std::map<std::string, std::string> columns;
  if (!net_only) {
    for (const Json& each : model.json("schema.json").at("input")) {
      columns[each.at("name")] = each.at("type");
    }
    return columns;
  }
  for (const Json& each : model.json("net.json").at("categorical")) {
    columns[each.at("column")] = "int64";
  }
  for (const Json& each : model.json("net.json").at("numeric")) columns[each] = "float64";
  for (const Json& each : model.json("net.json").at("lists")) {
    columns[each.at("column")] = "list<float32>";
  }
  return columns;
}

// The columns that are looked up by their text, or with `net_only` those of indices.
std::set<std::string> CategoriesOf(const Model& model, bool net_only) {
  std::set<std::string> categories;
  for (const Json& stage : model.json("stages.json").at("stages")) {
    if (!net_only) categories.merge(onnx::CategoriesOf(stage));
  }
  for (const Json& each : model.json("net.json").at("categorical")) {
    categories.insert(each.at("column").get<std::string>());
  }
  return categories;
}

Status AddStages(const Model& model, Cells& cells, Graph& graph) {
  std::map<std::string, Json> options;
  for (const Json& each : model.json("pipeline.json")) options[each.at("id")] = each;
  for (const Json& stage : model.json("stages.json").at("stages")) {
    PT_TRY(AddStage(stage, options[stage.at("id")], cells, graph));
  }
  return Status::OK();
}

std::vector<std::string> NotesOn(const Cells& cells, bool net_only) {
  std::vector<std::string> notes;
  if (net_only) {
    notes.push_back("the stages are left out: the inputs are the columns that they make");
  }
  bool texts = false, numbers = false;
  for (const OnnxColumn& each : cells.inputs()) {
    texts = texts || each.type == "string";
    numbers = numbers || each.type == "float64";
  }
  if (numbers && !net_only) notes.push_back("NaN stands for a number that is missing");
  if (texts) notes.push_back("\"\" stands for a text that is missing");
  if (!cells.times().empty()) {
    notes.push_back(
        fmt::format("dates and times ({}) are seconds since 1970", fmt::join(cells.times(), ", ")));
  }
  if (!cells.without_null().empty() && !net_only) {
    notes.push_back(
        fmt::format("no value of {} can be missing", fmt::join(cells.without_null(), ", ")));
  }
  return notes;
}

Result<Value> AddNetOf(const Json& json, const Safetensors& weights, WeightPrecision precision,
                       Cells& cells, Graph& graph) {
  PT_LET(GraphedNet net, NetOf(json));
  net.precision = precision;
  ColumnsFeed feed(json, cells, graph);
  return AddNet(net, weights, feed, graph);
}

Result<OnnxReport> Write(const OnnxOptions& options) {
  PT_LET(const Model model, ReadModel(options.model));
  PT_LET(const Safetensors weights, Safetensors::Read(model.files.weights));
  Graph graph;
  Cells cells(graph, ColumnsOf(model, options.net_only), CategoriesOf(model, options.net_only));
  if (!options.net_only) PT_TRY(AddStages(model, cells, graph));
  const Json& json = model.json("net.json");
  PT_LET(const Value net, IsForest(json)
                              ? AddForest(json, weights, cells, graph)
                              : AddNetOf(json, weights, options.precision, cells, graph));
  OnnxReport report;
  PT_LET(report.outputs,
         AddPredictions(json.at("objective"), model.json("schema.json").at("output"), net, graph));
  report.inputs = cells.inputs();
  report.notes = NotesOn(cells, options.net_only);
  graph.AddProperty("weights_sha256", model.files.weights_sha256);
  PT_LET(const std::string bytes, graph.Bytes());
  report.bytes = int64_t(bytes.size());
  PT_TRY(WriteFile(options.file, bytes));
  return report;
}

// Files that match their hashes may still have been edited.
Result<OnnxReport> WriteChecked(const OnnxOptions& options) {
  try {
    return Write(options);
  } catch (const nlohmann::json::exception& error) {
    return Fail({.exit = Exit::kInput,
                 .what = "the model's files do not say what docs/model-folder.md asks for",
                 .where = options.model.string(),
                 .why = error.what()});
  }
}

}  // namespace
}  // namespace protium::onnx

extern "C" __attribute__((visibility("default"))) bool protium_write_onnx(
    int32_t version, const protium::OnnxOptions& options,
    protium::Result<protium::OnnxReport>& report) {
  if (version != protium::kOnnxLibraryVersion) return false;
  report = protium::onnx::WriteChecked(options);
  return true;
}
