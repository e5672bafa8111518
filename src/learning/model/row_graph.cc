// SPDX-License-Identifier: Apache-2.0
#include "model/row_graph.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/net_rows.h"
#include "model/sampled_shapley.h"
#include "nets/layers.h"
#include "onnx_graph/net.h"
#include "onnx_runtime/net.h"
#include "rows/rows.h"

namespace protium {
namespace {

// A field of packed rows that feeds an input of the graph.
struct FedField {
  std::string name;
  bool whole = false;  // int32 in rows, int64 in the graph; else float32 in both.
  int64_t width = 0;
};

onnx::GraphedNet GraphedNetOf(const NetConfig& config) {
  onnx::GraphedNet net{.net = config.net, .shape = ShapeOf(config)};
  for (const ListInput& each : config.lists) net.lists.push_back({each.column, each.length});
  return net;
}

// In the order in which onnx::WriteNet() announces its inputs.
std::vector<FedField> FieldsOf(const NetConfig& config) {
  std::vector<FedField> fields;
  const auto numbers = int64_t(config.numeric.size());
  const auto columns = int64_t(config.categorical.size());
  if (numbers > 0) fields.push_back({std::string(kNumericField), false, numbers});
  if (columns > 0) fields.push_back({std::string(kCategoriesField), true, columns});
  for (const ListInput& each : config.lists) fields.push_back({each.column, false, each.length});
  return fields;
}

template <class To, class From>
std::vector<std::byte> Taken(const FieldRows<From>& field, int64_t width, int64_t begin,
                             int64_t end) {
  std::vector<std::byte> bytes(size_t((end - begin) * width) * sizeof(To));
  auto* to = reinterpret_cast<To*>(bytes.data());
  for (int64_t row = begin; row < end; ++row, to += width) {
    std::copy_n(field.at(row), width, to);
  }
  return bytes;
}

NetTensor TensorOf(const PackedRows& rows, const FedField& field, int64_t begin, int64_t end) {
  NetTensor tensor{.element = field.whole ? NetElement::kInt64 : NetElement::kFloat,
                   .shape = {end - begin, field.width}};
  tensor.numbers = field.whole ? Taken<int64_t>(rows.ints(field.name), field.width, begin, end)
                               : Taken<float>(rows.floats(field.name), field.width, begin, end);
  return tensor;
}

class RowGraph : public RowPredictor {
 public:
  RowGraph(const NetConfig& config, const std::vector<ScaledNumber>& scaled, OnnxNet net)
      : rows_(NetRows(config, scaled, {}, false)),
        cardinalities_(Cardinalities(config)),
        fields_(FieldsOf(config)),
        outputs_(config.objective.outputs()),
        net_(std::move(net)) {}

  Result<std::vector<float>> Outputs(const arrow::RecordBatch& batch) const override {
    std::vector<float> outputs;
    outputs.reserve(size_t(batch.num_rows() * outputs_));
    PT_TRY(ForPackedRows(rows_, cardinalities_, batch, [&](const PackedRows& rows) {
      const size_t at = outputs.size();
      outputs.resize(at + size_t(rows.size() * outputs_));
      return Predict(rows, std::span(outputs).subspan(at));
    }));
    return outputs;
  }

  Result<RowExplanations> Explain(const arrow::RecordBatch& batch, std::span<const int32_t> outputs,
                                  const ExplainBy& by) const override {
    const auto predict = [&](const PackedRows& rows, std::span<float> out) {
      return Predict(rows, out);
    };
    return ExplainPacked(rows_, cardinalities_, batch, outputs, int32_t(outputs_), by, predict);
  }

 private:
  Status Predict(const PackedRows& rows, std::span<float> out) const {
    for (int64_t begin = 0; begin < rows.size(); begin += net_.height()) {
      const int64_t end = std::min(rows.size(), begin + net_.height());
      std::vector<NetTensor> inputs;
      for (const FedField& each : fields_) inputs.push_back(TensorOf(rows, each, begin, end));
      PT_LET(const std::vector<NetTensor> made, net_.Run(std::move(inputs)));
      const auto values = made.front().As<float>();
      if (int64_t(values.size()) != (end - begin) * outputs_) {
        return Fail({.exit = Exit::kInput,
                     .what = "the net's weights do not have an output for each of its predictions",
                     .where = "weights.safetensors"});
      }
      std::ranges::copy(values, out.begin() + begin * outputs_);
    }
    return Status::OK();
  }

  const RowSchema rows_;
  const std::vector<int64_t> cardinalities_;
  const std::vector<FedField> fields_;
  const int64_t outputs_;
  const OnnxNet net_;
};

// That ONNX Runtime is missing is about a net that LibTorch trained, not about a file.
Status WithoutRuntime(const std::string& net, const Status& refused) {
  Fault fault = FaultOf(refused);
  fault.what = "the net " + net + " is computed here by ONNX Runtime, which cannot be used";
  return Fail(std::move(fault));
}

}  // namespace

bool IsRunAsGraph(const std::string& net) { return !IsLayered(net) && onnx::IsGraphed(net); }

bool CanRunGraphs() { return NumericsOfOnnx().ok(); }

Result<std::shared_ptr<const RowPredictor>> OpenRowGraph(const NetConfig& config,
                                                         const std::filesystem::path& weights,
                                                         const std::vector<ScaledNumber>& scaled,
                                                         WeightPrecision precision) {
  if (const auto there = NumericsOfOnnx(); !there.ok()) {
    return WithoutRuntime(config.net.name, there.status());
  }
  PT_LET(const Safetensors file, Safetensors::Read(weights));
  onnx::GraphedNet graphed = GraphedNetOf(config);
  graphed.precision = precision;
  PT_LET(onnx::NetFile graph, onnx::WriteNet(graphed, file));
  PT_LET(OnnxNet net, OnnxNet::OfBytes(std::move(graph.bytes), weights.string(), graph.work));
  return std::make_shared<const RowGraph>(config, scaled, std::move(net));
}

}  // namespace protium
