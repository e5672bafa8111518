// SPDX-License-Identifier: Apache-2.0
#include "deep/operations.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tril_indices.h>
#include <ATen/ops/zeros.h>

#include <limits>
#include <utility>
#include <vector>

#include "deep/operations_net.h"
#include "nets/kernel_net.h"
#include "nets/pieces.h"

namespace protium {
namespace {

// One layer's parameters and buffers among those of the net.
struct LayerTensors {
  const at::Tensor* parameters = nullptr;
  const at::Tensor* buffers = nullptr;
  bool frozen = false;  // The buffers are statistics that training leaves as they are.
};

at::Tensor Embedding(const Layer& layer, size_t table, const Batch& rows, const LayerTensors& of) {
  return at::embedding(of.parameters[table],
                       rows[kCategoriesField].select(1, layer.categories[table]));
}

at::Tensor Linear(const Layer& layer, const Batch& rows, const LayerTensors& of) {
  const size_t tables = layer.categories.size();
  const at::Tensor& bias = of.parameters[layer.parameters.size() - 1];
  at::Tensor sum = bias.expand({rows.size(), layer.width});
  for (size_t c = 0; c < tables; ++c) sum = sum + Embedding(layer, c, rows, of);
  if (layer.numbers == 0) return sum;
  return sum + at::mm(rows[kNumericField], of.parameters[tables].t());
}

at::Tensor PiecesOf(const at::Tensor& numbers, int64_t pieces) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  const PieceScale scale(pieces);
  at::Tensor low = at::zeros({pieces}, numbers.options()), high = at::ones_like(low);
  low[0] = -kEndless;
  high[pieces - 1] = kEndless;
  const at::Tensor at = numbers * scale.factor + scale.shift;
  return at::clamp(at.unsqueeze(2) - at::arange(pieces, numbers.options()), low, high).flatten(1);
}

// [rows * members, width].
at::Tensor Members(const Layer& layer, const at::Tensor& x, const LayerTensors& of) {
  return (x.unsqueeze(1) * of.parameters[0] + of.parameters[1]).reshape({-1, layer.width});
}

// In training [members * rows, width].
at::Tensor Heads(const Layer& layer, const at::Tensor& x, const LayerTensors& of, bool training) {
  const at::Tensor& weight = of.parameters[0];
  const at::Tensor& bias = of.parameters[1];
  const at::Tensor rows = x.reshape({-1, weight.size(1)});
  if (!training) return at::linear(rows, weight / double(layer.members), bias.mean(1));
  const std::vector<int64_t> apart = {-1, layer.members, weight.size(1) / layer.members};
  const at::Tensor products =
      at::bmm(rows.reshape(apart).transpose(0, 1), weight.reshape(apart).permute({1, 2, 0}));
  return (products + bias.t().unsqueeze(1)).reshape({-1, layer.width});
}

at::Tensor Embed(const Layer& layer, const Batch& rows, const LayerTensors& of) {
  std::vector<at::Tensor> parts;
  for (size_t c = 0; c < layer.categories.size(); ++c) {
    parts.push_back(Embedding(layer, c, rows, of));
  }
  const bool whole = layer.pieces == 0;
  if (layer.numbers > 0) {
    parts.push_back(whole ? rows[kNumericField] : PiecesOf(rows[kNumericField], layer.pieces));
  }
  return at::cat(parts, 1);
}

// The vectors of embedded columns come first in x, then the numbers.
at::Tensor Pairs(const Layer& layer, const at::Tensor& x, const LayerTensors& of) {
  const bool numbers = !layer.parameters.empty();
  const int64_t count = numbers ? of.parameters[0].size(0) : 0, embedded = x.size(1) - count;
  at::Tensor vectors = x.narrow(1, 0, embedded).reshape({x.size(0), -1, layer.vector_width});
  if (numbers) {
    const at::Tensor own = x.narrow(1, embedded, count).unsqueeze(2) * of.parameters[0];
    vectors = at::cat({vectors, own}, 1);
  }
  const at::Tensor sum = vectors.sum(1);
  const at::Tensor pairs = sum * sum - (vectors * vectors).sum(1);
  return pairs.reshape({x.size(0), layer.width, -1}).sum(2) / 2;
}

// `x` is undefined if the layer is the first.
at::Tensor Dots(const Layer& layer, const at::Tensor& x, const Batch& rows,
                const LayerTensors& of) {
  std::vector<at::Tensor> vectors;
  if (x.defined()) vectors.push_back(x);
  for (size_t c = 0; c < layer.categories.size(); ++c) {
    vectors.push_back(Embedding(layer, c, rows, of));
  }
  const auto count = int64_t(vectors.size());
  const at::Tensor all = at::stack(vectors, 1);
  const at::Tensor pair =
      at::tril_indices(count, count, -1, at::TensorOptions(at::kLong).device(all.device()));
  const at::Tensor products =
      at::bmm(all, all.transpose(1, 2)).flatten(1).index_select(1, pair[0] * count + pair[1]);
  return x.defined() ? at::cat({x, products}, 1) : products;
}

// `values` are the outputs of the previous layers.
at::Tensor Apply(const Layer& layer, const std::vector<at::Tensor>& values, const Batch& rows,
                 const LayerTensors& of, bool training) {
  switch (layer.kind) {
    case LayerKind::kLinear:
      return Linear(layer, rows, of);
    case LayerKind::kEmbed:
      return Embed(layer, rows, of);
    case LayerKind::kDense:
      return at::linear(values.back(), of.parameters[0], of.parameters[1]);
    case LayerKind::kBatchNorm:
      return at::batch_norm(values.back(), of.parameters[0], of.parameters[1], of.buffers[0],
                            of.buffers[1], training && !of.frozen, kNormMomentum, kNormEpsilon,
                            /*cudnn_enabled=*/true);
    case LayerKind::kRelu: {
      const at::Tensor kept = at::relu(values.back());
      return layer.dropout > 0 ? at::dropout(kept, layer.dropout, training) : kept;
    }
    case LayerKind::kMembers:
      return Members(layer, values.back(), of);
    case LayerKind::kHeads:
      return Heads(layer, values.back(), of, training);
    case LayerKind::kPairs:
      return Pairs(layer, values.back(), of);
    case LayerKind::kDots:
      return Dots(layer, values.empty() ? at::Tensor() : values.back(), rows, of);
    case LayerKind::kSum:
      if (training && layer.members > 1) {
        const at::Tensor each = values.back().reshape({layer.members, -1, layer.width});
        return (values[layer.other] + each).reshape({-1, layer.width});
      }
      return values[layer.other] + values.back();
  }
  return {};
}

at::Tensor ApplyAll(const Layers& layers, const Batch& rows, const NetTensors& tensors,
                    bool training) {
  std::vector<at::Tensor> values;
  LayerTensors of{tensors.parameters.data(), tensors.buffers.data()};
  for (const Layer& layer : layers) {
    const auto buffer = size_t(of.buffers - tensors.buffers.data());
    of.frozen = !layer.buffers.empty() && tensors.IsFrozen(buffer);
    values.push_back(Apply(layer, values, rows, of, training));
    of.parameters += layer.parameters.size();
    of.buffers += layer.buffers.size();
  }
  return values.back();
}

}  // namespace

NetTable LayeredNets() {
  NetTable nets = KernelNets();
  for (auto& [name, make] : nets) {
    make = [name = name](const Json& options,
                         const NetInputs& inputs) -> Result<std::unique_ptr<Net>> {
      PT_LET(const Layers layers, DescribeNet({name, options}, inputs));
      auto net = MakeKernelNet(layers, inputs);
      if (!inputs.device.staged()) return net;
      return MakeOperationsNet(
          std::move(net),
          [layers](const Batch& rows, const NetTensors& tensors, bool training) {
            return ApplyAll(layers, rows, tensors, training);
          },
          inputs);
    };
  }
  return nets;
}

}  // namespace protium
