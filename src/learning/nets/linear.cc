// SPDX-License-Identifier: Apache-2.0
#include "nets/linear.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"
#include "nets/forward_weights.h"
#include "nets/gradient_targets.h"
#include "nets/mlp_kernels.h"
#include "nets/net_columns.h"
#include "nets/product.h"
#include "recipe/net_columns.h"

namespace protium {
namespace {

// Everything is written out, so that a shard's forward and backward are a handful of loops without
// a recorded graph:
//   forward   out = bias + tables[category of row] ... + numeric x weight'
//   backward  the derivatives by the outputs, summed by category, by numeric column, over all rows
// Without training forward is that of forward.h.
// Forward keeps the batch (a view of the caller's rows), which Backward reads again.
class LinearNet final : public Net {
 public:
  explicit LinearNet(const NetInputs& inputs)
      : shape_(ShapeOf(inputs)),
        product_(inputs.threads),
        numeric_(inputs.Width(kNumericField)),
        outputs_(inputs.outputs) {
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

  void Bind(std::vector<FloatValues> parameters, std::vector<FloatValues>) override {
    weights_ = std::move(parameters);
  }

  void Initialise(uint64_t) override {
    for (const FloatValues& weight : weights_) std::ranges::fill(weight.host(), 0.0f);
  }

  FloatValues Forward(const BatchRows& rows, const uint64_t* training) override {
    out_.resize(size_t(rows.size() * outputs_));
    const FloatValues out{out_.data(), {rows.size(), outputs_}};
    if (training == nullptr) {
      const auto net = MakeForwardLinear(shape_, FindAmong(parameters_, weights_));
      PT_CHECK(net.ok());
      (*net)->Predict(rows, scratch_, out.data);
      return out;
    }
    SumByCategory(rows, Tables(weights_), weights_.back().data, outputs_, out.data);
    if (numeric_ > 0) {
      const auto weight = MatrixView::Of(weights_[tables_].data, outputs_, numeric_);
      product_.Add(Numbers(rows), weight.Transposed(), out.data, outputs_);
    }
    rows_ = rows;
    return out;
  }

  void Backward(const FloatValues& outputs, const GradientSink& sink) override {
    std::vector<FloatValues> targets;
    for (size_t i = 0; i < weights_.size(); ++i) {
      targets.push_back({targets_.At(i, sink), parameters_[i].shape});
    }
    // Only rows of tables that the batch names are written below.
    for (size_t c = 0; c < tables_; ++c) std::ranges::fill(targets[c].host(), 0.0f);
    AddByCategory(rows_, outputs.data, outputs_, outputs_, Tables(targets));
    if (numeric_ > 0) {
      const auto by_out = MatrixView::Of(outputs.data, rows_.size(), outputs_);
      product_.Set(by_out.Transposed(), Numbers(rows_), targets[tables_].data, numeric_);
    }
    SumColumns(outputs.data, rows_.size(), outputs_, targets.back().data);
    for (size_t i = 0; i < weights_.size(); ++i) targets_.Settle(i, sink);
  }

 private:
  std::vector<CategoryRows> Tables(const std::vector<FloatValues>& values) const {
    std::vector<CategoryRows> tables;
    for (size_t c = 0; c < tables_; ++c) tables.push_back({int64_t(c), values[c].data});
    return tables;
  }

  // The numeric values of packed rows, where they lie.
  MatrixView Numbers(const PackedRows& rows) const {
    const FieldRows<float> numbers = rows.floats(kNumericField);
    return {numbers.first, rows.size(), numeric_, numbers.stride, 1};
  }

  ForwardShape shape_;
  ForwardScratch scratch_;
  Product product_;
  int64_t numeric_;
  int64_t outputs_;
  size_t tables_ = 0;  // Parameters 0 .. tables_ - 1 are those of categories.
  std::vector<Variable> parameters_;
  std::vector<Variable> buffers_;
  std::vector<FloatValues> weights_;
  std::vector<float> out_;
  GradientTargets targets_;
  BatchRows rows_;
};

}  // namespace

Result<std::unique_ptr<Net>> MakeLinear(const Json&, const NetInputs& inputs) {
  PT_TRY(CheckTabular("linear", ColumnsOf(inputs), "net"));
  return std::make_unique<LinearNet>(inputs);
}

}  // namespace protium
