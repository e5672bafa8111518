// SPDX-License-Identifier: Apache-2.0
// An ONNX graph under construction: values have names, nodes are added in the order in which they
// compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/onnx.pb.h"

namespace protium::onnx {

using Element = proto::Tensor::DataType;
inline constexpr Element kFloat = proto::Tensor::FLOAT, kNumber = proto::Tensor::DOUBLE,
                         kWhole = proto::Tensor::INT64, kText = proto::Tensor::STRING,
                         kFlag = proto::Tensor::BOOL;

// A value of the graph: its name and the type of its elements. Its shape follows from the node that
// makes it; except for constants, the first dimension is always the rows.
struct Value {
  std::string name;
  Element element = kNumber;
};

class Graph {
 public:
  Graph();

  // An input of shape [rows].
  Value Input(const std::string& name, Element element);
  // Makes a value an output of the graph, of shape [rows], or [rows, width] if width is not 0.
  void Output(const std::string& name, const Value& value, int64_t width = 0);

  // Adds a node of ai.onnx with one output.
  Value Add(std::string_view kind, std::initializer_list<Value> inputs, Element element);
  Value Add(std::string_view kind, std::span<const Value> inputs, Element element);
  // Set attributes of the last added node.
  void With(const std::string& name, int64_t number);
  void With(const std::string& name, float number);
  void With(const std::string& name, std::span<const float> numbers);
  void With(const std::string& name, std::span<const int64_t> numbers);
  void With(const std::string& name, std::span<const std::string> texts);
  // Moves the last added node to ai.onnx.ml.
  void InMl();

  // Constants. Without dimensions they are scalars.
  Value Number(double number);
  Value Whole(int64_t number);
  Value Floats(std::span<const float> numbers, std::vector<int64_t> dims);
  Value Numbers(std::span<const double> numbers, std::vector<int64_t> dims);
  Value Wholes(std::span<const int64_t> numbers);
  Value Texts(std::span<const std::string> texts);
  Value Flags(std::span<const uint8_t> flags);

  // Casts the value to another element type; returns it unchanged if it has that type.
  Value As(const Value& value, Element element);

  proto::Model& model() { return model_; }

 private:
  Value Constant(Element element, const void* data, size_t bytes, std::vector<int64_t> dims);
  std::string NewName();
  proto::Attribute& Attribute(const std::string& name, proto::Attribute::Type type);

  proto::Model model_;
  int64_t names_ = 0;
};

}  // namespace protium::onnx
