// SPDX-License-Identifier: Apache-2.0
#include "deep/pool_relu.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <torch/autograd.h>

#include "deep/float_tensor.h"
#include "deep/pool_kernels.h"

namespace protium {
namespace {

// In memory the channels of a pixel are side by side, whatever the shape.
at::Tensor Images(int64_t rows, int64_t channels, int64_t height, int64_t width,
                  at::ScalarType type) {
  return at::empty({rows, channels, height, width},
                   at::TensorOptions(type).memory_format(at::MemoryFormat::ChannelsLast));
}

struct PoolReluFunction : torch::autograd::Function<PoolReluFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            int64_t size) {
    const PoolShape shape{x.size(0), x.size(2), x.size(3), x.size(1), size};
    const at::Tensor in = x.contiguous(at::MemoryFormat::ChannelsLast);
    const auto make = [&](at::ScalarType type) {
      return Images(shape.rows, shape.channels, shape.out_height(), shape.out_width(), type);
    };
    at::Tensor out = make(at::kFloat), chosen = make(at::kInt);
    PoolWindows(FloatData(in), shape, FloatData(out), chosen.data_ptr<int32_t>());
    context->save_for_backward({chosen});
    context->saved_data["height"] = shape.height;
    context->saved_data["width"] = shape.width;
    context->saved_data["size"] = size;
    return out;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const at::Tensor chosen = context->get_saved_variables()[0];
    const at::Tensor given = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const PoolShape shape{chosen.size(0), context->saved_data["height"].toInt(),
                          context->saved_data["width"].toInt(), chosen.size(1),
                          context->saved_data["size"].toInt()};
    at::Tensor out = Images(shape.rows, shape.channels, shape.height, shape.width, at::kFloat);
    SpreadToWindows(FloatData(given), chosen.data_ptr<int32_t>(), shape, FloatData(out));
    return {out, at::Tensor()};
  }
};

}  // namespace

at::Tensor PoolRelu(const at::Tensor& x, int64_t size) {
  if (!x.is_cpu()) return at::relu(at::max_pool2d(x, size)).to(at::kFloat);
  return PoolReluFunction::apply(x.to(at::kFloat), size);
}

}  // namespace protium
