// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph/int8_dense.h"

#include <utility>
#include <vector>

namespace protium::onnx {
namespace {

class Int8Dense {
 public:
  Int8Dense(Graph& graph, Value x) : graph_(graph), x_(std::move(x)) {}

  Value Add(const Int8Weights& weights, const Value& sums) {
    Scale(weights.inputs);
    const Value values = graph_.Int8s(weights.values, {weights.inputs, weights.outputs});
    const Value all = graph_.Add("MatMulInteger", {Quantised(), values}, kInt32);
    const Value zeros =
        graph_.Add("Mul", {graph_.As(zero_, kInt32), graph_.Int32s(weights.totals)}, kInt32);
    const Value products = graph_.As(graph_.Add("Sub", {all, zeros}, kInt32), kFloat);
    const Value scales = Float("Mul", {scale_, graph_.Floats(weights.scales, {weights.outputs})});
    return Float("Add", {sums, Float("Mul", {products, scales})});
  }

 private:
  Value Float(std::string_view kind, std::initializer_list<Value> inputs) {
    return graph_.Add(kind, inputs, kFloat);
  }
  Value Of(float number) { return graph_.Floats({&number, 1}, {}); }

  // The smallest or largest of a row's values and 0: [rows, 1].
  Value Bound(std::string_view reduce, std::string_view with_zero) {
    const Value bound = Float(reduce, {x_});
    graph_.With("axes", {-1});
    graph_.With("keepdims", int64_t{1});
    return Float(with_zero, {bound, Of(0)});
  }

  // 0 for each row; NaN for one with a value that is not finite.
  Value NotFinite(int64_t inputs) {
    return Float("MatMul", {x_, graph_.Floats(std::vector<float>(size_t(inputs), 0), {inputs, 1})});
  }

  // What a row's values are multiplied by, what 0 becomes, and what 1 stands for then.
  void Scale(int64_t inputs) {
    const Value low = Bound("ReduceMin", "Min");
    const Value width = Float("Sub", {Bound("ReduceMax", "Max"), low});
    const Value wide = graph_.Add("Greater", {width, Of(kLeastInt8Width)}, kFlag);
    factor_ = Float("Where", {wide, Float("Div", {Of(kMostInt8), width}), Of(0)});
    const Value zero = Float("Mul", {Float("Neg", {low}), factor_});
    zero_ = Float("Floor", {Float("Add", {zero, Of(0.5F)})});
    const Value scale = Float("Where", {wide, Float("Div", {width, Of(kMostInt8)}), Of(0)});
    scale_ = Float("Add", {scale, NotFinite(inputs)});
  }

  // The cast cuts off fractions.
  Value Quantised() {
    const Value moved = Float("Add", {Float("Mul", {x_, factor_}), zero_});
    const Value within = Float("Clip", {moved, Of(0), Of(kMostInt8)});
    return graph_.As(Float("Add", {within, Of(0.5F)}), kUint8);
  }

  Graph& graph_;
  const Value x_;
  Value factor_, zero_, scale_;
};

}  // namespace

Value AddInInt8(Graph& graph, const Value& x, const Int8Weights& weights, const Value& sums) {
  return Int8Dense(graph, x).Add(weights, sums);
}

}  // namespace protium::onnx
