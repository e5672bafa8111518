// SPDX-License-Identifier: Apache-2.0
#include "inference/row_net.h"

#include <cstring>
#include <span>
#include <utility>

#include "base/fault.h"
#include "format/safetensors.h"
#include "inference/net_rows.h"
#include "rows/rows.h"

namespace protium {
namespace {

using Floats = std::map<std::string, std::vector<float>>;

// A copy, since data in a file begins at any byte.
Result<Floats> FloatsOf(const Safetensors& file, const std::filesystem::path& path) {
  Floats all;
  for (const NamedTensor& tensor : file.tensors()) {
    if (tensor.dtype != "F32") {
      return Fail({.exit = Exit::kInput,
                   .what = "the weights " + tensor.name + " are " + tensor.dtype + ", not F32",
                   .where = path.string()});
    }
    std::vector<float>& values = all[tensor.name];
    values.resize(tensor.data.size() / sizeof(float));
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  }
  return all;
}

}  // namespace

Result<RowNet> RowNet::Make(const NetConfig& config, const std::filesystem::path& weights,
                            const SchemaPtr& added) {
  RowNet out;
  out.rows_ = NetRows(config, {}, {}, false);
  out.cardinalities_ = Cardinalities(config);
  out.outputs_ = config.objective.outputs();
  out.added_ = added;
  PT_LET(const Layers layers, DescribeNet(config.net, ShapeOf(config)));
  PT_LET(const Safetensors file, Safetensors::Read(weights));
  PT_LET(Floats floats, FloatsOf(file, weights));
  out.weights_ = std::make_shared<const Floats>(std::move(floats));
  const auto find = [&](const std::string& name) -> std::optional<NetWeight> {
    const auto values = out.weights_->find(name);
    if (values == out.weights_->end()) return std::nullopt;
    return NetWeight{file.Find(name)->shape, values->second.data()};
  };
  PT_LET(out.net_, MakeForward(layers, find));
  PT_LET(auto predictions,
         Predictions::Make(config.objective, MakeTarget(config.objective), added->fields()));
  out.predictions_ = std::make_shared<const Predictions>(std::move(predictions));
  return out;
}

Result<std::shared_ptr<arrow::RecordBatch>> RowNet::Predict(const arrow::RecordBatch& batch) const {
  PT_LET(const auto packer, Packer::Make(rows_, batch.schema(), batch.num_rows() * rows_.width()));
  PT_TRY(packer->Append(batch));
  std::vector<float> outputs(size_t(packer->rows() * outputs_));
  ForwardScratch scratch;
  const auto scan = packer->store().Scan({0, packer->rows()});
  for (int64_t at = 0; at < packer->rows();) {
    PT_LET(const auto bytes, scan->Next(packer->rows()));
    const PackedRows rows(rows_, bytes.data(), int64_t(bytes.size()) / rows_.width());
    PT_TRY(CheckCategories(rows, cardinalities_));
    net_->Predict(rows, scratch, outputs.data() + at * outputs_);
    at += rows.size();
  }
  PT_LET(auto columns, predictions_->Columns(outputs));
  return arrow::RecordBatch::Make(added_, batch.num_rows(), std::move(columns));
}

}  // namespace protium
