// SPDX-License-Identifier: Apache-2.0
// As deep/ft_transformer.cc.
#include <fmt/format.h>

#include "onnx_graph/attention.h"

namespace protium::onnx {
namespace {

// [rows, numbers, width]
Result<Value> NumberTokens(NetWriter& writer, const Value& numbers) {
  PT_LET(const Value weight, writer.Weight("number.weight"));
  PT_LET(const Value bias, writer.Weight("number.bias"));
  const Value scaled = writer.graph().Add("Mul", {writer.Apart(numbers, 2), weight}, kFloat);
  return writer.graph().Add("Add", {scaled, bias}, kFloat);
}

// Rows of the one table that has those of all columns, one column's after another's.
Result<Value> CategoryTokens(NetWriter& writer, const std::vector<Value>& categories) {
  std::vector<Value> places;
  int64_t begin = 0;
  for (size_t c = 0; c < categories.size(); ++c) {
    const Value place =
        writer.graph().Add("Add", {categories[c], writer.graph().Whole(begin)}, kWhole);
    places.push_back(writer.Apart(place, 1));
    begin += writer.net().shape.cardinalities[c];
  }
  PT_LET(const Value table, writer.Weight("category.weight"));
  PT_LET(const Value bias, writer.Weight("category.bias"));
  const Value rows = writer.graph().Add("Gather", {table, writer.Together(places, 1)}, kFloat);
  return writer.graph().Add("Add", {rows, bias}, kFloat);
}

// The same token for each row of `like`: [rows, 1, width].
Result<Value> FirstTokens(NetWriter& writer, int64_t width, const Value& like) {
  PT_LET(const Value first, writer.Weight("first"));
  const Value rows = writer.graph().Add("Shape", {like}, kWhole);
  writer.graph().With("start", int64_t{0});
  writer.graph().With("end", int64_t{1});
  const Value shape = writer.Together({rows, writer.graph().Wholes({1, width})}, 0);
  return writer.graph().Add("Expand", {writer.Shaped(first, {1, 1, width}), shape}, kFloat);
}

// [rows, 1 + numbers + categories, width]
Result<Value> MakeTokens(NetWriter& writer, int64_t width) {
  std::vector<Value> read, tokens(1);
  if (writer.net().shape.numeric > 0) {
    PT_LET(read.emplace_back(), writer.feed().Numbers());
    PT_LET(tokens.emplace_back(), NumberTokens(writer, read.back()));
  }
  std::vector<Value> categories;
  for (size_t c = 0; c < writer.net().shape.cardinalities.size(); ++c) {
    PT_LET(categories.emplace_back(), writer.feed().Category(c));
  }
  if (!categories.empty()) {
    PT_LET(tokens.emplace_back(), CategoryTokens(writer, categories));
  }
  read.insert(read.end(), categories.begin(), categories.end());
  PT_LET(tokens.front(), FirstTokens(writer, width, read.front()));
  return writer.Together(tokens, 1);
}

}  // namespace

Result<Value> AddFtTransformer(NetWriter& writer) {
  PT_LET(const auto options, OptionsOf<FtTransformerOptions>(writer));
  const GraphedNet& net = writer.net();
  NetColumns columns = ColumnsOf(net);
  columns.more = net.shape.numeric > 0;  // Their names do not matter.
  PT_TRY(CheckTabular("ft_transformer", columns, "net"));
  const int64_t tokens = 1 + net.shape.numeric + int64_t(net.shape.cardinalities.size());
  PT_LET(Value x, MakeTokens(writer, options.width));
  for (int32_t b = 0; b < options.layers; ++b) {
    PT_LET(x, AddAttention(writer,
                           {.name = fmt::format("block.{}", b),
                            .tokens = tokens,
                            .width = options.width,
                            .heads = options.heads,
                            .norms_input = b > 0,
                            .first_only = b + 1 == options.layers},
                           x));
  }
  PT_LET(const Value normed, writer.LayerNorm(writer.Without(x, 1), "norm"));
  return writer.Dense(writer.Relu(normed), "output");
}

}  // namespace protium::onnx
