// SPDX-License-Identifier: Apache-2.0
// Follows the table in docs/model-folder.md: computes everything in float64 from float32 outputs.
#include "onnx/predictions.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/fault.h"
#include "onnx/cells.h"

namespace protium::onnx {
namespace {

// The graph compares neighbours about half the square of this many times.
constexpr size_t kMostLevels = 200;

class Predicted {
 public:
  Predicted(const Json& objective, const Json& columns, const Value& net, Graph& graph)
      : objective_(objective), columns_(columns), graph_(graph), outputs_(graph.As(net, kNumber)) {}

  Result<std::vector<OnnxColumn>> Make() {
    const std::string kind = objective_.at("kind");
    if (!objective_.at("decision").at("outputs").empty()) {
      return CannotSay("the calibration \"isotonic\"", "\"temperature\" can");
    }
    if (kind == "values" || kind == "relevance") PT_TRY(Values());
    if (kind == "quantiles") PT_TRY(Quantiles());
    if (kind == "flags") PT_TRY(Flags());
    if (kind == "two_classes") PT_TRY(TwoClasses());
    if (kind == "classes") PT_TRY(Classes());
    // A kind that is none of these has added nothing.
    if (given_.size() == columns_.size()) return std::move(given_);
    return CannotSay("predictions of the kind \"" + kind + "\"", "");
  }

 private:
  // One output of the net: [rows].
  Value At(int64_t output) {
    const Value column = graph_.Add("Gather", {outputs_, graph_.Whole(output)}, kNumber);
    graph_.With("axis", int64_t{1});
    return column;
  }

  // Adds the next of the model's columns.
  Status Give(const Value& value, int64_t width = 0) {
    if (given_.size() >= columns_.size()) {
      return Fail({.exit = Exit::kInput, .what = "schema.json names too few predictions"});
    }
    const Json& column = columns_[given_.size()];
    graph_.Output(column.at("name"), value, width);
    given_.push_back({column.at("name"), column.at("type")});
    return Status::OK();
  }

  // Converts an output to the label's units: exp() if the net outputs logarithms, then the scale,
  // then the inverse of ln(1 + x). ONNX has no expm1().
  Value OfLabel(const Json& label, Value x) {
    if (objective_.value("logarithmic", false)) x = graph_.Add("Exp", {x}, kNumber);
    x = graph_.Add("Mul", {x, graph_.Number(label.at("deviation"))}, kNumber);
    x = graph_.Add("Add", {x, graph_.Number(label.at("mean"))}, kNumber);
    if (!label.value("log1p", false)) return x;
    return graph_.Add("Sub", {graph_.Add("Exp", {x}, kNumber), graph_.Number(1)}, kNumber);
  }

  Status Values() {
    int64_t output = 0;
    for (const Json& label : objective_.at("labels")) PT_TRY(Give(OfLabel(label, At(output++))));
    return Status::OK();
  }

  // Sorts in ascending order by swapping neighbours, in one round fewer than there are quantiles.
  Status Quantiles() {
    const size_t levels = objective_.at("levels").size();
    if (levels > kMostLevels) {
      return CannotSay(fmt::format("{} quantiles of a label", levels),
                       fmt::format("sorting them is spelled out, for {} at most", kMostLevels));
    }
    int64_t output = 0;
    for (const Json& label : objective_.at("labels")) {
      std::vector<Value> values;
      for (size_t l = 0; l < levels; ++l) {
        values.push_back(OfLabel(label, At(output++)));
      }
      for (size_t round = 1; round < values.size(); ++round) {
        for (size_t i = 0; i + round < values.size(); ++i) {
          const Value low = graph_.Add("Min", {values[i], values[i + 1]}, kNumber);
          values[i + 1] = graph_.Add("Max", {values[i], values[i + 1]}, kNumber);
          values[i] = low;
        }
      }
      for (const Value& each : values) PT_TRY(Give(each));
    }
    return Status::OK();
  }

  Value Score(const Value& output) {
    const double temperature = objective_.at("decision").at("temperature");
    if (temperature == 1) return output;
    return graph_.Add("Div", {output, graph_.Number(temperature)}, kNumber);
  }
  Value AboveCut(const Value& score) {
    return graph_.Add("Greater", {score, graph_.Number(objective_.at("decision").at("cut"))},
                      kFlag);
  }
  Value Sigmoid(const Value& score) { return graph_.Add("Sigmoid", {score}, kNumber); }

  Status Flags() {
    for (size_t l = 0; l < objective_.at("labels").size(); ++l) {
      const Value score = Score(At(int64_t(l)));
      PT_TRY(Give(AboveCut(score)));
      PT_TRY(Give(Sigmoid(score)));
    }
    return Status::OK();
  }

  // The classes in the type of the label.
  Result<Value> ClassAt(const Value& place) {
    const std::vector<std::string> classes = objective_.at("classes");
    const std::string type = objective_.at("class_type");
    if (type == "string") {
      return graph_.Add("Gather", {graph_.Texts(classes), place}, kText);
    }
    if (type == "bool") {
      std::vector<uint8_t> flags;
      for (const std::string& each : classes) flags.push_back(each == "true");
      return graph_.Add("Gather", {graph_.Flags(flags), place}, kFlag);
    }
    std::vector<int64_t> numbers;
    for (const std::string& each : classes) numbers.push_back(std::stoll(each));
    return graph_.Add("Gather", {graph_.Wholes(numbers), place}, kWhole);
  }

  Status TwoClasses() {
    const Value score = Score(At(0)), second = Sigmoid(score);
    PT_LET(const Value predicted, ClassAt(graph_.As(AboveCut(score), kWhole)));
    PT_TRY(Give(predicted));
    PT_TRY(Give(second));
    // Makes the list of all probabilities only for a model that has a column for it.
    if (columns_.size() < 3) return Status::OK();
    // In these operators Unsqueeze takes its axes as an input, ReduceMax (below) as an attribute.
    const std::vector<int64_t> last = {1};
    const Value axes = graph_.Wholes(last);
    const Value first = graph_.Add("Sub", {graph_.Number(1), second}, kNumber);
    const Value both = graph_.Add("Concat",
                                  {graph_.Add("Unsqueeze", {first, axes}, kNumber),
                                   graph_.Add("Unsqueeze", {second, axes}, kNumber)},
                                  kNumber);
    graph_.With("axis", int64_t{1});
    return Give(both, 2);
  }

  Status Classes() {
    const Value scores = Score(outputs_);
    // The first of equal scores, unless an attribute says otherwise.
    const Value best = graph_.Add("ArgMax", {scores}, kWhole);
    graph_.With("axis", int64_t{1});
    graph_.With("keepdims", int64_t{0});
    PT_LET(const Value predicted, ClassAt(best));
    PT_TRY(Give(predicted));
    const Value shares = graph_.Add("Softmax", {scores}, kNumber);
    graph_.With("axis", int64_t{1});
    const Value highest = graph_.Add("ReduceMax", {shares}, kNumber);
    const std::vector<int64_t> axes = {1};
    graph_.With("axes", std::span<const int64_t>(axes));
    graph_.With("keepdims", int64_t{0});
    PT_TRY(Give(highest));
    if (columns_.size() < 3) return Status::OK();
    return Give(shares, int64_t(objective_.at("classes").size()));
  }

  const Json& objective_;
  const Json& columns_;
  Graph& graph_;
  const Value outputs_;
  std::vector<OnnxColumn> given_;
};

}  // namespace

Result<std::vector<OnnxColumn>> AddPredictions(const Json& objective, const Json& columns,
                                               const Value& net, Graph& graph) {
  return Predicted(objective, columns, net, graph).Make();
}

}  // namespace protium::onnx
