// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph/net.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/fault.h"
#include "onnx_graph/net_writer.h"

namespace protium::onnx {
namespace {

using AddNamed = Result<Value> (*)(NetWriter& writer);

// Those that LibTorch trains.
const std::map<std::string, AddNamed>& Modules() {
  static const std::map<std::string, AddNamed> kModules = {{"cnn", AddCnn},
                                                           {"ft_transformer", AddFtTransformer},
                                                           {"text_classifier", AddTextClassifier}};
  return kModules;
}

// Numbers of strangers' files that products are made of.
constexpr int64_t kMostLength = int64_t{1} << 24, kMostCategories = int64_t{1} << 31;
constexpr double kMostWork = 1e15;

Status CheckSizes(const GraphedNet& net) {
  for (const VectorColumn& each : net.lists) {
    if (each.length >= 1 && each.length <= kMostLength) continue;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("lists of {} numbers in \"{}\" cannot be expressed in ONNX",
                                     each.length, each.column),
                 .why = fmt::format("they have from 1 to {} numbers", kMostLength)});
  }
  for (const int64_t each : net.shape.cardinalities) {
    if (each >= 1 && each <= kMostCategories) continue;
    return Fail(
        {.exit = Exit::kInput,
         .what = fmt::format("a column of {} categories cannot be expressed in ONNX", each)});
  }
  return Status::OK();
}

Result<Value> Add(NetWriter& writer) {
  PT_TRY(CheckSizes(writer.net()));
  const Choice& net = writer.net().net;
  if (const auto found = Modules().find(net.name); found != Modules().end()) {
    return found->second(writer);
  }
  if (IsLayered(net.name)) return AddLayered(writer);
  return Fail({.exit = Exit::kUsage,
               .what = "the net \"" + net.name + "\" cannot be expressed in ONNX",
               .why = fmt::format("these nets can: {}", fmt::join(GraphedNetNames(), ", "))});
}

// Fields of packed rows as inputs of the graph.
class PackedFeed : public NetFeed {
 public:
  PackedFeed(const GraphedNet& net, Graph& graph) : graph_(graph) {
    if (net.shape.numeric > 0) numbers_ = graph.Input(kNumbersInput, kFloat, net.shape.numeric);
    const auto columns = int64_t(net.shape.cardinalities.size());
    if (columns > 0) categories_ = graph.Input(kCategoriesInput, kWhole, columns);
    for (size_t i = 0; i < net.lists.size(); ++i) {
      lists_.push_back(graph.Input(ListInputName(i), kFloat, net.lists[i].length));
    }
  }
  Result<Value> Numbers() override { return numbers_; }
  Result<Value> Category(size_t at) override {
    const Value column = graph_.Add("Gather", {categories_, graph_.Whole(int64_t(at))}, kWhole);
    graph_.With("axis", int64_t{1});
    return column;
  }
  Result<Value> List(size_t at) override { return lists_.at(at); }

 private:
  Graph& graph_;
  Value numbers_, categories_;
  std::vector<Value> lists_;
};

}  // namespace

std::vector<std::string> GraphedNetNames() {
  std::vector<std::string> names = LayeredNetNames();
  for (const auto& [name, add] : Modules()) names.push_back(name);
  return names;
}

bool IsGraphed(const std::string& net) { return IsLayered(net) || Modules().contains(net); }

std::string ListInputName(size_t at) { return fmt::format("list.{}", at); }

Result<Value> AddNet(const GraphedNet& net, const Safetensors& weights, NetFeed& feed,
                     Graph& graph) {
  NetWriter writer(net, weights, feed, graph);
  return Add(writer);
}

Result<NetFile> WriteNet(const GraphedNet& net, const Safetensors& weights) {
  Graph graph;
  PackedFeed feed(net, graph);
  NetWriter writer(net, weights, feed, graph);
  PT_LET(const Value outputs, Add(writer));
  graph.Output(kNetOutput, outputs, net.shape.outputs);
  NetFile file{.work = int64_t(std::min(writer.work(), kMostWork))};
  PT_LET(file.bytes, graph.Bytes());
  return file;
}

}  // namespace protium::onnx
