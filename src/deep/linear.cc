// SPDX-License-Identifier: Apache-2.0
#include "deep/linear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "deep/float_tensor.h"
#include "deep/forward_weights.h"
#include "deep/gradient_targets.h"
#include "deep/mlp_kernels.h"
#include "deep/net_columns.h"
#include "deep/operations_net.h"
#include "learn/built_in_nets.h"

namespace protium {
namespace {

// Everything is written out, so that a shard's forward and backward are a handful of loops without
// a recorded graph:
//   forward   out = bias + tables[category of row] ... + numeric x weight'
//   backward  the derivatives by the outputs, summed by category, by numeric column, over all rows
// Without training forward is that of the room forward.
// Forward keeps the batch (a view of the caller's rows), which Backward reads again.
class LinearNet final : public Net {
 public:
  explicit LinearNet(const NetInputs& inputs)
      : shape_(ShapeOf(inputs)), numeric_(inputs.Width(kNumericField)), outputs_(inputs.outputs) {
    for (size_t c = 0; c < inputs.cardinalities.size(); ++c) {
      parameters_.push_back(
          {fmt::format("category.{}.weight", c), {inputs.cardinalities[c], outputs_}});
    }
    tables_ = parameters_.size();
    if (numeric_ > 0) parameters_.push_back({"weight", {outputs_, numeric_}});
    parameters_.push_back({"bias", {outputs_}});
  }

  const std::vector<Variable>& parameters() const override { return parameters_; }
  const std::vector<Variable>& buffers() const override { return buffers_; }
  int64_t least_rows() const override { return 1; }
  bool rows_apart() const override { return true; }

  void Bind(std::vector<at::Tensor> parameters, std::vector<at::Tensor>) override {
    weights_ = std::move(parameters);
    targets_.Bind(weights_);
  }

  void Initialise(uint64_t) override {
    for (at::Tensor& weight : weights_) weight.zero_();
  }

  at::Tensor Forward(const Batch& rows, const uint64_t* training) override {
    // Backward() is written out below, so LibTorch need record nothing.
    const c10::InferenceMode no_graph;
    at::Tensor out = at::empty({rows.size(), outputs_});
    if (training == nullptr) {
      const auto net = MakeForwardLinear(shape_, FindAmong(parameters_, weights_));
      PT_CHECK(net.ok());
      (*net)->Predict(rows, scratch_, FloatData(out));
      return out;
    }
    SumByCategory(rows, Tables(weights_), FloatData(weights_.back()), outputs_, FloatData(out));
    if (numeric_ > 0) at::addmm_out(out, out, rows[kNumericField], weights_[tables_].t());
    rows_ = rows;
    return out;
  }

  void Backward(const at::Tensor& outputs, const GradientSink& sink) override {
    const c10::InferenceMode no_graph;
    std::vector<at::Tensor> targets;
    for (size_t i = 0; i < weights_.size(); ++i) targets.push_back(targets_.At(i, sink));
    // Only rows of tables that the batch names are written below.
    for (size_t c = 0; c < tables_; ++c) targets[c].zero_();
    AddByCategory(rows_, FloatData(outputs), outputs_, outputs_, Tables(targets));
    if (numeric_ > 0) at::mm_out(targets[tables_], outputs.t(), rows_[kNumericField]);
    SumColumns(FloatData(outputs), rows_.size(), outputs_, FloatData(targets.back()));
    for (size_t i = 0; i < weights_.size(); ++i) targets_.Settle(i, sink);
  }

 private:
  std::vector<CategoryRows> Tables(const std::vector<at::Tensor>& tensors) const {
    std::vector<CategoryRows> tables;
    for (size_t c = 0; c < tables_; ++c) tables.push_back({int64_t(c), FloatData(tensors[c])});
    return tables;
  }

  ForwardShape shape_;
  ForwardScratch scratch_;
  int64_t numeric_;
  int64_t outputs_;
  size_t tables_ = 0;  // Parameters 0 .. tables_ - 1 are those of categories.
  std::vector<Variable> parameters_;
  std::vector<Variable> buffers_;
  std::vector<at::Tensor> weights_;
  GradientTargets targets_;
  Batch rows_;
};

// The same sum as LibTorch's operations.
at::Tensor SumByOperations(const Batch& rows, const NetTensors& tensors, int64_t tables) {
  const std::vector<at::Tensor>& weights = tensors.parameters;
  at::Tensor sum = weights.back().expand({rows.size(), weights.back().size(0)});
  for (int64_t c = 0; c < tables; ++c) {
    sum = sum + at::embedding(weights[size_t(c)], rows[kCategoriesField].select(1, c));
  }
  if (!rows.has(kNumericField)) return sum;
  return sum + at::mm(rows[kNumericField], weights[size_t(tables)].t());
}

}  // namespace

Result<std::unique_ptr<Net>> MakeLinear(const Json&, const NetInputs& inputs) {
  PT_TRY(CheckTabular("linear", ColumnsOf(inputs), "net"));
  if (!inputs.device.staged()) return std::make_unique<LinearNet>(inputs);
  return MakeOperationsNet(
      std::make_shared<LinearNet>(inputs),
      [tables = int64_t(inputs.cardinalities.size())](const Batch& rows, const NetTensors& tensors,
                                                      bool) {
        return SumByOperations(rows, tensors, tables);
      },
      inputs);
}

}  // namespace protium
