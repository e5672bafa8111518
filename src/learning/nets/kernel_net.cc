// SPDX-License-Identifier: Apache-2.0
#include "nets/kernel_net.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "nets/forward.h"
#include "nets/id_rows.h"
#include "nets/layer_kernels.h"
#include "nets/mlp_kernels.h"
#include "nets/net_columns.h"
#include "protium/nets.h"
#include "tensor/norm_statistics.h"
#include "tensor/philox.h"

namespace protium {
namespace {

void BeginById(const LayerTensor& tensor, uint64_t key, const IdSet& ids, std::span<float> values) {
  const auto width = size_t(tensor.shape[1]);
  for (const uint64_t id : ids.ids()) {
    DrawIdRow(key, id, tensor.start_value, values.first(width));
    values = values.subspan(width);
  }
}

void Begin(const LayerTensor& tensor, uint64_t key, const IdTables* ids, std::span<float> values) {
  key = DrawKeyOf(tensor, key);
  if (tensor.ids >= 0 && tensor.start == Start::kUniform) {
    return BeginById(tensor, key, ids->columns[size_t(tensor.ids)], values);
  }
  switch (tensor.start) {
    case Start::kConstant:
      std::ranges::fill(values, tensor.start_value);
      break;
    case Start::kNormal:
      DrawNormal(key, tensor.start_value, values);
      break;
    case Start::kUniform:
      DrawUniform(key, -tensor.start_value, tensor.start_value, values);
      break;
  }
}

// Values go through the layers in order, derivatives in reverse order. Backward() must directly
// follow its Forward().
class KernelNet final : public Net, public NormalisingNet {
 public:
  KernelNet(Layers layers, const NetInputs& inputs)
      : layers_(std::move(layers)),
        memory_(inputs.threads),
        outputs_(inputs.outputs),
        ids_(IdRows::Of(inputs)) {
    for (size_t l = 0; l < layers_.size(); ++l) {
      AddKernel(l);
      const Layer& layer = layers_[l];
      parameters_.insert(parameters_.end(), layer.parameters.begin(), layer.parameters.end());
      buffers_.insert(buffers_.end(), layer.buffers.begin(), layer.buffers.end());
    }
    outs_.resize(layers_.size());
  }

  const std::vector<Variable>& parameters() const override { return parameters_; }
  const std::vector<Variable>& buffers() const override { return buffers_; }
  std::vector<NamedTensor> constants() const override {
    return ids_ ? ids_->tables().Tensors() : std::vector<NamedTensor>();
  }
  std::shared_ptr<const IdTables> ids() const override { return ids_ ? ids_->shared() : nullptr; }
  int64_t least_rows() const override { return buffers_.empty() ? 1 : 2; }
  bool rows_apart() const override { return true; }
  int64_t members() const override { return layers_.back().members; }

  bool PredictInInt8(bool int8) override {
    int8_ = int8;
    return true;
  }
  void FreezeStatistics(const std::vector<bool>& frozen) override { memory_.frozen = frozen; }

  void Bind(std::vector<FloatValues> parameters, std::vector<FloatValues> buffers) override {
    memory_.weights = std::move(parameters);
    memory_.running = std::move(buffers);
    for (const auto& kernel : kernels_) {
      if (kernel) kernel->Bind();
    }
  }

  void Initialise(uint64_t key) override {
    auto weights = memory_.weights.begin(), running = memory_.running.begin();
    const IdTables* const ids = ids_ ? &ids_->tables() : nullptr;
    for (const Layer& layer : layers_) {
      for (const LayerTensor& each : layer.parameters) Begin(each, key, ids, (weights++)->host());
      for (const LayerTensor& each : layer.buffers) Begin(each, key, ids, (running++)->host());
    }
  }

  FloatValues Forward(const BatchRows& rows, const uint64_t* training) override {
    if (training == nullptr) return Predict(rows);
    memory_.rows = ids_ ? Resolve(rows) : rows;
    memory_.key = *training;
    float* x = nullptr;
    for (size_t l = 0; l < layers_.size(); ++l) {
      if (kernels_[l]) x = kernels_[l]->Forward(x);
      if (layers_[l].kind == LayerKind::kSum) {
        const auto count = size_t(rows.size() * layers_[l].width);
        for (size_t m = 0; m < size_t(layers_[l].members); ++m) {
          AddTo({x + m * count, count}, {outs_[layers_[l].other], count});
        }
      }
      outs_[l] = x;
    }
    return {x, {rows.size() * members(), outputs_}};
  }

  void Backward(const FloatValues& outputs, const GradientSink& sink) override {
    std::vector<float*> by_out(layers_.size(), nullptr);
    by_out.back() = outputs.data;
    for (size_t l = layers_.size(); l-- > 0;) {
      float* by_in = by_out[l];
      if (kernels_[l]) by_in = kernels_[l]->Backward(by_out[l], sink);
      if (layers_[l].kind == LayerKind::kSum) by_out[layers_[l].other] = OfAll(l, by_out[l]);
      if (by_in != nullptr) by_out[l - 1] = by_in;
    }
  }

 private:
  // The ids of training rows all have rows of their own.
  BatchRows Resolve(const BatchRows& rows) {
    const PackedRows resolved = ids_->Resolve(rows, resolved_);
    return {resolved.schema(), resolved_.data(), resolved.size()};
  }

  void AddKernel(size_t l) {
    const FirstTensors first{parameters_.size(), buffers_.size()};
    if (l == 0 || layers_[l - 1].kind != LayerKind::kEmbed) {
      kernels_.push_back(MakeKernel(layers_[l], first, memory_));
      return;
    }
    const size_t tables = layers_[l - 1].parameters.size();
    kernels_.push_back(MakeInputKernel(layers_[l - 1], layers_[l],
                                       {first.parameter - tables, first.buffer}, memory_));
  }

  // The derivatives by the output of kSum, added up over its members.
  float* OfAll(size_t layer, float* gradient) {
    if (layers_[layer].members == 1) return gradient;
    const auto count = size_t(memory_.rows.size() * layers_[layer].width);
    of_all_.assign(gradient, gradient + count);
    for (size_t m = 1; m < size_t(layers_[layer].members); ++m) {
      AddTo(of_all_, {gradient + m * count, count});
    }
    return of_all_.data();
  }

  // The weights may have changed since the last call, so the net is made again.
  FloatValues Predict(const BatchRows& rows) {
    const auto net = MakeForward(
        layers_, [this](const std::string& name) { return Find(name); }, ids_, int8_);
    PT_CHECK(net.ok());
    predicted_.resize(size_t(rows.size() * outputs_));
    (*net)->Predict(rows, scratch_, predicted_.data());
    return {predicted_.data(), {rows.size(), outputs_}};
  }

  std::optional<NetWeight> Find(const std::string& name) const {
    for (const auto& [variables, values] :
         {std::pair(&parameters_, &memory_.weights), std::pair(&buffers_, &memory_.running)}) {
      const auto found = std::ranges::find(*variables, name, &Variable::name);
      if (found == variables->end()) continue;
      return NetWeight{found->shape, (*values)[size_t(found - variables->begin())].data};
    }
    return std::nullopt;
  }

  Layers layers_;
  NetMemory memory_;
  int64_t outputs_;
  bool int8_ = false;
  std::shared_ptr<const IdRows> ids_;  // nullptr: there are none.
  std::vector<std::byte> resolved_;    // The rows of the last Forward() in training, with ids.
  std::vector<Variable> parameters_;
  std::vector<Variable> buffers_;
  std::vector<std::unique_ptr<LayerKernel>> kernels_;  // One per layer; null for kEmbed and kSum.
  std::vector<float*> outs_;                           // Of the layers in the last Forward().
  std::vector<float> of_all_;
  ForwardScratch scratch_;
  std::vector<float> predicted_;
};

Status CheckColumns(const Choice& net, const NetInputs& inputs) {
  const NetColumns columns = ColumnsOf(inputs);
  if (net.name == "dlrm") return CheckDlrm({}, columns, "net");
  if (net.name != "wide_and_deep") return CheckTabular(net.name, columns, "net");
  WideAndDeepOptions options;
  PT_TRY(FieldsFromJson(net.options, "net", options));
  return CheckWideAndDeep(options, columns, "net");
}

}  // namespace

Result<Layers> DescribeNet(const Choice& net, const NetInputs& inputs) {
  PT_TRY(CheckColumns(net, inputs));
  NetShape shape{.categorical = ColumnsOf(inputs).categorical,
                 .cardinalities = inputs.cardinalities,
                 .numeric = inputs.Width(kNumericField),
                 .outputs = inputs.outputs};
  if (inputs.ids != nullptr) {
    shape.ids = int64_t(inputs.ids->columns.size());
    for (size_t c = 0; c < inputs.ids->columns.size(); ++c) {
      shape.cardinalities.push_back(inputs.ids->rows(c));
    }
  }
  return DescribeNet(net, shape);
}

std::unique_ptr<Net> MakeKernelNet(Layers layers, const NetInputs& inputs) {
  return std::make_unique<KernelNet>(std::move(layers), inputs);
}

NetTable KernelNets() {
  NetTable nets;
  for (const std::string& name : LayeredNetNames()) {
    nets[name] = [name](const Json& options,
                        const NetInputs& inputs) -> Result<std::unique_ptr<Net>> {
      PT_LET(Layers layers, DescribeNet({name, options}, inputs));
      return MakeKernelNet(std::move(layers), inputs);
    };
  }
  return nets;
}

}  // namespace protium
