// SPDX-License-Identifier: Apache-2.0
#include "model/row_net.h"

#include <arrow/record_batch.h>

#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/net_rows.h"
#include "model/sampled_shapley.h"
#include "nets/forward.h"
#include "rows/rows.h"

namespace protium {
namespace {

using Floats = std::map<std::string, std::vector<float>>;

// A copy, since data in the file may be unaligned. Ids are left out.
Result<Floats> FloatsOf(const Safetensors& file, bool has_ids, const std::string& where) {
  Floats all;
  for (const NamedTensor& tensor : file.tensors()) {
    if (has_ids && tensor.name.starts_with("ids.")) continue;
    if (tensor.dtype != "F32") {
      return Fail({.exit = Exit::kInput,
                   .what = "the weights " + tensor.name + " are " + tensor.dtype + ", not F32",
                   .where = where});
    }
    std::vector<float>& values = all[tensor.name];
    values.resize(tensor.data.size() / sizeof(float));
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  }
  return all;
}

// Completes the shape by the ids that the weights have rows for; nullptr: the net reads none.
Result<std::shared_ptr<const IdRows>> IdRowsOf(NetShape& shape, const Safetensors& file,
                                               const std::string& where) {
  if (shape.ids == 0) return nullptr;
  const auto others = int64_t(shape.cardinalities.size()) - shape.ids;
  PT_LET(auto ids, IdTables::Read(file, size_t(shape.ids), where));
  for (int64_t c = 0; c < shape.ids; ++c) {
    shape.cardinalities[size_t(others + c)] = ids->columns[size_t(c)].count();
  }
  return std::make_shared<const IdRows>(shape.numeric, others, std::move(ids));
}

class RowNet : public RowPredictor {
 public:
  static Result<std::shared_ptr<const RowPredictor>> Make(const NetConfig& config,
                                                          const Safetensors& file,
                                                          const std::string& where, bool int8) {
    NetShape shape = ShapeOf(config);
    PT_LET(const auto ids, IdRowsOf(shape, file, where));
    PT_LET(const Layers layers, DescribeNet(config.net, shape));
    auto out = std::make_shared<RowNet>();
    out->rows_ = NetRows(config, {}, {}, false);
    out->cardinalities_ = Cardinalities(config);
    out->outputs_ = config.objective.outputs();
    PT_LET(out->weights_, FloatsOf(file, ids != nullptr, where));
    const auto find = [&](const std::string& name) -> std::optional<NetWeight> {
      const auto values = out->weights_.find(name);
      if (values == out->weights_.end()) return std::nullopt;
      return NetWeight{file.Find(name)->shape, values->second.data()};
    };
    PT_LET(out->net_, MakeForward(layers, find, ids, int8));
    return std::shared_ptr<const RowPredictor>(std::move(out));
  }

  Result<std::vector<float>> Outputs(const arrow::RecordBatch& batch) const override {
    std::vector<float> outputs;
    outputs.reserve(size_t(batch.num_rows() * outputs_));
    ForwardScratch scratch;
    PT_TRY(ForPackedRows(rows_, cardinalities_, batch, [&](const PackedRows& rows) {
      const size_t at = outputs.size();
      outputs.resize(at + size_t(rows.size() * outputs_));
      net_->Predict(rows, scratch, outputs.data() + at);
      return Status::OK();
    }));
    return outputs;
  }

  Result<RowExplanations> Explain(const arrow::RecordBatch& batch, std::span<const int32_t> outputs,
                                  const ExplainBy& by) const override {
    ForwardScratch scratch;
    const auto predict = [&](const PackedRows& rows, std::span<float> out) {
      net_->Predict(rows, scratch, out.data());
      return Status::OK();
    };
    return ExplainPacked(rows_, cardinalities_, batch, outputs, int32_t(outputs_), by, predict);
  }

 private:
  RowSchema rows_;
  std::vector<int64_t> cardinalities_;
  int64_t outputs_ = 1;
  Floats weights_;  // net_ borrows these.
  std::unique_ptr<const ForwardNet> net_;
};

}  // namespace

Result<std::shared_ptr<const RowPredictor>> OpenRowNet(const NetConfig& config,
                                                       const std::filesystem::path& weights,
                                                       bool int8) {
  PT_TRY(CheckLayered(config.net));
  PT_LET(const Safetensors file, Safetensors::Read(weights));
  return RowNet::Make(config, file, weights.string(), int8);
}

Result<std::shared_ptr<const RowPredictor>> MakeRowNet(const NetConfig& config,
                                                       const Safetensors& tensors,
                                                       const std::string& where) {
  return RowNet::Make(config, tensors, where, false);
}

}  // namespace protium
