// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph.h"

#include <fmt/format.h>

#include <utility>

#include "protium/version.h"

namespace protium::onnx {
namespace {

// ONNX Runtime 1.13 (2022) and later supports these versions.
constexpr int64_t kIrVersion = 8, kOperators = 17, kMlOperators = 2;
constexpr char kMl[] = "ai.onnx.ml";

proto::ValueInfo InfoOf(const std::string& name, Element element, int64_t width) {
  proto::ValueInfo info;
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(element);
  // A named dimension: any size, the same in all inputs and outputs.
  type.mutable_shape()->add_dim()->set_dim_param("rows");
  if (width > 0) type.mutable_shape()->add_dim()->set_dim_value(width);
  return info;
}

}  // namespace

Graph::Graph() {
  model_.set_ir_version(kIrVersion);
  model_.set_producer_name("protium");
  model_.set_producer_version(PROTIUM_VERSION);
  model_.mutable_graph()->set_name("model");
  model_.add_opset_import()->set_version(kOperators);
  auto& ml = *model_.add_opset_import();
  ml.set_domain(kMl);
  ml.set_version(kMlOperators);
}

Value Graph::Input(const std::string& name, Element element) {
  *model_.mutable_graph()->add_input() = InfoOf(name, element, 0);
  return {name, element};
}

// Under a new name, since a value has only one name and may be an input, too.
void Graph::Output(const std::string& name, const Value& value, int64_t width) {
  auto& node = *model_.mutable_graph()->add_node();
  node.set_op_type("Identity");
  node.add_input(value.name);
  node.add_output(name);
  *model_.mutable_graph()->add_output() = InfoOf(name, value.element, width);
}

Value Graph::Add(std::string_view kind, std::initializer_list<Value> inputs, Element element) {
  return Add(kind, std::span(inputs.begin(), inputs.size()), element);
}

Value Graph::Add(std::string_view kind, std::span<const Value> inputs, Element element) {
  auto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(std::string(kind));
  for (const Value& each : inputs) node.add_input(each.name);
  const Value value{NewName(), element};
  node.add_output(value.name);
  return value;
}

proto::Attribute& Graph::Attribute(const std::string& name, proto::Attribute::Type type) {
  auto& nodes = *model_.mutable_graph()->mutable_node();
  auto& attribute = *nodes[nodes.size() - 1].add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

void Graph::With(const std::string& name, int64_t number) {
  Attribute(name, proto::Attribute::INT).set_i(number);
}

void Graph::With(const std::string& name, float number) {
  Attribute(name, proto::Attribute::FLOAT).set_f(number);
}

void Graph::With(const std::string& name, std::span<const float> numbers) {
  auto& attribute = Attribute(name, proto::Attribute::FLOATS);
  for (const float each : numbers) attribute.add_floats(each);
}

void Graph::With(const std::string& name, std::span<const int64_t> numbers) {
  auto& attribute = Attribute(name, proto::Attribute::INTS);
  for (const int64_t each : numbers) attribute.add_ints(each);
}

void Graph::With(const std::string& name, std::span<const std::string> texts) {
  auto& attribute = Attribute(name, proto::Attribute::STRINGS);
  for (const std::string& each : texts) attribute.add_strings(each);
}

void Graph::InMl() {
  auto& nodes = *model_.mutable_graph()->mutable_node();
  nodes[nodes.size() - 1].set_domain(kMl);
}

Value Graph::Constant(Element element, const void* data, size_t bytes, std::vector<int64_t> dims) {
  auto& tensor = *model_.mutable_graph()->add_initializer();
  for (const int64_t each : dims) tensor.add_dims(each);
  tensor.set_data_type(element);
  tensor.set_name(NewName());
  // Little-endian without gaps (onnx.proto), as in memory here.
  tensor.set_raw_data(data, bytes);
  return {tensor.name(), element};
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
Value Graph::Flags(std::span<const uint8_t> flags) {
  return Constant(kFlag, flags.data(), flags.size_bytes(), {int64_t(flags.size())});
}

Value Graph::Texts(std::span<const std::string> texts) {
  auto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.add_dims(int64_t(texts.size()));
  tensor.set_data_type(kText);
  tensor.set_name(NewName());
  // Only texts must not be raw_data.
  for (const std::string& each : texts) tensor.add_string_data(each);
  return {tensor.name(), kText};
}

Value Graph::As(const Value& value, Element element) {
  if (value.element == element) return value;
  const Value cast = Add("Cast", {value}, element);
  With("to", int64_t(element));
  return cast;
}

// Differs from all columns' names, which do not begin with "/".
std::string Graph::NewName() { return fmt::format("/{}", names_++); }

}  // namespace protium::onnx
