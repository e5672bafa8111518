// SPDX-License-Identifier: Apache-2.0
// As deep/text_classifier.cc.
#include <fmt/format.h>

#include "onnx_graph/attention.h"

namespace protium::onnx {
namespace {

constexpr int64_t kPadding = 0, kUnknown = 1;

// int64 [rows, length]
Value ReadTokens(NetWriter& writer, const Value& list, int64_t vocabulary) {
  Graph& graph = writer.graph();
  const Value tokens = graph.As(list, kWhole);
  const Value below = graph.Add("Less", {tokens, graph.Whole(0)}, kFlag);
  const Value above = graph.Add("GreaterOrEqual", {tokens, graph.Whole(vocabulary)}, kFlag);
  const Value outside = graph.Add("Or", {below, above}, kFlag);
  return graph.Add("Where", {outside, graph.Whole(kUnknown), tokens}, kWhole);
}

// A text that is only padding attends to its padding, as attention to nothing is NaN.
Value VisibleTo(NetWriter& writer, const Value& known, const Value& count) {
  Graph& graph = writer.graph();
  const Value empty = graph.Add("Equal", {count, writer.Scalar(0)}, kFlag);
  return writer.Apart(writer.Apart(graph.Add("Or", {known, empty}, kFlag), 1), 1);
}

Result<Value> AddBlocks(NetWriter& writer, const TextClassifierOptions& options, int64_t length,
                        const Value& visible, const Value& words) {
  PT_LET(const Value positions, writer.Weight("position.weight"));
  Value x = writer.graph().Add("Add", {words, positions}, kFloat);
  for (int32_t b = 0; b < options.layers; ++b) {
    PT_LET(x, AddAttention(writer,
                           {.name = fmt::format("block.{}", b),
                            .tokens = length,
                            .width = options.embedding,
                            .heads = options.heads,
                            .visible = visible},
                           x));
  }
  return writer.LayerNorm(x, "norm");
}

}  // namespace

Result<Value> AddTextClassifier(NetWriter& writer) {
  PT_LET(const auto options, OptionsOf<TextClassifierOptions>(writer));
  PT_LET(const VectorColumn column, FindTokens(options, ColumnsOf(writer.net()), "net"));
  Graph& graph = writer.graph();
  PT_LET(const Value list, writer.feed().List(0));
  const Value tokens = ReadTokens(writer, list, options.vocabulary);
  const Value known =
      graph.Add("Not", {graph.Add("Equal", {tokens, graph.Whole(kPadding)}, kFlag)}, kFlag);
  const Value ones = graph.As(known, kFloat);
  const Value count = graph.Add("ReduceSum", {ones, graph.Wholes({1})}, kFloat);  // [rows, 1]
  PT_LET(const Value table, writer.Weight("embedding.weight"));
  Value words = graph.Add("Gather", {table, tokens}, kFloat);
  if (options.layers > 0) {
    const Value visible = VisibleTo(writer, known, count);
    PT_LET(words, AddBlocks(writer, options, column.length, visible, words));
  }
  // [rows, 1, length] x [rows, length, width]: the mean of the words that are not padding.
  const Value least = graph.Add("Max", {count, writer.Scalar(1)}, kFloat);
  const Value shares = writer.Apart(graph.Add("Div", {ones, least}, kFloat), 1);
  writer.Count(double(column.length) * options.embedding);
  const Value mean = writer.Without(graph.Add("MatMul", {shares, words}, kFloat), 1);
  return writer.Head(mean, options.hidden.size());
}

}  // namespace protium::onnx
