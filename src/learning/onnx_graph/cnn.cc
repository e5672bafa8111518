// SPDX-License-Identifier: Apache-2.0
// As deep/cnn.cc.
#include <fmt/format.h>

#include "base/fault.h"
#include "onnx_graph/net_writer.h"

namespace protium::onnx {
namespace {

// A block over images [rows, channels, height, width], whose size it halves by `pool`.
struct Block {
  size_t at = 0;
  int64_t channels = 0;
  int64_t pixels = 0;  // height * width before the pool.
};

Result<Value> AddConvolution(NetWriter& writer, const CnnOptions& options, const Block& block,
                             const Value& x) {
  const std::string name = fmt::format("conv.{}", block.at);
  PT_LET(const NamedTensor* const tensor, writer.Find(name + ".weight"));
  const int64_t filters = options.filters[block.at], size = options.kernel;
  if (tensor->shape != std::vector<int64_t>{filters, block.channels, size, size}) {
    return Fail({.exit = Exit::kInput,
                 .what = "the weights \"" + name + ".weight\" are not those of its filters"});
  }
  writer.Count(double(tensor->data.size()) / sizeof(float) * double(block.pixels));
  std::vector<Value> inputs = {x};
  PT_LET(inputs.emplace_back(), writer.Weight(name + ".weight"));
  if (!options.batch_norm) {
    PT_LET(inputs.emplace_back(), writer.Weight(name + ".bias"));
  }
  const Value made = writer.graph().Add("Conv", inputs, kFloat);
  const int64_t edge = size / 2;
  writer.graph().With("kernel_shape", {size, size});
  writer.graph().With("pads", {edge, edge, edge, edge});
  return made;
}

Result<Value> AddBlock(NetWriter& writer, const CnnOptions& options, const Block& block,
                       const Value& x) {
  PT_LET(Value made, AddConvolution(writer, options, block, x));
  if (options.batch_norm) {
    std::vector<Value> tensors;
    for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
      PT_LET(tensors.emplace_back(), writer.Weight(fmt::format("norm.{}.{}", block.at, part)));
    }
    made = writer.BatchNorm(made, tensors);
  }
  if (options.pool > 1) {
    const int64_t pool = options.pool;
    made = writer.graph().Add("MaxPool", {made}, kFloat);
    writer.graph().With("kernel_shape", {pool, pool});
    writer.graph().With("strides", {pool, pool});
  }
  return writer.Relu(made);
}

}  // namespace

Result<Value> AddCnn(NetWriter& writer) {
  PT_LET(const auto options, OptionsOf<CnnOptions>(writer));
  PT_LET(const ImageColumn image, FindImage(options, ColumnsOf(writer.net()), "net"));
  PT_LET(Value x, writer.feed().List(0));
  if (options.divide_by != 1) {
    x = writer.graph().Add("Div", {x, writer.Scalar(float(options.divide_by))}, kFloat);
  }
  int64_t height = image.height, width = image.width, channels = options.channels;
  x = writer.Transposed(writer.Shaped(x, {-1, height, width, options.channels}), {0, 3, 1, 2});
  for (size_t at = 0; at < options.filters.size(); ++at) {
    PT_LET(x, AddBlock(writer, options, {at, channels, height * width}, x));
    channels = options.filters[at];
    height /= options.pool;
    width /= options.pool;
  }
  x = writer.Shaped(writer.Transposed(x, {0, 2, 3, 1}), {-1, channels * height * width});
  return writer.Head(x, options.hidden.size());
}

}  // namespace protium::onnx
