// SPDX-License-Identifier: Apache-2.0
#include "onnx/net.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "base/fault.h"

namespace protium::onnx {
namespace {

// That of torch.nn.BatchNorm1d, with which such nets are trained.
constexpr float kNormEpsilon = 1e-5f;

class NetGraph {
 public:
  NetGraph(const Json& net, const Safetensors& weights, Cells& cells, Graph& graph)
      : net_(net), weights_(weights), cells_(cells), graph_(graph) {}

  Result<Value> Linear() {
    PT_LET(Value sum, Weight("bias"));
    const Json& categories = net_.at("categorical");
    for (size_t c = 0; c < categories.size(); ++c) {
      PT_LET(const Value part, Embedded(c, fmt::format("category.{}.weight", c)));
      sum = graph_.Add("Add", {part, sum}, kFloat);
    }
    if (net_.at("numeric").empty()) return sum;
    PT_LET(const Value numbers, Numbers());
    PT_LET(const Value weight, Weight("weight"));
    return Multiply(numbers, weight, sum);
  }

  Result<Value> Mlp() {
    PT_LET(Value x, Joined());
    const Json& options = net_.at("net");
    const size_t hidden = options.at("hidden").size();
    for (size_t l = 0; l < hidden; ++l) {
      PT_LET(x, Dense(x, fmt::format("dense.{}", l)));
      if (options.value("batch_norm", false)) {
        PT_LET(x, Normed(x, fmt::format("norm.{}", l)));
      }
      x = graph_.Add("Relu", {x}, kFloat);
    }
    return Dense(x, "output");
  }

 private:
  Result<Value> Weight(const std::string& name) {
    const NamedTensor* const tensor = weights_.Find(name);
    if (tensor == nullptr || tensor->dtype != "F32") {
      return Fail({.exit = Exit::kInput, .what = "the model has no weights \"" + name + "\""});
    }
    std::vector<float> numbers(tensor->data.size() / sizeof(float));
    std::memcpy(numbers.data(), tensor->data.data(), numbers.size() * sizeof(float));
    return graph_.Floats(numbers, tensor->shape);
  }

  // The rows of a table that a column of indices names.
  Result<Value> Embedded(size_t category, const std::string& table) {
    const auto column = net_.at("categorical")[category].at("column").get<std::string>();
    PT_LET(const Value index, cells_.At(column));
    PT_LET(const Value weight, Weight(table));
    return graph_.Add("Gather", {weight, graph_.As(index, kWhole)}, kFloat);
  }

  // Cast once each, from float64.
  Result<Value> Numbers() {
    std::vector<Value> columns;
    const std::vector<int64_t> last = {1};
    const Value axes = graph_.Wholes(last);
    for (const Json& column : net_.at("numeric")) {
      PT_LET(const Value number, cells_.Number(column.get<std::string>()));
      columns.push_back(graph_.Add("Unsqueeze", {graph_.As(number, kFloat), axes}, kFloat));
    }
    return Together(columns);
  }

  // Embeddings, then numbers.
  Result<Value> Joined() {
    std::vector<Value> parts;
    for (size_t c = 0; c < net_.at("categorical").size(); ++c) {
      PT_LET(const Value part, Embedded(c, fmt::format("embedding.{}.weight", c)));
      parts.push_back(part);
    }
    if (!net_.at("numeric").empty()) {
      PT_LET(const Value numbers, Numbers());
      parts.push_back(numbers);
    }
    return Together(parts);
  }

  Value Together(const std::vector<Value>& parts) {
    if (parts.size() == 1) return parts.front();
    const Value joined = graph_.Add("Concat", parts, kFloat);
    graph_.With("axis", int64_t{1});
    return joined;
  }

  Result<Value> Dense(const Value& x, const std::string& name) {
    PT_LET(const Value weight, Weight(name + ".weight"));
    PT_LET(const Value bias, Weight(name + ".bias"));
    return Multiply(x, weight, bias);
  }

  // x weight' + bias
  Value Multiply(const Value& x, const Value& weight, const Value& bias) {
    const Value product = graph_.Add("Gemm", {x, weight, bias}, kFloat);
    graph_.With("transB", int64_t{1});
    return product;
  }

  Result<Value> Normed(const Value& x, const std::string& name) {
    std::vector<Value> inputs = {x};
    for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
      PT_LET(const Value weight, Weight(name + "." + part));
      inputs.push_back(weight);
    }
    const Value normed = graph_.Add("BatchNormalization", inputs, kFloat);
    graph_.With("epsilon", kNormEpsilon);
    return normed;
  }

  const Json& net_;
  const Safetensors& weights_;
  Cells& cells_;
  Graph& graph_;
};

}  // namespace

Result<Value> AddNet(const Json& net, const Safetensors& weights, Cells& cells, Graph& graph) {
  const auto name = net.at("net").at("name").get<std::string>();
  if (!net.at("lists").empty()) {
    return CannotSay("a net over columns of lists", "inputs are single values a row");
  }
  NetGraph made(net, weights, cells, graph);
  if (name == "linear") return made.Linear();
  if (name == "tabular_mlp") return made.Mlp();
  return Fail({.exit = Exit::kUsage,
               .what = "the net \"" + name + "\" cannot be said in ONNX",
               .why = "these nets can: linear, tabular_mlp"});
}

}  // namespace protium::onnx
