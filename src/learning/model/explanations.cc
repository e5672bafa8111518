// SPDX-License-Identifier: Apache-2.0
#include "model/explanations.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fault.h"
#include "model/model_state.h"

namespace protium {
namespace {

// The numbers of a row: those of the columns, then the mean.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual Status Add(std::span<const double> numbers) = 0;
  virtual Result<arrow::ArrayVector> Finish() = 0;
};

Status FinishInto(arrow::ArrayBuilder& builder, arrow::ArrayVector& columns) {
  PT_LET(columns.emplace_back(), builder.Finish());
  return Status::OK();
}

class EveryColumn final : public RowWriter {
 public:
  explicit EveryColumn(size_t names) : numbers_(names + 1) {}
  Status Add(std::span<const double> numbers) override {
    for (size_t i = 0; i < numbers.size(); ++i) PT_TRY(numbers_[i].Append(numbers[i]));
    return Status::OK();
  }
  Result<arrow::ArrayVector> Finish() override {
    arrow::ArrayVector columns;
    for (auto& each : numbers_) PT_TRY(FinishInto(each, columns));
    return columns;
  }

 private:
  std::vector<arrow::DoubleBuilder> numbers_;
};

class MostColumns final : public RowWriter {
 public:
  MostColumns(const Columns& names, size_t most)
      : names_(names), order_(names.size()), columns_(most), by_(most) {}

  Status Add(std::span<const double> numbers) override {
    std::iota(order_.begin(), order_.end(), size_t{0});
    // Of equals, the first: the same on every machine.
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return std::abs(numbers[a]) > std::abs(numbers[b]);
    });
    double others = 0;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (i >= by_.size()) {
        others += numbers[order_[i]];
        continue;
      }
      PT_TRY(columns_[i].Append(names_[order_[i]]));
      PT_TRY(by_[i].Append(numbers[order_[i]]));
    }
    PT_TRY(others_.Append(others));
    return mean_.Append(numbers.back());
  }
  Result<arrow::ArrayVector> Finish() override {
    arrow::ArrayVector columns;
    for (size_t i = 0; i < by_.size(); ++i) {
      PT_TRY(FinishInto(columns_[i], columns));
      PT_TRY(FinishInto(by_[i], columns));
    }
    PT_TRY(FinishInto(others_, columns));
    PT_TRY(FinishInto(mean_, columns));
    return columns;
  }

 private:
  const Columns& names_;
  std::vector<size_t> order_;
  std::vector<arrow::StringBuilder> columns_;
  std::vector<arrow::DoubleBuilder> by_;
  arrow::DoubleBuilder others_, mean_;
};

}  // namespace

Explanations::Explanations(const Objective& objective, const ExplainConfig& config,
                           std::shared_ptr<const Background> background)
    : width_(int32_t(objective.outputs())),
      config_(config),
      background_(std::move(background)),
      names_(ExplainedSources(config)) {
  if (OfNumbers(objective.kind)) {
    const ScaledLabel& label = objective.labels.front();
    scale_ = {label.deviation, label.mean};
  } else {
    scale_ = {1 / objective.decision.temperature, 0};
  }
  for (const std::string& each : config.sources) {
    name_of_.push_back(size_t(std::ranges::find(names_, each) - names_.begin()));
  }
}

std::vector<double> Explanations::Numbers(const RowExplanations& explained, size_t row,
                                          int32_t output) const {
  std::vector<double> numbers(names_.size() + 1);
  const double* const by_feature = explained.by_feature.data() + row * name_of_.size();
  for (size_t f = 0; f < name_of_.size(); ++f) numbers[name_of_[f]] += by_feature[f];
  for (double& each : numbers) each *= scale_.factor;
  numbers.back() = explained.mean[size_t(output)] * scale_.factor + scale_.offset;
  return numbers;
}

Result<arrow::ArrayVector> Explanations::Columns(const ExplainRows& explain,
                                                 const arrow::RecordBatch& rows,
                                                 std::span<const float> outputs) const {
  const auto count = size_t(rows.num_rows());
  std::vector<int32_t> of(count);
  for (size_t i = 0; i < count; ++i) {
    const auto row = outputs.subspan(i * size_t(width_), size_t(width_));
    of[i] = int32_t(std::ranges::max_element(row) - row.begin());
  }
  const PackedRows background = background_ ? background_->rows() : PackedRows();
  const ExplainBy by{.sources = config_.sources,
                     .samples = config_.samples,
                     .background = background_ ? &background : nullptr};
  PT_LET(const RowExplanations explained, explain(rows, of, by));
  std::unique_ptr<RowWriter> writer;
  if (config_.columns == kEveryColumn) {
    writer = std::make_unique<EveryColumn>(names_.size());
  } else {
    writer =
        std::make_unique<MostColumns>(names_, std::min(size_t(config_.columns), names_.size()));
  }
  for (size_t i = 0; i < count; ++i) PT_TRY(writer->Add(Numbers(explained, i, of[i])));
  return writer->Finish();
}

Status CheckExplains(const Chain& chain, const Objective& objective,
                     const std::string& background) {
  const auto fails = [](std::string what, std::string fix) {
    return Fail({.exit = Exit::kUsage, .what = std::move(what), .fix = std::move(fix)});
  };
  if (!chain.estimator) return fails("a model without an estimator predicts nothing", "");
  const ExplainsFrom from = chain.estimator->kind->ExplainedFrom(chain.options.back().options);
  if (from == ExplainsFrom::kNothing) {
    return fails(fmt::format("predictions of {} cannot be explained", chain.options.back().kind),
                 "those of tree_estimator and torch_estimator can");
  }
  if (objective.outputs() > 1 && objective.kind != TargetKind::kClasses) {
    return fails(fmt::format("the model predicts {} numbers for a row, and one can be explained",
                             objective.outputs()),
                 "fit a model with one label and one quantile");
  }
  if (from == ExplainsFrom::kBackground && background.empty()) {
    return fails(
        fmt::format("the model has no {}, rows of its training to compare others with, so its "
                    "predictions cannot be explained",
                    kBackgroundFile),
        "fit it again: this release keeps them with every net");
  }
  return Status::OK();
}

Result<PipelineModel> PipelineModel::Explaining(int32_t columns, int32_t samples) const {
  if (columns != kEveryColumn && columns < 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} columns cannot explain a prediction", columns),
                 .fix = "1 or more, or kEveryColumn"});
  }
  if (samples < 1) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} samples cannot explain a prediction", samples),
                 .fix = "1 or more"});
  }
  ModelState copy = *state_;
  copy.explain = {};
  if (columns != 0) {
    const std::string& background = copy.trained.background;
    PT_TRY(CheckExplains(*copy.chain, copy.net.objective, background));
    copy.explain = {columns, SourcesOfFeatures(*copy.chain, copy.net), samples, background};
  }
  return PipelineModel(std::make_shared<const ModelState>(std::move(copy)));
}

}  // namespace protium
