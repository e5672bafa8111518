// SPDX-License-Identifier: Apache-2.0
#include "nets/kernel_net.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "nets/forward.h"
#include "nets/layer_kernels.h"
#include "nets/mlp_kernels.h"
#include "nets/net_columns.h"
#include "protium/nets.h"
#include "tensor/philox.h"

namespace protium {
namespace {

void Begin(const LayerTensor& tensor, uint64_t key, std::span<float> values) {
  for (const uint64_t word : tensor.draw) key = DrawKey(DrawTag::kInitialise, {key, word});
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
class KernelNet final : public Net {
 public:
  KernelNet(Layers layers, const NetInputs& inputs)
      : layers_(std::move(layers)), memory_(inputs.threads), outputs_(inputs.outputs) {
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
  int64_t least_rows() const override { return buffers_.empty() ? 1 : 2; }
  bool rows_apart() const override { return true; }
  int64_t members() const override { return layers_.back().members; }

  void Bind(std::vector<FloatValues> parameters, std::vector<FloatValues> buffers) override {
    memory_.weights = std::move(parameters);
    memory_.running = std::move(buffers);
    for (const auto& kernel : kernels_) {
      if (kernel) kernel->Bind();
    }
  }

  void Initialise(uint64_t key) override {
    auto weights = memory_.weights.begin(), running = memory_.running.begin();
    for (const Layer& layer : layers_) {
      for (const LayerTensor& tensor : layer.parameters) Begin(tensor, key, (weights++)->host());
      for (const LayerTensor& tensor : layer.buffers) Begin(tensor, key, (running++)->host());
    }
  }

  FloatValues Forward(const BatchRows& rows, const uint64_t* training) override {
    if (training == nullptr) return Predict(rows);
    memory_.rows = rows;
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
    const auto net = MakeForward(layers_, [this](const std::string& name) { return Find(name); });
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
  if (net.name != "wide_and_deep") return CheckTabular(net.name, columns, "net");
  WideAndDeepOptions options;
  PT_TRY(FieldsFromJson(net.options, "net", options));
  return CheckWideAndDeep(options, columns, "net");
}

}  // namespace

Result<Layers> DescribeNet(const Choice& net, const NetInputs& inputs) {
  PT_TRY(CheckColumns(net, inputs));
  return DescribeNet(net, NetShape{.categorical = ColumnsOf(inputs).categorical,
                                   .cardinalities = inputs.cardinalities,
                                   .numeric = inputs.Width(kNumericField),
                                   .outputs = inputs.outputs});
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
