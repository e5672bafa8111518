// SPDX-License-Identifier: Apache-2.0
#include "deep/recorded_loss.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <utility>

#include "deep/batch.h"
#include "deep/float_tensor.h"
#include "deep/torch_wall.h"

// Steps of a call: the outputs become a leaf of a new graph, separate from the net's; the user's
// expression is recorded and checked; one backward pass, with the weights of the rows as incoming
// gradient, gives the derivative of the weighted sum. The sums themselves are computed here, in
// double and in the order of the rows, like those of the built-in losses.

namespace protium {
namespace {

// Labels for the user's expression. Rows store classes as int32, but gather() and nll_loss() take
// only int64 indices.
at::Tensor ListLabels(const PackedRows& rows) {
  const at::Tensor labels = Batch(rows.schema(), rows.row(0), rows.size())[kLabelField];
  return labels.scalar_type() == at::kInt ? labels.flatten().to(at::kLong) : labels;
}

// The weight of each row times that of its class.
std::vector<float> WeighRows(const PackedRows& rows, const std::vector<double>& class_weights) {
  const FieldRows<float> weights = rows.floats(kWeightField);
  const FieldRows<int32_t> labels = rows.ints(kLabelField);
  std::vector<float> out(size_t(rows.size()));
  for (int64_t i = 0; i < rows.size(); ++i) {
    const double factor = class_weights.empty() ? 1 : class_weights[size_t(*labels.at(i))];
    out[size_t(i)] = float(double(*weights.at(i)) * factor);
  }
  return out;
}

// A scalar would mean that the expression has already summed the rows, in another order and with
// other weights than ours.
void CheckLosses(const at::Tensor& losses, int64_t rows) {
  TORCH_CHECK(losses.scalar_type() == at::kFloat, "the loss returns ", losses.scalar_type(),
              ", not float32");
  TORCH_CHECK(losses.dim() >= 1 && losses.dim() <= 2 && losses.size(0) == rows, "the loss returns ",
              losses.sizes(), " for ", rows,
              " rows: it must return the loss of each row, without a sum or mean over them");
  TORCH_CHECK(losses.requires_grad(), "the loss does not depend on the outputs");
}

LossSums SumLosses(const RowLosses& each, const std::vector<double>& class_weights,
                   std::span<const float> outputs, const PackedRows& rows,
                   std::span<float> gradient) {
  LossSums sums;
  // A shard may have no row in a step; `outputs` is empty then.
  if (rows.size() == 0) return sums;
  const at::AutoGradMode graph(true);
  const int64_t width = int64_t(outputs.size()) / rows.size();
  at::Tensor leaf =
      at::from_blob(const_cast<float*>(outputs.data()), {rows.size(), width}, at::kFloat)
          .clone()
          .set_requires_grad(true);
  const at::Tensor losses = each(leaf, ListLabels(rows));
  CheckLosses(losses, rows.size());
  const std::vector<float> weights = WeighRows(rows, class_weights);
  const at::Tensor table = losses.reshape({rows.size(), -1});
  const at::Tensor counts =
      at::from_blob(const_cast<float*>(weights.data()), {rows.size(), 1}, at::kFloat);
  table.backward(counts.expand_as(table).contiguous());
  const at::Tensor slopes = leaf.grad().contiguous();
  std::ranges::copy(FloatSpan(slopes), gradient.begin());
  const at::Tensor values = table.detach().contiguous();
  const auto per_row = size_t(values.size(1));
  const std::span<float> terms = FloatSpan(values);
  for (size_t i = 0; i < weights.size(); ++i) {
    for (size_t n = 0; n < per_row; ++n) {
      sums.loss += double(weights[i]) * double(terms[i * per_row + n]);
      sums.weight += double(weights[i]);
    }
  }
  return sums;
}

}  // namespace

Loss RecordedLoss(RowLosses each, std::vector<double> class_weights) {
  return [each = std::move(each), class_weights = std::move(class_weights)](
             std::span<const float> outputs, const PackedRows& rows, std::span<float> gradient) {
    return Translated([&] { return SumLosses(each, class_weights, outputs, rows, gradient); });
  };
}

}  // namespace protium
