// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph/net_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/fault.h"
#include "base/half.h"

namespace protium::onnx {
namespace {

// As MatMul takes it: [in, out].
std::vector<float> Transpose(const std::vector<float>& weight, size_t out, size_t in) {
  std::vector<float> turned(weight.size());
  for (size_t o = 0; o < out; ++o) {
    for (size_t i = 0; i < in; ++i) turned[i * out + o] = weight[o * in + i];
  }
  return turned;
}

}  // namespace

Result<const NamedTensor*> NetWriter::Find(const std::string& name) const {
  const NamedTensor* const tensor = weights_.Find(name);
  if (tensor != nullptr && tensor->dtype == "F32") return tensor;
  return Fail({.exit = Exit::kInput, .what = "the model has no weights \"" + name + "\""});
}

Result<std::vector<float>> NetWriter::NumbersOf(const std::string& name) const {
  PT_LET(const NamedTensor* const tensor, Find(name));
  // Data in the file may be unaligned.
  std::vector<float> numbers(tensor->data.size() / sizeof(float));
  std::memcpy(numbers.data(), tensor->data.data(), numbers.size() * sizeof(float));
  if (IsStored16(tensor->shape)) {
    for (float& each : numbers) each = Widen(NarrowToBfloat16(each));
  }
  return numbers;
}

Result<std::vector<float>> NetWriter::NumbersOf(const Variable& tensor) const {
  PT_LET(const NamedTensor* const found, Find(tensor.name));
  if (found->shape == tensor.shape) return NumbersOf(tensor.name);
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("the weights \"{}\" are [{}], and the net's are [{}]", tensor.name,
                           fmt::join(found->shape, ", "), fmt::join(tensor.shape, ", "))});
}

Result<Value> NetWriter::Weight(const std::string& name) {
  PT_LET(const std::vector<float> numbers, NumbersOf(name));
  return Stored(numbers, weights_.Find(name)->shape);
}

// As RoundNumbers() computes them, to the bit.
Value NetWriter::StoredIn8(const std::vector<float>& numbers, std::vector<int64_t> dims) {
  const Int8Slices slices = SlicesOf(numbers, dims.front());
  std::vector<int64_t> by_slice(dims.size(), 1);
  by_slice.front() = dims.front();
  const Value values = graph_.As(graph_.Int8s(slices.values, std::move(dims)), kFloat);
  return graph_.Add("Mul", {values, graph_.Floats(slices.scales, std::move(by_slice))}, kFloat);
}

Value NetWriter::Stored(const std::vector<float>& numbers, std::vector<int64_t> dims) {
  if (IsStored8(dims)) return StoredIn8(numbers, std::move(dims));
  if (!IsStored16(dims)) return graph_.Floats(numbers, std::move(dims));
  std::vector<Bfloat16> halves(numbers.size());
  std::ranges::transform(numbers, halves.begin(), NarrowToBfloat16);
  return graph_.As(graph_.Bfloat16s(halves, std::move(dims)), kFloat);
}

Value NetWriter::Multiply(const Value& x, const Value& weight, const Value& bias) {
  const Value product = graph_.Add("Gemm", {x, weight, bias}, kFloat);
  graph_.With("transB", int64_t{1});
  return product;
}

Result<Value> NetWriter::Dense(const Value& x, const std::string& name) {
  PT_LET(const NamedTensor* const tensor, Find(name + ".weight"));
  Count(double(tensor->data.size()) / sizeof(float));
  PT_LET(const Value weight, Weight(name + ".weight"));
  PT_LET(const Value bias, Weight(name + ".bias"));
  return Multiply(x, weight, bias);
}

Result<Value> NetWriter::DenseOfEach(const Value& x, const std::string& name, int64_t tokens) {
  PT_LET(const NamedTensor* const tensor, Find(name + ".weight"));
  PT_LET(const std::vector<float> weight, NumbersOf(name + ".weight"));
  PT_LET(const Value bias, Weight(name + ".bias"));
  if (tensor->shape.size() != 2) {
    return Fail({.exit = Exit::kInput,
                 .what = "the weights \"" + name + ".weight\" are not those of a dense layer"});
  }
  const int64_t out = tensor->shape[0], in = tensor->shape[1];
  Count(double(tokens) * double(out) * double(in));
  const Value turned = IsStored8(tensor->shape)
                           ? Transposed(Stored(weight, {out, in}), {1, 0})
                           : Stored(Transpose(weight, size_t(out), size_t(in)), {in, out});
  return graph_.Add("Add", {graph_.Add("MatMul", {x, turned}, kFloat), bias}, kFloat);
}

Result<Value> NetWriter::LayerNorm(const Value& x, const std::string& name) {
  PT_LET(const Value weight, Weight(name + ".weight"));
  PT_LET(const Value bias, Weight(name + ".bias"));
  const Value normed = graph_.Add("LayerNormalization", {x, weight, bias}, kFloat);
  graph_.With("axis", int64_t{-1});
  graph_.With("epsilon", float(kNormEpsilon));
  return normed;
}

Value NetWriter::BatchNorm(const Value& x, const std::vector<Value>& tensors) {
  std::vector<Value> inputs = tensors;
  inputs.insert(inputs.begin(), x);
  const Value normed = graph_.Add("BatchNormalization", inputs, kFloat);
  graph_.With("epsilon", float(kNormEpsilon));
  return normed;
}

Result<Value> NetWriter::Head(const Value& made, size_t hidden) {
  Value x = made;
  if (net_.shape.numeric > 0) {
    PT_LET(const Value numbers, feed_.Numbers());
    x = Together({x, numbers}, 1);
  }
  for (size_t l = 0; l < hidden; ++l) {
    PT_LET(const Value layer, Dense(x, fmt::format("dense.{}", l)));
    x = Relu(layer);
  }
  return Dense(x, "output");
}

Value NetWriter::Shaped(const Value& x, std::initializer_list<int64_t> shape) {
  return graph_.Add("Reshape", {x, graph_.Wholes(shape)}, x.element);
}

Value NetWriter::Transposed(const Value& x, std::initializer_list<int64_t> order) {
  const Value turned = graph_.Add("Transpose", {x}, x.element);
  graph_.With("perm", order);
  return turned;
}

Value NetWriter::Apart(const Value& x, int64_t axis) {
  return graph_.Add("Unsqueeze", {x, graph_.Wholes({axis})}, x.element);
}

Value NetWriter::Without(const Value& x, int64_t axis) {
  return graph_.Add("Squeeze", {x, graph_.Wholes({axis})}, x.element);
}

Value NetWriter::Part(const Value& x, int64_t axis, int64_t begin, int64_t end) {
  return graph_.Add(
      "Slice", {x, graph_.Wholes({begin}), graph_.Wholes({end}), graph_.Wholes({axis})}, x.element);
}

Value NetWriter::Together(const std::vector<Value>& parts, int64_t axis) {
  if (parts.size() == 1) return parts.front();
  const Value joined = graph_.Add("Concat", parts, parts.front().element);
  graph_.With("axis", axis);
  return joined;
}

NetColumns ColumnsOf(const GraphedNet& net) {
  return {.categorical = net.shape.categorical, .vectors = net.lists};
}

}  // namespace protium::onnx
