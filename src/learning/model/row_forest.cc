// SPDX-License-Identifier: Apache-2.0
#include "model/row_forest.h"

#include <arrow/record_batch.h>

#include <utility>
#include <vector>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/forest_config.h"
#include "model/net_rows.h"
#include "rows/rows.h"
#include "trees/features.h"
#include "trees/forest_file.h"

namespace protium {
namespace {

class RowForest : public RowPredictor {
 public:
  RowForest(const NetConfig& config, Forest forest)
      : rows_(ForestRows(config, {}, false)),
        cardinalities_(Cardinalities(config)),
        forest_(std::move(forest)) {}

  Result<std::vector<float>> Outputs(const arrow::RecordBatch& batch) const override {
    PT_LET(const auto packer,
           Packer::Make(rows_, batch.schema(), batch.num_rows() * rows_.width()));
    PT_TRY(packer->Append(batch));
    std::vector<float> outputs(size_t(packer->rows() * forest_.outputs()));
    const auto scan = packer->store().Scan({0, packer->rows()});
    for (int64_t at = 0; at < packer->rows();) {
      PT_LET(const auto bytes, scan->Next(packer->rows()));
      const PackedRows rows(rows_, bytes.data(), int64_t(bytes.size()) / rows_.width());
      PT_TRY(CheckCategories(rows, cardinalities_));
      Predict(rows, std::span(outputs).subspan(size_t(at * forest_.outputs())));
      at += rows.size();
    }
    return outputs;
  }

 private:
  void Predict(const PackedRows& rows, std::span<float> out) const {
    const size_t columns = forest_.columns.size(), width = size_t(forest_.outputs());
    std::vector<float> features(size_t(rows.size()) * columns);
    CopyFeatures(rows, features);
    for (size_t i = 0; i < size_t(rows.size()); ++i) {
      forest_.Predict(std::span(features).subspan(i * columns, columns),
                      out.subspan(i * width, width));
    }
  }

  RowSchema rows_;
  std::vector<int64_t> cardinalities_;
  Forest forest_;
};

}  // namespace

Result<std::shared_ptr<const RowPredictor>> OpenRowForest(const NetConfig& config,
                                                          const std::filesystem::path& weights) {
  PT_LET(const Safetensors file, Safetensors::Read(weights));
  PT_LET(Forest forest, ForestOf(file, ForestColumns(config), weights.string()));
  if (forest.outputs() != config.objective.outputs()) {
    return Fail({.exit = Exit::kInput,
                 .what = "the forest has " + std::to_string(forest.outputs()) +
                         " outputs, but what it predicts needs " +
                         std::to_string(config.objective.outputs()),
                 .where = weights.string()});
  }
  return std::make_shared<const RowForest>(config, std::move(forest));
}

}  // namespace protium
