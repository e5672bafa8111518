// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph/graph.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "base/fault.h"
#include "onnx_runtime/wire.h"
#include "protium/version.h"

namespace protium::onnx {
namespace {

// ONNX Runtime 1.13 (2022) and later supports these versions.
constexpr uint64_t kIrVersion = 8, kOperators = 17, kMlOperators = 2;
constexpr char kMl[] = "ai.onnx.ml";
constexpr size_t kMostBytes = (size_t{1} << 31) - 1;  // What readers of Protocol Buffers take.

// Fields of the messages, by their numbers in onnx.proto.
enum ModelField : uint32_t { kIr = 1, kProducer = 2, kVersion = 3, kGraph = 7, kOpset = 8 };
constexpr uint32_t kProperty = 14;
enum GraphField : uint32_t { kNode = 1, kName = 2, kInitializer = 5, kInput = 11, kOutput = 12 };
enum NodeField : uint32_t { kTakes = 1, kMakes = 2, kOperator = 4, kAttribute = 5, kDomain = 7 };
enum TensorField : uint32_t { kDims = 1, kDataType = 2, kStrings = 6, kTensorName = 8, kRaw = 9 };
enum AttributeField : uint32_t {
  kAttributeName = 1,
  kOneFloat = 2,
  kOneWhole = 3,
  kManyFloats = 7,
  kManyWholes = 8,
  kManyTexts = 9,
  kAttributeType = 20
};
enum AttributeType { kTypeFloat = 1, kTypeInt = 2, kTypeFloats = 6, kTypeInts = 7, kTypeTexts = 8 };

std::string Dimension(int64_t length) {
  std::string dimension;
  // A named dimension: any size, the same in all inputs and outputs.
  if (length == kAnyLength) AppendBytes(2, "rows", dimension);
  if (length != kAnyLength) AppendNumber(1, uint64_t(length), dimension);
  return dimension;
}

std::string InfoOf(const std::string& name, Element element, int64_t width) {
  std::string shape, tensor, type, info;
  AppendBytes(1, Dimension(kAnyLength), shape);
  if (width > 0) AppendBytes(1, Dimension(width), shape);
  AppendNumber(1, uint64_t(element), tensor);
  AppendBytes(2, shape, tensor);
  AppendBytes(1, tensor, type);
  AppendBytes(1, name, info);
  AppendBytes(2, type, info);
  return info;
}

std::string NodeOf(std::string_view kind, std::span<const Value> inputs, const std::string& made) {
  std::string node;
  for (const Value& each : inputs) AppendBytes(kTakes, each.name, node);
  AppendBytes(kMakes, made, node);
  AppendBytes(kOperator, kind, node);
  return node;
}

// A list of numbers without the field's number before each.
std::string Packed(std::span<const int64_t> numbers) {
  std::string packed;
  for (const int64_t each : numbers) AppendPacked(uint64_t(each), packed);
  return packed;
}

std::string OpsetOf(const char* domain, uint64_t version) {
  std::string opset;
  AppendBytes(1, domain, opset);
  AppendNumber(2, version, opset);
  return opset;
}

std::string TensorOf(const std::string& name, Element element, std::span<const int64_t> dims) {
  std::string tensor;
  if (!dims.empty()) AppendBytes(kDims, Packed(dims), tensor);
  AppendNumber(kDataType, uint64_t(element), tensor);
  AppendBytes(kTensorName, name, tensor);
  return tensor;
}

}  // namespace

Value Graph::Input(const std::string& name, Element element, int64_t width) {
  AppendBytes(kInput, InfoOf(name, element, width), rest_);
  return {name, element};
}

// Under a new name, since a value has only one name and may be an input, too.
void Graph::Output(const std::string& name, const Value& value, int64_t width) {
  nodes_.push_back(NodeOf("Identity", {&value, 1}, name));
  AppendBytes(kOutput, InfoOf(name, value.element, width), rest_);
}

Value Graph::Add(std::string_view kind, std::initializer_list<Value> inputs, Element element) {
  return Add(kind, std::span(inputs.begin(), inputs.size()), element);
}

Value Graph::Add(std::string_view kind, std::span<const Value> inputs, Element element) {
  const Value value{NewName(), element};
  nodes_.push_back(NodeOf(kind, inputs, value.name));
  return value;
}

void Graph::AddAttribute(const std::string& name, int type, const std::string& value) {
  std::string attribute;
  AppendBytes(kAttributeName, name, attribute);
  attribute += value;
  AppendNumber(kAttributeType, uint64_t(type), attribute);
  AppendBytes(kAttribute, attribute, nodes_.back());
}

void Graph::With(const std::string& name, int64_t number) {
  std::string value;
  AppendNumber(kOneWhole, uint64_t(number), value);
  AddAttribute(name, kTypeInt, value);
}

void Graph::With(const std::string& name, float number) {
  std::string value;
  AppendFloat(kOneFloat, number, value);
  AddAttribute(name, kTypeFloat, value);
}

void Graph::With(const std::string& name, std::span<const float> numbers) {
  std::string value;
  // Little-endian without gaps, as in memory here.
  const std::string_view packed(reinterpret_cast<const char*>(numbers.data()),
                                numbers.size_bytes());
  if (!numbers.empty()) AppendBytes(kManyFloats, packed, value);
  AddAttribute(name, kTypeFloats, value);
}

void Graph::With(const std::string& name, std::span<const int64_t> numbers) {
  std::string value;
  if (!numbers.empty()) AppendBytes(kManyWholes, Packed(numbers), value);
  AddAttribute(name, kTypeInts, value);
}

void Graph::With(const std::string& name, std::initializer_list<int64_t> numbers) {
  With(name, std::span(numbers.begin(), numbers.size()));
}

void Graph::With(const std::string& name, std::span<const std::string> texts) {
  std::string value;
  for (const std::string& each : texts) AppendBytes(kManyTexts, each, value);
  AddAttribute(name, kTypeTexts, value);
}

void Graph::InMl() { AppendBytes(kDomain, kMl, nodes_.back()); }

Value Graph::Constant(Element element, const void* data, size_t bytes, std::vector<int64_t> dims) {
  const Value value{NewName(), element};
  std::string tensor = TensorOf(value.name, element, dims);
  // Little-endian without gaps (onnx.proto), as in memory here.
  AppendBytes(kRaw, {static_cast<const char*>(data), bytes}, tensor);
  AppendBytes(kInitializer, tensor, rest_);
  return value;
}

Value Graph::Number(double number) { return Numbers({&number, 1}, {}); }
Value Graph::Whole(int64_t number) { return Constant(kWhole, &number, sizeof number, {}); }
Value Graph::Floats(std::span<const float> numbers, std::vector<int64_t> dims) {
  return Constant(kFloat, numbers.data(), numbers.size_bytes(), std::move(dims));
}
Value Graph::Numbers(std::span<const double> numbers, std::vector<int64_t> dims) {
  return Constant(kNumber, numbers.data(), numbers.size_bytes(), std::move(dims));
}
Value Graph::Wholes(std::span<const int64_t> numbers) {
  return Constant(kWhole, numbers.data(), numbers.size_bytes(), {int64_t(numbers.size())});
}
Value Graph::Wholes(std::initializer_list<int64_t> numbers) {
  return Wholes(std::span(numbers.begin(), numbers.size()));
}
Value Graph::Flags(std::span<const uint8_t> flags) {
  return Constant(kFlag, flags.data(), flags.size_bytes(), {int64_t(flags.size())});
}
Value Graph::Int8s(std::span<const int8_t> numbers, std::vector<int64_t> dims) {
  return Constant(kInt8, numbers.data(), numbers.size_bytes(), std::move(dims));
}
Value Graph::Int32s(std::span<const int32_t> numbers) {
  return Constant(kInt32, numbers.data(), numbers.size_bytes(), {int64_t(numbers.size())});
}

Value Graph::Bfloat16s(std::span<const Bfloat16> numbers, std::vector<int64_t> dims) {
  return Constant(kBfloat16, numbers.data(), numbers.size_bytes(), std::move(dims));
}

Value Graph::Texts(std::span<const std::string> texts) {
  const Value value{NewName(), kText};
  const auto size = int64_t(texts.size());
  std::string tensor = TensorOf(value.name, kText, {&size, 1});
  // Only texts must not be raw data.
  for (const std::string& each : texts) AppendBytes(kStrings, each, tensor);
  AppendBytes(kInitializer, tensor, rest_);
  return value;
}

Value Graph::As(const Value& value, Element element) {
  if (value.element == element) return value;
  const Value cast = Add("Cast", {value}, element);
  With("to", int64_t(element));
  return cast;
}

void Graph::AddProperty(const std::string& name, const std::string& value) {
  std::string property;
  AppendBytes(1, name, property);
  AppendBytes(2, value, property);
  AppendBytes(kProperty, property, properties_);
}

Result<std::string> Graph::Bytes() const {
  std::string graph;
  for (const std::string& each : nodes_) AppendBytes(kNode, each, graph);
  AppendBytes(kName, "model", graph);
  graph += rest_;
  std::string model;
  AppendNumber(kIr, kIrVersion, model);
  AppendBytes(kProducer, "protium", model);
  AppendBytes(kVersion, PROTIUM_VERSION, model);
  AppendBytes(kGraph, graph, model);
  AppendBytes(kOpset, OpsetOf("", kOperators), model);
  AppendBytes(kOpset, OpsetOf(kMl, kMlOperators), model);
  model += properties_;
  if (model.size() <= kMostBytes) return model;
  return Fail({.exit = Exit::kNoRoom, .what = "the graph is larger than an ONNX file can be"});
}

// Differs from all columns' names, which do not begin with "/".
std::string Graph::NewName() { return fmt::format("/{}", names_++); }

}  // namespace protium::onnx
