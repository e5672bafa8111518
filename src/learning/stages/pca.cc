// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <algorithm>
#include <cmath>

#include "stages/batch_stage.h"
#include "stages/column_stage.h"
#include "stages/eigen.h"
#include "stages/row.h"
#include "statistics/lists.h"

// A list of numbers as its `k` principal components: the products with the unit vectors along which
// the training rows vary most. Covariances come from sums without rounding error (products.h), the
// vectors from a fixed sequence of rotations (eigen.h), and products are added in the order of the
// list, so workers and machines change no bit. Rows that are NULL or contain a NaN are left out of
// learning; applying returns NULL for NULL and NaN for NaN.
//
// Spark ML's PCA uses the same vectors, of either sign; here the largest entry by size is positive.
// As in Spark, rows are projected as they are, unless `center` subtracts the means first, as
// scikit-learn does.

namespace protium {
namespace {

struct PcaOptions : ColumnOptions {
  int64_t k = 2;
  bool center = false;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("k", k, {.help = "the number of components, and the length of each list", .at_least = 1});
    visit("center", center, {.help = "subtracts the means first; Spark does not"});
  }
};

struct Components {
  std::string input;
  std::string output;
  std::vector<double> means;                    // The means to subtract; empty without `center`.
  std::vector<std::vector<double>> components;  // k vectors.
  std::vector<double> explained;                // The share of all variance along each.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("means", means);
    visit("components", components);
    visit("explained", explained);
  }
};

class PcaStage : public BatchStage {
 public:
  PcaStage(const PcaOptions& options, StageNames names)
      : BatchStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::float64());
  }
  int64_t output_length(size_t) const override { return options_.k; }
  Status CheckType(const arrow::DataType& type) const override {
    if (CheckNumeric(type).ok()) {
      return Status::TypeError("lists of numbers, which vector_assembler makes");
    }
    return CheckNumbers(type);
  }
  Status SeeInputs(std::span<const StageColumn> inputs, const Analyze&) override {
    for (const StageColumn& input : inputs) {
      if (input.length == 0 || options_.k <= input.length) continue;
      return Fail({.exit = Exit::kUsage,
                   .what = "the lists in \"" + input.name + "\" have " +
                           std::to_string(input.length) +
                           " numbers, fewer than k = " + std::to_string(options_.k),
                   .where = "k"});
    }
    return Status::OK();
  }

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kProducts); }
  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      Components made{.input = inputs()[i], .output = outputs()[i]};
      PT_TRY(LearnOne(std::get<Products>(states[i]), made));
      learned_.push_back(std::move(made));
    }
    return Status::OK();
  }

  Json learned() const override { return FieldsToJson(learned_); }
  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Components>(learned, names()));
    for (const Components& each : learned_) {
      if (IsSound(each)) continue;
      return Fail({.exit = Exit::kInput,
                   .what = "the components that stage \"" + id() + "\" learned from \"" +
                           each.input + "\" are damaged"});
    }
    return Status::OK();
  }

  Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& inputs) const override {
    arrow::ArrayVector outputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      PT_LET(const NumberLists lists, NumberLists::Of(*inputs[i]));
      PT_LET(outputs.emplace_back(), Project(lists, learned_[i]));
    }
    return outputs;
  }

 private:
  Status LearnOne(const Products& products, Components& made) const {
    PT_TRY(CheckSomeValue(products.rows(), made.input));
    const auto length = int64_t(products.length());
    if (options_.k > length) {
      return Fail({.exit = Exit::kInput,
                   .what = "the lists in \"" + made.input + "\" have " + std::to_string(length) +
                           " numbers, fewer than k = " + std::to_string(options_.k)});
    }
    const std::vector<double> covariances = products.Covariances();
    const bool finite = std::all_of(covariances.begin(), covariances.end(),
                                    [](double each) { return std::isfinite(each); });
    PT_TRY(CheckSpread(finite, made.input));
    std::vector<Eigenpair> pairs = Eigenpairs(covariances, size_t(length));
    double all = 0;
    for (const Eigenpair& each : pairs) all += std::max(each.value, 0.0);
    for (int64_t i = 0; i < options_.k; ++i) {
      Eigenpair& pair = pairs[size_t(i)];
      made.components.push_back(std::move(pair.vector));
      made.explained.push_back(all > 0 ? std::max(pair.value, 0.0) / all : 0);
    }
    if (options_.center) made.means = products.Means();
    return Status::OK();
  }

  bool IsSound(const Components& each) const {
    const size_t k = size_t(options_.k);
    bool sound = each.components.size() == k && each.explained.size() == k;
    for (const auto& component : each.components) {
      sound = sound && !component.empty() && component.size() == each.components[0].size();
      for (const double entry : component) sound = sound && std::isfinite(entry);
    }
    if (!sound || !options_.center) return sound && each.means.empty();
    return each.means.size() == each.components[0].size();
  }

  static Result<std::shared_ptr<arrow::Array>> Project(const NumberLists& lists,
                                                       const Components& learned) {
    const auto length = int64_t(learned.components[0].size());
    const size_t k = learned.components.size();
    std::vector<double> projected(size_t(lists.rows()) * k);
    std::vector<bool> valid(size_t(lists.rows()));
    for (int64_t row = 0; row < lists.rows(); ++row) {
      PT_TRY(CheckLength(lists, row, length, learned.input));
      valid[size_t(row)] = !lists.IsNull(row);
      const auto list = lists.At(row);
      for (size_t c = 0; c < k; ++c) {
        double sum = 0;
        for (size_t i = 0; i < list.size(); ++i) {
          const double x = learned.means.empty() ? list[i] : list[i] - learned.means[i];
          sum += x * learned.components[c][i];
        }
        projected[size_t(row) * k + c] = sum;
      }
    }
    return MakeLists(projected, int64_t(k), valid);
  }

  PcaOptions options_;
  std::vector<Components> learned_;
};

}  // namespace

StageRow PcaRow() {
  return MakeStageRow<PcaStage, PcaOptions>("pca", "the principal components of lists of numbers");
}

}  // namespace protium
