// SPDX-License-Identifier: Apache-2.0
#include "deep/tabular_mlp.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/relu.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "base/fault.h"
#include "deep/float_tensor.h"
#include "deep/forward_weights.h"
#include "deep/gradient_targets.h"
#include "deep/input_layer.h"
#include "deep/mlp_kernels.h"
#include "deep/net_columns.h"
#include "deep/operations_net.h"
#include "learn/built_in_nets.h"
#include "recipe/nets.h"
#include "tensor/philox.h"

namespace protium {
namespace {

// The defaults of torch.nn.BatchNorm1d, so that a PyTorch user finds the same statistics.
constexpr double kNormMomentum = 0.1;
constexpr double kNormEpsilon = 1e-5;

at::Tensor Floats(int64_t rows, int64_t columns) { return at::empty({rows, columns}); }

// Memory of one forward and backward over a given number of rows, kept from step to step.
struct Scratch {
  std::vector<at::Tensor> before_norm;  // With batch norm: the output of each dense layer.
  std::vector<at::Tensor> hidden;
  std::vector<at::Tensor> gradient;
  at::Tensor output;
};

// Forward, for each hidden layer l:
//   before_norm[l] = dense(hidden[l-1])    straight into hidden[l] without batch norm
//   hidden[l] = dropout(relu(norm(before_norm[l])))
// and the output layer is dense alone. Layer 0 is input_, which embeds categories as it multiplies.
// Backward walks the same list from the end. Activations lie in Scratch from one to the other, and
// rows_ is a view of the caller's batch: Backward must follow its Forward directly. Without
// training forward is that of the room forward.
class TabularMlpNet : public Net {
 public:
  TabularMlpNet(const NetInputs& inputs, const TabularMlpOptions& options,
                const std::vector<int64_t>& categories);

  const std::vector<Variable>& parameters() const override { return parameters_; }
  const std::vector<Variable>& buffers() const override { return buffers_; }
  int64_t least_rows() const override { return options_.batch_norm ? 2 : 1; }
  bool rows_apart() const override { return true; }
  void Bind(std::vector<at::Tensor> parameters, std::vector<at::Tensor> buffers) override;
  void Initialise(uint64_t key) override;
  at::Tensor Forward(const Batch& rows, const uint64_t* training) override;
  void Backward(const at::Tensor& outputs, const GradientSink& sink) override;

 private:
  struct Layer {
    size_t weight = 0;  // Index of the parameter; the bias follows.
    size_t norm = 0;    // Index of norm.weight; norm.bias follows.
    int64_t in = 0;
    int64_t out = 0;
  };
  struct Norm {
    at::Tensor mean;
    at::Tensor deviation;  // Inverse.
  };

  void AddLayer(const std::string& name, int64_t out);
  float InitialBound(const Layer& layer) const;
  at::Tensor Predict(const Batch& rows);
  Scratch& ScratchFor(int64_t rows);
  void Activate(size_t l, Scratch& scratch, uint64_t training);
  void BackwardDense(const Layer& layer, const at::Tensor& gradient, const at::Tensor& input,
                     const GradientSink& sink);
  void BackwardNorm(size_t l, Scratch& scratch, const GradientSink& sink);
  void BackwardInput(const at::Tensor& gradient, const GradientSink& sink);
  void BackwardBias(const Layer& layer, const at::Tensor& gradient, const GradientSink& sink);

  TabularMlpOptions options_;
  std::vector<int64_t> categories_;
  ForwardShape shape_;
  ForwardScratch forward_scratch_;
  int64_t outputs_;
  size_t tables_ = 0;  // Parameters 0 .. tables_ - 1 are those of embeddings.
  std::optional<InputLayer> input_;
  int64_t width_ = 0;          // Of the last layer added.
  std::vector<Layer> layers_;  // Hidden ones, then the output.
  std::vector<Variable> parameters_;
  std::vector<Variable> buffers_;

  std::vector<at::Tensor> weights_;
  std::vector<at::Tensor> transposed_;  // Of each layer's weight.
  std::vector<at::Tensor> running_;
  GradientTargets targets_;
  std::map<int64_t, Scratch> scratch_;
  Batch rows_;
  float kept_factor_ = 1;
  std::vector<Norm> norms_;
};

TabularMlpNet::TabularMlpNet(const NetInputs& inputs, const TabularMlpOptions& options,
                             const std::vector<int64_t>& categories)
    : options_(options),
      categories_(categories),
      shape_(ShapeOf(inputs)),
      outputs_(inputs.outputs) {
  std::vector<TableColumn> tables;
  for (size_t c = 0; c < categories.size(); ++c) {
    const int64_t n = inputs.cardinalities[size_t(categories[c])];
    const int64_t width = EmbeddingWidth(options, n);
    tables.push_back({.category = categories[c], .cardinality = n, .width = width});
    parameters_.push_back({fmt::format("embedding.{}.weight", c), {n, width}});
  }
  tables_ = tables.size();
  const int64_t first = options.hidden.empty() ? outputs_ : options.hidden.front();
  input_.emplace(tables, inputs.Width(kNumericField), first);
  width_ = input_->in();
  for (size_t l = 0; l < options.hidden.size(); ++l) {
    AddLayer(fmt::format("dense.{}", l), options.hidden[l]);
    if (!options.batch_norm) continue;
    layers_.back().norm = parameters_.size();
    for (const char* name : {"weight", "bias"}) {
      parameters_.push_back({fmt::format("norm.{}.{}", l, name), {width_}});
    }
    for (const char* name : {"running_mean", "running_var"}) {
      buffers_.push_back({fmt::format("norm.{}.{}", l, name), {width_}});
    }
  }
  AddLayer("output", outputs_);
}

void TabularMlpNet::AddLayer(const std::string& name, int64_t out) {
  layers_.push_back({.weight = parameters_.size(), .in = width_, .out = out});
  parameters_.push_back({name + ".weight", {out, width_}});
  parameters_.push_back({name + ".bias", {out}});
  width_ = out;
}

void TabularMlpNet::Bind(std::vector<at::Tensor> parameters, std::vector<at::Tensor> buffers) {
  weights_ = std::move(parameters);
  running_ = std::move(buffers);
  transposed_.clear();
  for (const Layer& layer : layers_) transposed_.push_back(weights_[layer.weight].t());
  const size_t first = layers_.front().weight;
  input_->Bind({weights_.begin(), weights_.begin() + int64_t(tables_)}, weights_[first],
               weights_[first + 1]);
  targets_.Bind(weights_);
  norms_.resize(layers_.size());
}

float TabularMlpNet::InitialBound(const Layer& layer) const {
  if (options_.initial_weights == InitialWeights::kGlorot)
    return std::sqrt(6 / float(layer.in + layer.out));
  return 1 / std::sqrt(float(std::max<int64_t>(1, layer.in)));
}

void TabularMlpNet::Initialise(uint64_t key) {
  const auto draw = [&](size_t i) { return DrawKey(DrawTag::kInitialise, {key, i}); };
  for (size_t i = 0; i < tables_; ++i) DrawNormal(draw(i), 1, FloatSpan(weights_[i]));
  for (const Layer& layer : layers_) {
    const float bound = InitialBound(layer);
    for (const size_t i : {layer.weight, layer.weight + 1}) {
      DrawUniform(draw(i), -bound, bound, FloatSpan(weights_[i]));
    }
    if (layer.norm == 0) continue;
    weights_[layer.norm].fill_(1);
    weights_[layer.norm + 1].fill_(0);
  }
  // Running means begin at 0, running variances at 1.
  for (size_t i = 0; i < running_.size(); ++i) running_[i].fill_(i % 2 == 0 ? 0 : 1);
}

// The rows of a shard's step differ by one from step to step, and the last step of an epoch is
// short: a few heights come again and again. More than 8 of them means another pattern (scoring,
// say), and memory is given back.
Scratch& TabularMlpNet::ScratchFor(int64_t rows) {
  const auto found = scratch_.find(rows);
  if (found != scratch_.end()) return found->second;
  if (scratch_.size() >= 8) scratch_.clear();
  Scratch& scratch = scratch_[rows];
  for (const Layer& layer : layers_) {
    if (&layer == &layers_.back()) break;
    scratch.hidden.push_back(Floats(rows, layer.out));
    scratch.gradient.push_back(Floats(rows, layer.out));
    if (options_.batch_norm) scratch.before_norm.push_back(Floats(rows, layer.out));
  }
  scratch.output = Floats(rows, outputs_);
  return scratch;
}

at::Tensor TabularMlpNet::Forward(const Batch& rows, const uint64_t* training) {
  const c10::InferenceMode no_graph;
  if (training == nullptr) return Predict(rows);
  Scratch& scratch = ScratchFor(rows.size());
  for (size_t l = 0; l < layers_.size(); ++l) {
    const bool last = l + 1 == layers_.size();
    at::Tensor& out = last                  ? scratch.output
                      : options_.batch_norm ? scratch.before_norm[l]
                                            : scratch.hidden[l];
    if (l == 0) {
      input_->Forward(rows, out);
    } else {
      // The bias is broadcast over rows and the product added to it in one call.
      at::addmm_out(out, weights_[layers_[l].weight + 1], scratch.hidden[l - 1], transposed_[l]);
    }
    if (!last) Activate(l, scratch, *training);
  }
  rows_ = rows;
  return scratch.output;
}

// The weights may have changed since the last call, so the net is made of them again.
at::Tensor TabularMlpNet::Predict(const Batch& rows) {
  const auto net = MakeForwardMlp(options_, shape_, categories_,
                                  FindAmong(parameters_, weights_, buffers_, running_));
  PT_CHECK(net.ok());
  at::Tensor out = Floats(rows.size(), outputs_);
  (*net)->Predict(rows, forward_scratch_, FloatData(out));
  return out;
}

// Batch norm, ReLU and dropout of hidden layer l. All layers share options_.dropout, so one
// kept_factor_ serves them all. The key of the draw takes in the layer: with one key all layers
// would drop the same places.
void TabularMlpNet::Activate(size_t l, Scratch& scratch, uint64_t training) {
  if (options_.batch_norm) {
    const size_t n = layers_[l].norm;
    const auto [out, mean, deviation] = at::native_batch_norm(
        scratch.before_norm[l], weights_[n], weights_[n + 1], running_[2 * l], running_[2 * l + 1],
        /*training=*/true, kNormMomentum, kNormEpsilon);
    scratch.hidden[l].copy_(out);
    norms_[l] = {mean, deviation};
  }
  const uint64_t key = DrawKey(DrawTag::kDropout, {training, l});
  kept_factor_ = ReluDropout(key, options_.dropout, FloatSpan(scratch.hidden[l]));
}

void TabularMlpNet::BackwardDense(const Layer& layer, const at::Tensor& gradient,
                                  const at::Tensor& input, const GradientSink& sink) {
  at::Tensor weight = targets_.At(layer.weight, sink);
  at::mm_out(weight, gradient.t(), input);
  targets_.Settle(layer.weight, sink);
  BackwardBias(layer, gradient, sink);
}

void TabularMlpNet::BackwardBias(const Layer& layer, const at::Tensor& gradient,
                                 const GradientSink& sink) {
  SumColumns(gradient.const_data_ptr<float>(), gradient.size(0), layer.out,
             targets_.At(layer.weight + 1, sink).data_ptr<float>());
  targets_.Settle(layer.weight + 1, sink);
}

void TabularMlpNet::BackwardNorm(size_t l, Scratch& scratch, const GradientSink& sink) {
  const size_t n = layers_[l].norm;
  // LibTorch returns new tensors here; they are copied into memory of ours, since it offers no
  // variant that writes to given memory.
  const auto [input, weight, bias] =
      at::native_batch_norm_backward(scratch.gradient[l], scratch.before_norm[l], weights_[n],
                                     running_[2 * l], running_[2 * l + 1], norms_[l].mean,
                                     norms_[l].deviation, true, kNormEpsilon, {true, true, true});
  scratch.gradient[l].copy_(input);
  std::copy_n(weight.const_data_ptr<float>(), layers_[l].out,
              targets_.At(n, sink).data_ptr<float>());
  std::copy_n(bias.const_data_ptr<float>(), layers_[l].out,
              targets_.At(n + 1, sink).data_ptr<float>());
  targets_.Settle(n, sink);
  targets_.Settle(n + 1, sink);
}

void TabularMlpNet::BackwardInput(const at::Tensor& gradient, const GradientSink& sink) {
  const Layer& layer = layers_.front();
  std::vector<at::Tensor> tables;
  for (size_t c = 0; c < tables_; ++c) tables.push_back(targets_.At(c, sink));
  input_->Backward(rows_, gradient, tables, targets_.At(layer.weight, sink));
  for (size_t c = 0; c < tables_; ++c) targets_.Settle(c, sink);
  targets_.Settle(layer.weight, sink);
  BackwardBias(layer, gradient, sink);
}

void TabularMlpNet::Backward(const at::Tensor& outputs, const GradientSink& sink) {
  const c10::InferenceMode no_graph;
  Scratch& scratch = ScratchFor(rows_.size());
  at::Tensor gradient = outputs;
  for (size_t l = layers_.size() - 1; l > 0; --l) {
    BackwardDense(layers_[l], gradient, scratch.hidden[l - 1], sink);
    // In the order of the chain rule: by the weights, through ReLU and dropout at once, then
    // through batch norm.
    at::mm_out(scratch.gradient[l - 1], gradient, weights_[layers_[l].weight]);
    gradient = scratch.gradient[l - 1];
    BackwardRelu(FloatSpan(scratch.hidden[l - 1]), kept_factor_, FloatSpan(gradient));
    if (options_.batch_norm) BackwardNorm(l - 1, scratch, sink);
  }
  BackwardInput(gradient, sink);
}

Status CheckOptions(const NetInputs& inputs, const TabularMlpOptions& options,
                    const std::vector<int64_t>& categories) {
  const auto refuse = [](std::string key, std::string must, double got) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("net.{} must be {}, got {}", key, must, got),
                 .where = "net." + key});
  };
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    return refuse("dropout", "at least 0 and below 1", options.dropout);
  }
  if (options.embedding && *options.embedding < 1) {
    return refuse("embedding", "at least 1", *options.embedding);
  }
  for (const int32_t width : options.hidden) {
    if (width < 1 || width > 1'000'000) return refuse("hidden", "from 1 to 1000000", width);
  }
  for (const int64_t n : inputs.cardinalities) {
    if (n < 1) return refuse("categorical", "of at least one category", double(n));
  }
  if (inputs.Width(kNumericField) + int64_t(categories.size()) > 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the dense layers have no inputs",
               .where = "net",
               .fix = "name columns in `categorical` or `numeric`"});
}

// The input of the first layer: embeddings of these categories, then numeric values.
at::Tensor JoinInputs(const Batch& rows, const std::vector<at::Tensor>& weights,
                      const std::vector<int64_t>& categories) {
  std::vector<at::Tensor> parts;
  for (size_t c = 0; c < categories.size(); ++c) {
    parts.push_back(at::embedding(weights[c], rows[kCategoriesField].select(1, categories[c])));
  }
  if (rows.has(kNumericField)) parts.push_back(rows[kNumericField]);
  return at::cat(parts, 1);
}

// The same layers as LibTorch's operations, over the parameters in their order (tabular_mlp.h).
at::Tensor ApplyLayers(const Batch& rows, const NetTensors& tensors, bool training,
                       const TabularMlpOptions& options, const std::vector<int64_t>& categories) {
  const std::vector<at::Tensor>& weights = tensors.parameters;
  at::Tensor x = JoinInputs(rows, weights, categories);
  size_t at = categories.size();
  for (size_t l = 0; l < options.hidden.size(); ++l) {
    x = at::linear(x, weights[at], weights[at + 1]);
    at += 2;
    if (options.batch_norm) {
      x = at::batch_norm(x, weights[at], weights[at + 1], tensors.buffers[2 * l],
                         tensors.buffers[2 * l + 1], training, kNormMomentum, kNormEpsilon,
                         /*cudnn_enabled=*/true);
      at += 2;
    }
    x = at::relu(x);
    if (options.dropout > 0) x = at::dropout(x, options.dropout, training);
  }
  return at::linear(x, weights[at], weights[at + 1]);
}

}  // namespace

Result<std::unique_ptr<Net>> MakeTabularMlp(const Json& given, const NetInputs& inputs) {
  TabularMlpOptions options;
  PT_TRY(FieldsFromJson(given, "net", options));
  PT_TRY(CheckTabular("tabular_mlp", ColumnsOf(inputs), "net"));
  std::vector<int64_t> all(inputs.cardinalities.size());
  std::iota(all.begin(), all.end(), 0);
  return MakeTabularMlpOver(options, inputs, all);
}

Result<std::unique_ptr<Net>> MakeTabularMlpOver(const TabularMlpOptions& options,
                                                const NetInputs& inputs,
                                                const std::vector<int64_t>& categories) {
  PT_TRY(CheckOptions(inputs, options, categories));
  auto net = std::make_unique<TabularMlpNet>(inputs, options, categories);
  if (!inputs.device.staged()) return net;
  return MakeOperationsNet(
      std::move(net),
      [options, categories](const Batch& rows, const NetTensors& tensors, bool training) {
        return ApplyLayers(rows, tensors, training, options, categories);
      },
      inputs);
}

}  // namespace protium
