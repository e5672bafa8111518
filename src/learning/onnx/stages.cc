// SPDX-License-Identifier: Apache-2.0
// One function per kind of stage, following the table in docs/model-folder.md.
#include "onnx/stages.h"

#include <cmath>
#include <map>
#include <vector>

#include "base/fault.h"

namespace protium::onnx {
namespace {

// One input of a stage, and what was learned about it.
struct Learned {
  const Json& entry;
  const Json& options;
  Cells& cells;
  Graph& graph;

  double Get(const char* key) const { return entry.at(key).get<double>(); }
  std::string input() const { return entry.at("input").get<std::string>(); }
  std::vector<std::string> keys() const { return entry.at("keys").get<std::vector<std::string>>(); }
};
using StageFunction = Result<Value> (*)(const Learned& of);

Value IsNan(Graph& graph, const Value& x) { return graph.Add("IsNaN", {x}, kFlag); }

// The result if a deviation or a range is 0: 0 for finite numbers, NaN for others.
Value Zero(Graph& graph, const Value& x) { return graph.Add("Sub", {x, x}, kNumber); }

Result<Value> Imputed(const Learned& of) {
  if (of.options.value("indicator", false) || !of.options.value("by", Json::array()).empty()) {
    return CannotSay("an imputer with `by` or `indicator`", "only one value a column is written");
  }
  PT_LET(const Value x, of.cells.Number(of.input()));
  return of.graph.Add("Where", {IsNan(of.graph, x), of.graph.Number(of.Get("value")), x}, kNumber);
}

Result<Value> Standardised(const Learned& of) {
  PT_LET(const Value x, of.cells.Number(of.input()));
  if (of.Get("deviation") == 0) return Zero(of.graph, x);
  const Value centred = of.graph.Add("Sub", {x, of.graph.Number(of.Get("mean"))}, kNumber);
  return of.graph.Add("Div", {centred, of.graph.Number(of.Get("deviation"))}, kNumber);
}

Result<Value> Robust(const Learned& of) {
  PT_LET(const Value x, of.cells.Number(of.input()));
  if (of.Get("range") == 0) return Zero(of.graph, x);
  const bool centred = of.options.value("center", true);
  const Value from =
      centred ? of.graph.Add("Sub", {x, of.graph.Number(of.Get("median"))}, kNumber) : x;
  return of.graph.Add("Div", {from, of.graph.Number(of.Get("range"))}, kNumber);
}

// NaN stays NaN: comparisons with it are false.
Value Bounded(Graph& graph, const Value& x, double low, double high) {
  const Value least = graph.Number(low), most = graph.Number(high);
  const Value above = graph.Add("Where", {graph.Add("Less", {x, least}, kFlag), least, x}, kNumber);
  return graph.Add("Where", {graph.Add("Greater", {above, most}, kFlag), most, above}, kNumber);
}

// One line between each two knots.
Result<Value> ByQuantiles(const Learned& of) {
  PT_LET(const Value x, of.cells.Number(of.input()));
  Graph& graph = of.graph;
  const auto numbers = of.entry.at("numbers").get<std::vector<double>>();
  const auto levels = of.entry.at("levels").get<std::vector<double>>();
  if (numbers.size() == 1) return Zero(graph, x);
  Value value;
  for (size_t i = 0; i + 1 < numbers.size(); ++i) {
    const double slope = (levels[i + 1] - levels[i]) / (numbers[i + 1] - numbers[i]);
    const Value from = graph.Add("Sub", {x, graph.Number(numbers[i])}, kNumber);
    const Value risen = graph.Add("Mul", {from, graph.Number(slope)}, kNumber);
    const Value line = graph.Add("Add", {risen, graph.Number(levels[i])}, kNumber);
    const Value below = graph.Add("Less", {x, graph.Number(numbers[i])}, kFlag);
    value = i == 0 ? line : graph.Add("Where", {below, value, line}, kNumber);
  }
  return Bounded(graph, value, -4, 4);
}

Result<Value> MaxAbs(const Learned& of) {
  PT_LET(const Value x, of.cells.Number(of.input()));
  if (of.Get("size") == 0) return x;
  return of.graph.Add("Div", {x, of.graph.Number(of.Get("size"))}, kNumber);
}

Result<Value> MinMax(const Learned& of) {
  PT_LET(const Value x, of.cells.Number(of.input()));
  Graph& graph = of.graph;
  const double low = of.options.value("low", 0.0), high = of.options.value("high", 1.0);
  const double least = of.Get("least"), range = of.Get("greatest") - least;
  if (range == 0) return graph.Add("Add", {Zero(graph, x), graph.Number(low)}, kNumber);
  const Value from = graph.Add("Sub", {x, graph.Number(least)}, kNumber);
  Value scaled = graph.Add("Div", {from, graph.Number(range)}, kNumber);
  if (high - low != 1) {
    scaled = graph.Add("Mul", {scaled, graph.Number(high - low)}, kNumber);
  }
  if (low != 0) scaled = graph.Add("Add", {scaled, graph.Number(low)}, kNumber);
  return of.options.value("clip", false) ? Bounded(graph, scaled, low, high) : scaled;
}

// The index of a text; for unknown texts an index outside every table, so that scoring fails as in
// Protium.
Result<Value> Indexed(const Learned& of) {
  const auto keys = of.keys();
  PT_LET(const Value place, of.cells.Place(of.input(), keys));
  std::vector<int64_t> indices;
  for (size_t i = 0; i < keys.size(); ++i) indices.push_back(int64_t(i));
  const int64_t none = of.entry.at("cardinality").get<int64_t>();
  for (const char* key : {"unseen", "missing"}) {
    indices.push_back(
        of.entry.contains(key) && of.entry[key].is_number() ? of.entry[key].get<int64_t>() : none);
  }
  return of.graph.Add("Gather", {of.graph.Wholes(indices), place}, kWhole);
}

// Looks up a number for each key, for other texts, and for NULL.
Result<Value> Looked(const Learned& of, std::vector<double> numbers, double others,
                     double missing) {
  PT_LET(const Value place, of.cells.Place(of.input(), of.keys()));
  numbers.insert(numbers.end(), {others, missing});
  const auto size = int64_t(numbers.size());
  return of.graph.Add("Gather", {of.graph.Numbers(numbers, {size}), place}, kNumber);
}

Result<Value> TargetEncoded(const Learned& of) {
  const Json& means = of.entry.at("means");
  return Looked(of, means.at("values").get<std::vector<double>>(), means.at("all").get<double>(),
                means.at("missing").get<double>());
}

const std::map<std::string, StageFunction>& Functions() {
  static const std::map<std::string, StageFunction> kFunctions = {
      {"imputer", Imputed},        {"standard_scaler", Standardised},
      {"robust_scaler", Robust},   {"quantile_scaler", ByQuantiles},
      {"max_abs_scaler", MaxAbs},  {"min_max_scaler", MinMax},
      {"string_indexer", Indexed}, {"target_encoder", TargetEncoded}};
  return kFunctions;
}

// A time as a number is the input itself; other parts of it cannot be written.
Status AddTimes(const Json& stage, const Json& options, Cells& cells) {
  const std::string id = stage.at("id").get<std::string>();
  if (options.at("parts") != Json({"unix_time"})) {
    return CannotSay("stage \"" + id + "\", a datetime_parts,", "only parts = [\"unix_time\"] can");
  }
  for (const Json& input : options.at("inputs")) {
    if (!input.is_string()) return CannotSay("stage \"" + id + "\"", "it reads another stage");
    const std::string column = input.get<std::string>();
    PT_LET(const Value time, cells.Time(column));
    cells.Set(column + "__" + id + "__unix_time", time);
  }
  return Status::OK();
}

std::string KindsThatCan() {
  std::string kinds;
  for (const auto& [kind, function] : Functions()) kinds += (kinds.empty() ? "" : ", ") + kind;
  return kinds;
}

}  // namespace

Status AddStage(const Json& stage, const Json& options, Cells& cells, Graph& graph) {
  const std::string kind = stage.at("kind").get<std::string>();
  if (kind == "datetime_parts") return AddTimes(stage, options, cells);
  const auto found = Functions().find(kind);
  if (found == Functions().end()) {
    return CannotSay("stage \"" + stage.at("id").get<std::string>() + "\", a " + kind + ",",
                     "these kinds can: " + KindsThatCan());
  }
  for (const Json& entry : stage.at("learned")) {
    PT_LET(const Value value, found->second({entry, options, cells, graph}));
    cells.Set(entry.at("output").get<std::string>(), value);
  }
  return Status::OK();
}

std::set<std::string> CategoriesOf(const Json& stage) {
  std::set<std::string> columns;
  for (const Json& entry : stage.at("learned")) {
    if (entry.contains("keys") && stage.at("kind") != "imputer") {
      columns.insert(entry.at("input").get<std::string>());
    }
  }
  return columns;
}

}  // namespace protium::onnx
