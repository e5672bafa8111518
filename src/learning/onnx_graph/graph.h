// SPDX-License-Identifier: Apache-2.0
// An ONNX graph under construction: values have names, nodes are added in the order in which they
// compute. It is written as Protocol Buffers by ourselves; numbers of fields are those of
// onnx.proto (ONNX 1.12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "onnx_runtime/outline.h"
#include "protium/elements.h"

namespace protium::onnx {

using Element = NetElement;
inline constexpr Element kFloat = Element::kFloat, kNumber = Element::kDouble,
                         kWhole = Element::kInt64, kText = Element::kString, kFlag = Element::kBool,
                         kUint8 = Element::kUint8, kInt8 = Element::kInt8, kInt32 = Element::kInt32;
// Of constants alone, which are cast before they are used.
inline constexpr Element kBfloat16 = Element(16);

// A value of the graph: its name and the type of its elements. Its shape follows from the node that
// makes it; except for constants, the first dimension is always the rows.
struct Value {
  std::string name;
  Element element = kNumber;
};

class Graph {
 public:
  // An input of shape [rows], or [rows, width] if width is not 0.
  Value Input(const std::string& name, Element element, int64_t width = 0);
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
  void With(const std::string& name, std::initializer_list<int64_t> numbers);
  void With(const std::string& name, std::span<const std::string> texts);
  // Moves the last added node to ai.onnx.ml.
  void InMl();

  // Constants. Without dimensions they are scalars.
  Value Number(double number);
  Value Whole(int64_t number);
  Value Floats(std::span<const float> numbers, std::vector<int64_t> dims);
  Value Numbers(std::span<const double> numbers, std::vector<int64_t> dims);
  Value Wholes(std::span<const int64_t> numbers);
  Value Wholes(std::initializer_list<int64_t> numbers);
  Value Texts(std::span<const std::string> texts);
  Value Flags(std::span<const uint8_t> flags);
  Value Int8s(std::span<const int8_t> numbers, std::vector<int64_t> dims);
  Value Int32s(std::span<const int32_t> numbers);
  Value Bfloat16s(std::span<const Bfloat16> numbers, std::vector<int64_t> dims);

  // Casts the value to another element type; returns it unchanged if it has that type.
  Value As(const Value& value, Element element);

  // What a reader of the file may want to know beside the graph.
  void AddProperty(const std::string& name, const std::string& value);
  // The file. Fails with Exit::kNoRoom if it is larger than an ONNX file can be, 2 GiB.
  Result<std::string> Bytes() const;

 private:
  Value Constant(Element element, const void* data, size_t bytes, std::vector<int64_t> dims);
  std::string NewName();
  // Begins an attribute of the last node; `value` is the message's field with its value.
  void AddAttribute(const std::string& name, int type, const std::string& value);

  // Bytes of messages: each node, and the fields of the graph and of the model that hold the rest.
  std::vector<std::string> nodes_;
  std::string rest_;
  std::string properties_;
  int64_t names_ = 0;
};

}  // namespace protium::onnx
