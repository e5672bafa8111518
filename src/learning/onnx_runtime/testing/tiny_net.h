// SPDX-License-Identifier: Apache-2.0
// ONNX files for tests, written field by field.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "onnx_runtime/wire.h"

namespace protium::testing_onnx {

inline std::string Part(uint32_t number, std::string_view bytes) {
  std::string message;
  AppendBytes(number, bytes, message);
  return message;
}
// A number below 128.
inline std::string Number(uint32_t field, int value) { return {char(field << 3), char(value)}; }

// A tensor of float32; a length of -1 is open, the one of rows and others each by itself.
inline std::string Value(std::string_view name, std::initializer_list<int> shape, int element = 1) {
  std::string lengths;
  int place = 0;
  for (const int each : shape) {
    const std::string open = "any" + std::to_string(place++);
    lengths += Part(1, each < 0 ? Part(2, open) : Number(1, each));
  }
  return Part(1, name) + Part(2, Part(1, Number(1, element) + Part(2, lengths)));
}

inline std::string Weights(std::string_view name, std::initializer_list<int> shape,
                           const std::vector<float>& numbers) {
  std::string message;
  for (const int each : shape) message += Number(1, each);
  message += Number(2, 1) + Part(8, name);
  const auto* const bytes = reinterpret_cast<const char*>(numbers.data());
  return message + Part(9, std::string_view(bytes, numbers.size() * sizeof(float)));
}

inline std::string Node(std::string_view type, std::initializer_list<std::string_view> inputs,
                        std::string_view output) {
  std::string message;
  for (const std::string_view each : inputs) message += Part(1, each);
  return message + Part(2, output) + Part(4, type);
}

inline std::string Model(const std::string& graph, int opset = 17) {
  return Number(1, 9) + Part(8, Number(2, opset)) + Part(7, Part(2, "g") + graph);
}

// y = relu(x * w), where x has two numbers a row, w is {{1, -1}, {2, 3}} and the product is "sum".
inline std::string Product(std::string_view second = "Relu", int opset = 17) {
  return Model(Part(1, Node("MatMul", {"x", "w"}, "sum")) + Part(1, Node(second, {"sum"}, "y")) +
                   Part(5, Weights("w", {2, 2}, {1, -1, 2, 3})) + Part(11, Value("x", {-1, 2})) +
                   Part(12, Value("y", {-1, 2})),
               opset);
}

}  // namespace protium::testing_onnx
