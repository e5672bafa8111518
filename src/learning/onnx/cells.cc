// SPDX-License-Identifier: Apache-2.0
#include "onnx/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

#include "base/fault.h"

namespace protium::onnx {
namespace {

bool IsWhole(const std::string& type) { return type == "int32" || type == "int64"; }

// The element type of an input for a column of this type; none: not possible as an input.
std::optional<Element> ElementOf(const std::string& type, bool category) {
  if (type == "string") return kText;
  if (type == "bool") return kFlag;
  if (IsWhole(type)) return category ? kWhole : kNumber;
  const bool number = type == "float32" || type == "float64" || type.starts_with("decimal");
  return number ? std::optional(kNumber) : std::nullopt;
}

// The whole number whose text is the key; none: there is none.
std::optional<int64_t> WholeOf(const std::string& key, bool flag) {
  if (flag)
    return key == "true" ? std::optional(1) : key == "false" ? std::optional(0) : std::nullopt;
  int64_t number = 0;
  const auto read = std::from_chars(key.data(), key.data() + key.size(), number);
  const bool all = read.ec == std::errc() && read.ptr == key.data() + key.size();
  return all && std::to_string(number) == key ? std::optional(number) : std::nullopt;
}

}  // namespace

Status CannotSay(const std::string& what, const std::string& why) {
  return Fail(
      {.exit = Exit::kUsage,
       .what = what + " cannot be expressed in ONNX",
       .why = why,
       .fix = "--to onnx-net exports the net alone, whose inputs are what the stages make"});
}

Cells::Cells(Graph& graph, std::map<std::string, std::string> columns,
             std::set<std::string> categories)
    : graph_(graph), columns_(std::move(columns)), categories_(std::move(categories)) {}

Result<Value> Cells::Open(const std::string& column) {
  const auto found = columns_.find(column);
  if (found == columns_.end()) {
    return Fail({.exit = Exit::kInput, .what = "the model has no column \"" + column + "\""});
  }
  const auto element = ElementOf(found->second, categories_.contains(column));
  if (!element) {
    return CannotSay("column \"" + column + "\"", "it is of type " + found->second);
  }
  if (*element == kWhole || *element == kFlag) without_null_.insert(column);
  inputs_.push_back({column, NameOf(*element)});
  return graph_.Input(column, *element);
}

Result<Value> Cells::At(const std::string& column) {
  if (const auto found = values_.find(column); found != values_.end()) return found->second;
  PT_LET(const Value value, Open(column));
  values_[column] = value;
  return value;
}

Result<Value> Cells::Number(const std::string& column) {
  PT_LET(const Value value, At(column));
  if (value.element == kText) {
    return Fail({.exit = Exit::kInput, .what = "column \"" + column + "\" is text, not a number"});
  }
  return graph_.As(value, kNumber);
}

Result<Value> Cells::Time(const std::string& column) {
  const auto found = columns_.find(column);
  if (found == columns_.end() || (found->second != "date" && found->second != "timestamp")) {
    return CannotSay("the time \"" + column + "\"", "it is no date or time of the table");
  }
  if (times_.insert(column).second) {
    inputs_.push_back({column, NameOf(kNumber)});
    values_[column] = graph_.Input(column, kNumber);
  }
  return values_[column];
}

Result<Value> Cells::List(const std::string& column, int64_t length) {
  if (!columns_.contains(column)) {
    return Fail({.exit = Exit::kInput, .what = "the model has no column \"" + column + "\""});
  }
  if (length < 1) {
    return Fail({.exit = Exit::kInput, .what = "the lists of \"" + column + "\" have no length"});
  }
  inputs_.push_back({column, "list<float32>"});
  return graph_.Input(column, kFloat, length);
}

Result<Value> Cells::Place(const std::string& column, const std::vector<std::string>& keys) {
  PT_LET(const Value value, At(column));
  const auto others = int64_t(keys.size());
  if (value.element == kText) return PlaceOfText(value, keys);
  if (value.element == kNumber) {
    return CannotSay("categories of column \"" + column + "\"", "they are numbers with a fraction");
  }
  std::vector<int64_t> numbers, places;
  for (int64_t i = 0; i < others; ++i) {
    // A key that is not a whole number occurred when the column had another type.
    const auto number = WholeOf(keys[size_t(i)], value.element == kFlag);
    if (!number) continue;
    numbers.push_back(*number);
    places.push_back(i);
  }
  const Value whole = graph_.As(value, kWhole);
  if (numbers.empty()) {
    return graph_.Add(
        "Add", {graph_.Add("Mul", {whole, graph_.Whole(0)}, kWhole), graph_.Whole(others)}, kWhole);
  }
  const Value place = graph_.Add("LabelEncoder", {whole}, kWhole);
  graph_.InMl();
  graph_.With("keys_int64s", std::span<const int64_t>(numbers));
  graph_.With("values_int64s", std::span<const int64_t>(places));
  graph_.With("default_int64", others);
  return place;
}

Value Cells::PlaceOfText(const Value& value, std::vector<std::string> keys) {
  const auto others = int64_t(keys.size());
  std::vector<int64_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  // NULL, unless it was a text of the training rows.
  if (std::ranges::find(keys, "") == keys.end()) {
    keys.push_back("");
    places.push_back(others + 1);
  }
  const Value place = graph_.Add("LabelEncoder", {value}, kWhole);
  graph_.InMl();
  graph_.With("keys_strings", std::span<const std::string>(keys));
  graph_.With("values_int64s", std::span<const int64_t>(places));
  graph_.With("default_int64", others);
  return place;
}

}  // namespace protium::onnx
