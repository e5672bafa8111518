// SPDX-License-Identifier: Apache-2.0
#include "model/row_forest.h"

#include <arrow/record_batch.h>

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/forest_config.h"
#include "model/net_rows.h"
#include "rows/rows.h"
#include "trees/explain.h"
#include "trees/features.h"
#include "trees/forest_file.h"
#include "trees/predict.h"

namespace protium {
namespace {

class RowForest : public RowPredictor {
 public:
  RowForest(const NetConfig& config, Forest forest)
      : rows_(ForestRows(config, {}, false)),
        cardinalities_(Cardinalities(config)),
        forest_(std::move(forest)),
        batches_(forest_) {}
  RowForest(const RowForest&) = delete;

  Result<std::vector<float>> Outputs(const arrow::RecordBatch& batch) const override {
    PT_LET(const std::vector<float> features, Features(batch));
    std::vector<float> outputs(size_t(batch.num_rows() * forest_.outputs()));
    batches_.Predict(features, batch.num_rows(), outputs);
    return outputs;
  }

  Result<RowExplanations> Explain(const arrow::RecordBatch& batch, std::span<const int32_t> outputs,
                                  const ExplainBy&) const override {
    PT_LET(const std::vector<float> features, Features(batch));
    std::call_once(planned_, [this] { explainer_.emplace(forest_); });
    RowExplanations out{.mean = {explainer_->mean().begin(), explainer_->mean().end()},
                        .by_feature = std::vector<double>(features.size())};
    explainer_->Explain(features, out.by_feature, outputs);
    return out;
  }

 private:
  // [rows, columns]
  Result<std::vector<float>> Features(const arrow::RecordBatch& batch) const {
    PT_LET(const auto packer,
           Packer::Make(rows_, batch.schema(), batch.num_rows() * rows_.width()));
    PT_TRY(packer->Append(batch));
    const size_t columns = forest_.columns.size();
    std::vector<float> features(size_t(packer->rows()) * columns);
    const auto scan = packer->store().Scan({0, packer->rows()});
    for (int64_t at = 0; at < packer->rows();) {
      PT_LET(const auto bytes, scan->Next(packer->rows()));
      const PackedRows rows(rows_, bytes.data(), int64_t(bytes.size()) / rows_.width());
      PT_TRY(CheckCategories(rows, cardinalities_));
      CopyFeatures(
          rows, std::span(features).subspan(size_t(at) * columns, size_t(rows.size()) * columns));
      at += rows.size();
    }
    return features;
  }

  RowSchema rows_;
  std::vector<int64_t> cardinalities_;
  Forest forest_;
  BatchForest batches_;
  // Made when a row is first explained.
  mutable std::once_flag planned_;
  mutable std::optional<ForestExplainer> explainer_;
};

}  // namespace

Result<std::shared_ptr<const RowPredictor>> OpenRowForest(const NetConfig& config,
                                                          const std::filesystem::path& weights) {
  PT_LET(const Safetensors file, Safetensors::Read(weights));
  return MakeRowForest(config, file, weights.string());
}

Result<std::shared_ptr<const RowPredictor>> MakeRowForest(const NetConfig& config,
                                                          const Safetensors& tensors,
                                                          const std::string& where) {
  PT_LET(Forest forest, ForestOf(tensors, ForestColumns(config), where));
  if (forest.outputs() != config.objective.outputs()) {
    return Fail({.exit = Exit::kInput,
                 .what = "the forest has " + std::to_string(forest.outputs()) +
                         " outputs, but what it predicts needs " +
                         std::to_string(config.objective.outputs()),
                 .where = where});
  }
  return std::make_shared<const RowForest>(config, std::move(forest));
}

}  // namespace protium
