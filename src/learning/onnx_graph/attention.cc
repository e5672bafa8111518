// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph/attention.h"

#include <cmath>
#include <limits>

namespace protium::onnx {
namespace {

// Values that each head attends to, [rows, heads, tokens, width / heads].
struct Heads {
  Value query, key, value;
};

Value FirstOf(NetWriter& writer, const AttentionBlock& block, const Value& x) {
  return block.first_only ? writer.Part(x, 1, 0, 1) : x;
}

Result<Heads> SplitHeads(NetWriter& writer, const AttentionBlock& block, const Value& x) {
  const int64_t each = block.width / block.heads;
  PT_LET(const Value query, writer.DenseOfEach(FirstOf(writer, block, x), block.name + ".query",
                                               block.first_only ? 1 : block.tokens));
  PT_LET(const Value both, writer.DenseOfEach(x, block.name + ".key_value", block.tokens));
  const Value split =
      writer.Transposed(writer.Shaped(both, {0, -1, 2, block.heads, each}), {2, 0, 3, 1, 4});
  const Value turned =
      writer.Transposed(writer.Shaped(query, {0, -1, block.heads, each}), {0, 2, 1, 3});
  return Heads{turned, writer.Without(writer.Part(split, 0, 0, 1), 0),
               writer.Without(writer.Part(split, 0, 1, 2), 0)};
}

// What the heads see, weighted: [rows, tokens, width].
Value Mix(NetWriter& writer, const AttentionBlock& block, const Heads& heads) {
  Graph& graph = writer.graph();
  const double each = double(block.width) / double(block.heads);
  const Value scaled =
      graph.Add("Mul", {heads.query, writer.Scalar(float(1 / std::sqrt(each)))}, kFloat);
  Value scores = graph.Add("MatMul", {scaled, writer.Transposed(heads.key, {0, 1, 3, 2})}, kFloat);
  if (block.visible) {
    const Value hidden = writer.Scalar(-std::numeric_limits<float>::infinity());
    scores = graph.Add("Where", {*block.visible, scores, hidden}, kFloat);
  }
  const Value shares = graph.Add("Softmax", {scores}, kFloat);
  graph.With("axis", int64_t{-1});
  const Value mixed = graph.Add("MatMul", {shares, heads.value}, kFloat);
  const int64_t asking = block.first_only ? 1 : block.tokens;
  writer.Count(2.0 * double(asking) * double(block.tokens) * double(block.width));
  return writer.Shaped(writer.Transposed(mixed, {0, 2, 1, 3}), {0, -1, block.width});
}

Result<Value> FeedForward(NetWriter& writer, const AttentionBlock& block, const Value& x) {
  const int64_t asking = block.first_only ? 1 : block.tokens;
  PT_LET(const NamedTensor* const tensor, writer.Find(block.name + ".down.weight"));
  const int64_t inner = tensor->shape.empty() ? 0 : tensor->shape.back();
  PT_LET(const Value both, writer.DenseOfEach(x, block.name + ".up", asking));
  const Value gates = writer.Relu(writer.Part(both, 2, inner, 2 * inner));
  const Value gated = writer.graph().Add("Mul", {writer.Part(both, 2, 0, inner), gates}, kFloat);
  return writer.DenseOfEach(gated, block.name + ".down", asking);
}

}  // namespace

Result<Value> AddAttention(NetWriter& writer, const AttentionBlock& block, const Value& x) {
  Value normed = x;
  if (block.norms_input) {
    PT_LET(normed, writer.LayerNorm(x, block.name + ".attention_norm"));
  }
  PT_LET(const Heads heads, SplitHeads(writer, block, normed));
  PT_LET(const Value attended,
         writer.DenseOfEach(Mix(writer, block, heads), block.name + ".attended",
                            block.first_only ? 1 : block.tokens));
  const Value y = writer.graph().Add("Add", {FirstOf(writer, block, x), attended}, kFloat);
  PT_LET(const Value inner, writer.LayerNorm(y, block.name + ".inner_norm"));
  PT_LET(const Value fed, FeedForward(writer, block, inner));
  return writer.graph().Add("Add", {y, fed}, kFloat);
}

}  // namespace protium::onnx
