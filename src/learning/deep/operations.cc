// SPDX-License-Identifier: Apache-2.0
#include "deep/operations.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>

#include <numeric>
#include <utility>
#include <vector>

#include "deep/operations_net.h"
#include "nets/batch_norm.h"
#include "nets/linear.h"
#include "nets/tabular_mlp.h"
#include "nets/wide_and_deep.h"
#include "recipe/nets.h"

namespace protium {
namespace {

// The input of the first layer: embeddings of these categories, then numeric values.
at::Tensor JoinInputs(const Batch& rows, const std::vector<at::Tensor>& weights,
                      const std::vector<int64_t>& categories) {
  std::vector<at::Tensor> parts;
  for (size_t c = 0; c < categories.size(); ++c) {
    parts.push_back(at::embedding(weights[c], rows[kCategoriesField].select(1, categories[c])));
  }
  if (rows.has(kNumericField)) parts.push_back(rows[kNumericField]);
  return at::cat(parts, 1);
}

// The same layers as LibTorch's operations, over the parameters in their order (tabular_mlp.h).
at::Tensor ApplyLayers(const Batch& rows, const NetTensors& tensors, bool training,
                       const TabularMlpOptions& options, const std::vector<int64_t>& categories) {
  const std::vector<at::Tensor>& weights = tensors.parameters;
  at::Tensor x = JoinInputs(rows, weights, categories);
  size_t at = categories.size();
  for (size_t l = 0; l < options.hidden.size(); ++l) {
    x = at::linear(x, weights[at], weights[at + 1]);
    at += 2;
    if (options.batch_norm) {
      x = at::batch_norm(x, weights[at], weights[at + 1], tensors.buffers[2 * l],
                         tensors.buffers[2 * l + 1], training, kNormMomentum, kNormEpsilon,
                         /*cudnn_enabled=*/true);
      at += 2;
    }
    x = at::relu(x);
    if (options.dropout > 0) x = at::dropout(x, options.dropout, training);
  }
  return at::linear(x, weights[at], weights[at + 1]);
}

// The sum of linear.h.
at::Tensor SumByOperations(const Batch& rows, const NetTensors& tensors, int64_t tables) {
  const std::vector<at::Tensor>& weights = tensors.parameters;
  at::Tensor sum = weights.back().expand({rows.size(), weights.back().size(0)});
  for (int64_t c = 0; c < tables; ++c) {
    sum = sum + at::embedding(weights[size_t(c)], rows[kCategoriesField].select(1, c));
  }
  if (!rows.has(kNumericField)) return sum;
  return sum + at::mm(rows[kNumericField], weights[size_t(tables)].t());
}

Result<std::unique_ptr<Net>> MakeMlpOverAnywhere(const TabularMlpOptions& options,
                                                 const NetInputs& inputs,
                                                 const std::vector<int64_t>& categories) {
  PT_LET(auto net, MakeTabularMlpOver(options, inputs, categories));
  if (!inputs.device.staged()) return net;
  return MakeOperationsNet(
      std::move(net),
      [options, categories](const Batch& rows, const NetTensors& tensors, bool training) {
        return ApplyLayers(rows, tensors, training, options, categories);
      },
      inputs);
}

}  // namespace

Result<std::unique_ptr<Net>> MakeLinearAnywhere(const Json& given, const NetInputs& inputs) {
  PT_LET(auto net, MakeLinear(given, inputs));
  if (!inputs.device.staged()) return net;
  return MakeOperationsNet(
      std::move(net),
      [tables = int64_t(inputs.cardinalities.size())](const Batch& rows, const NetTensors& tensors,
                                                      bool) {
        return SumByOperations(rows, tensors, tables);
      },
      inputs);
}

Result<std::unique_ptr<Net>> MakeTabularMlpAnywhere(const Json& given, const NetInputs& inputs) {
  // It refuses what the net itself refuses.
  PT_LET(auto net, MakeTabularMlp(given, inputs));
  if (!inputs.device.staged()) return net;
  TabularMlpOptions options;
  PT_TRY(FieldsFromJson(given, "net", options));
  std::vector<int64_t> all(inputs.cardinalities.size());
  std::iota(all.begin(), all.end(), 0);
  return MakeMlpOverAnywhere(options, inputs, all);
}

Result<std::unique_ptr<Net>> MakeWideAndDeepAnywhere(const Json& given, const NetInputs& inputs) {
  return MakeWideAndDeepOf(given, inputs, MakeLinearAnywhere, MakeMlpOverAnywhere);
}

}  // namespace protium
