// SPDX-License-Identifier: Apache-2.0
#include "nets/tabular_mlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/fault.h"
#include "base/status.h"
#include "nets/batch_norm.h"
#include "nets/forward_weights.h"
#include "nets/gradient_targets.h"
#include "nets/input_layer.h"
#include "nets/mlp_kernels.h"
#include "nets/net_columns.h"
#include "nets/product.h"
#include "recipe/net_columns.h"
#include "recipe/nets.h"
#include "tensor/philox.h"

namespace protium {
namespace {

// FloatValues [rows, width] of each layer, kept from step to step.
struct Scratch {
  std::vector<std::vector<float>> before_norm;  // With batch norm: the output of each dense layer.
  std::vector<std::vector<float>> hidden;
  std::vector<std::vector<float>> gradient;
  std::vector<float> output;
};

// Forward, for each hidden layer l:
//   before_norm[l] = dense(hidden[l-1])    straight into hidden[l] without batch norm
//   hidden[l] = dropout(relu(norm(before_norm[l])))
// and the output layer is dense alone. Layer 0 is input_, which embeds categories as it multiplies.
// Backward walks the same list from the end. Activations lie in scratch_ from one to the other, and
// rows_ is a view of the caller's batch: Backward must follow its Forward directly. Without
// training forward is that of forward.h.
class TabularMlpNet : public Net {
 public:
  TabularMlpNet(const NetInputs& inputs, const TabularMlpOptions& options,
                const std::vector<int64_t>& categories);

  const std::vector<Variable>& parameters() const override { return parameters_; }
  const std::vector<Variable>& buffers() const override { return buffers_; }
  int64_t least_rows() const override { return options_.batch_norm ? 2 : 1; }
  bool rows_apart() const override { return true; }
  void Bind(std::vector<FloatValues> parameters, std::vector<FloatValues> buffers) override;
  void Initialise(uint64_t key) override;
  FloatValues Forward(const BatchRows& rows, const uint64_t* training) override;
  void Backward(const FloatValues& outputs, const GradientSink& sink) override;

 private:
  struct Layer {
    size_t weight = 0;  // Index of the parameter; the bias follows.
    size_t norm = 0;    // Index of norm.weight; norm.bias follows.
    int64_t in = 0;
    int64_t out = 0;
  };

  void AddLayer(const std::string& name, int64_t out);
  float InitialBound(const Layer& layer) const;
  FloatValues Predict(const BatchRows& rows);
  void MakeRoom(int64_t rows);
  void Activate(size_t l, uint64_t training);
  // `gradient` [rows, layer.out] is the derivative by the layer's output, `input` [rows, layer.in].
  void BackwardDense(const Layer& layer, const float* gradient, const std::vector<float>& input,
                     const GradientSink& sink);
  void BackwardNorm(size_t l, const GradientSink& sink);
  void BackwardInput(const float* gradient, const GradientSink& sink);
  void BackwardBias(const Layer& layer, const float* gradient, const GradientSink& sink);
  NormTensors TensorsOfNorm(size_t l) const;
  MatrixView Weight(const Layer& layer) const {
    return MatrixView::Of(weights_[layer.weight].data, layer.out, layer.in);
  }

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

  std::vector<FloatValues> weights_;
  std::vector<FloatValues> running_;
  GradientTargets targets_;
  Product product_;
  Scratch scratch_;
  BatchRows rows_;
  float kept_factor_ = 1;
  std::vector<BatchNorm> norms_;  // One a hidden layer, with batch norm.
};

TabularMlpNet::TabularMlpNet(const NetInputs& inputs, const TabularMlpOptions& options,
                             const std::vector<int64_t>& categories)
    : options_(options),
      categories_(categories),
      shape_(ShapeOf(inputs)),
      outputs_(inputs.outputs),
      product_(inputs.threads) {
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

void TabularMlpNet::Bind(std::vector<FloatValues> parameters, std::vector<FloatValues> buffers) {
  weights_ = std::move(parameters);
  running_ = std::move(buffers);
  std::vector<const float*> tables;
  for (size_t i = 0; i < tables_; ++i) tables.push_back(weights_[i].data);
  const size_t first = layers_.front().weight;
  input_->Bind(std::move(tables), weights_[first].data, weights_[first + 1].data);
  norms_.resize(options_.batch_norm ? layers_.size() - 1 : 0);
}

float TabularMlpNet::InitialBound(const Layer& layer) const {
  if (options_.initial_weights == InitialWeights::kGlorot)
    return std::sqrt(6 / float(layer.in + layer.out));
  return 1 / std::sqrt(float(std::max<int64_t>(1, layer.in)));
}

void TabularMlpNet::Initialise(uint64_t key) {
  const auto draw = [&](size_t i) { return DrawKey(DrawTag::kInitialise, {key, i}); };
  for (size_t i = 0; i < tables_; ++i) DrawNormal(draw(i), 1, weights_[i].host());
  for (const Layer& layer : layers_) {
    const float bound = InitialBound(layer);
    for (const size_t i : {layer.weight, layer.weight + 1}) {
      DrawUniform(draw(i), -bound, bound, weights_[i].host());
    }
    if (layer.norm == 0) continue;
    std::ranges::fill(weights_[layer.norm].host(), 1.0f);
    std::ranges::fill(weights_[layer.norm + 1].host(), 0.0f);
  }
  // Running means begin at 0, running variances at 1.
  for (size_t i = 0; i < running_.size(); ++i) {
    std::ranges::fill(running_[i].host(), i % 2 == 0 ? 0.0f : 1.0f);
  }
}

void TabularMlpNet::MakeRoom(int64_t rows) {
  const size_t hidden = layers_.size() - 1;
  scratch_.hidden.resize(hidden);
  scratch_.gradient.resize(hidden);
  scratch_.before_norm.resize(norms_.size());
  for (size_t l = 0; l < hidden; ++l) {
    const auto floats = size_t(rows * layers_[l].out);
    scratch_.hidden[l].resize(floats);
    scratch_.gradient[l].resize(floats);
    if (options_.batch_norm) scratch_.before_norm[l].resize(floats);
  }
  scratch_.output.resize(size_t(rows * outputs_));
}

FloatValues TabularMlpNet::Forward(const BatchRows& rows, const uint64_t* training) {
  if (training == nullptr) return Predict(rows);
  const int64_t n = rows.size();
  MakeRoom(n);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const bool last = l + 1 == layers_.size();
    std::vector<float>& out = last                  ? scratch_.output
                              : options_.batch_norm ? scratch_.before_norm[l]
                                                    : scratch_.hidden[l];
    if (l == 0) {
      input_->Forward(rows, product_, out.data());
    } else {
      RepeatRow(weights_[layer.weight + 1].data, layer.out, n, out.data());
      product_.Add(MatrixView::Of(scratch_.hidden[l - 1].data(), n, layer.in),
                   Weight(layer).Transposed(), out.data(), layer.out);
    }
    if (!last) Activate(l, *training);
  }
  rows_ = rows;
  return {scratch_.output.data(), {n, outputs_}};
}

// The weights may have changed since the last call, so the net is made of them again.
FloatValues TabularMlpNet::Predict(const BatchRows& rows) {
  const auto net = MakeForwardMlp(options_, shape_, categories_,
                                  FindAmong(parameters_, weights_, buffers_, running_));
  PT_CHECK(net.ok());
  scratch_.output.resize(size_t(rows.size() * outputs_));
  (*net)->Predict(rows, forward_scratch_, scratch_.output.data());
  return {scratch_.output.data(), {rows.size(), outputs_}};
}

NormTensors TabularMlpNet::TensorsOfNorm(size_t l) const {
  const size_t n = layers_[l].norm;
  return {weights_[n].data, weights_[n + 1].data, running_[2 * l].data, running_[2 * l + 1].data};
}

// Batch norm, ReLU and dropout of hidden layer l. All layers share options_.dropout, so one
// kept_factor_ serves them all. The key of the draw takes in the layer: with one key all layers
// would drop the same places.
void TabularMlpNet::Activate(size_t l, uint64_t training) {
  std::vector<float>& hidden = scratch_.hidden[l];
  if (options_.batch_norm) {
    const int64_t width = layers_[l].out;
    norms_[l].Forward(scratch_.before_norm[l].data(), int64_t(hidden.size()) / width, width,
                      TensorsOfNorm(l), hidden.data());
  }
  const uint64_t key = DrawKey(DrawTag::kDropout, {training, l});
  kept_factor_ = ReluDropout(key, options_.dropout, hidden);
}

void TabularMlpNet::BackwardDense(const Layer& layer, const float* gradient,
                                  const std::vector<float>& input, const GradientSink& sink) {
  const int64_t rows = rows_.size();
  product_.Set(MatrixView::Of(gradient, rows, layer.out).Transposed(),
               MatrixView::Of(input.data(), rows, layer.in), targets_.At(layer.weight, sink),
               layer.in);
  targets_.Settle(layer.weight, sink);
  BackwardBias(layer, gradient, sink);
}

void TabularMlpNet::BackwardBias(const Layer& layer, const float* gradient,
                                 const GradientSink& sink) {
  SumColumns(gradient, rows_.size(), layer.out, targets_.At(layer.weight + 1, sink));
  targets_.Settle(layer.weight + 1, sink);
}

void TabularMlpNet::BackwardNorm(size_t l, const GradientSink& sink) {
  const size_t n = layers_[l].norm;
  norms_[l].Backward(scratch_.before_norm[l].data(), rows_.size(), layers_[l].out, TensorsOfNorm(l),
                     scratch_.gradient[l].data(), targets_.At(n, sink), targets_.At(n + 1, sink));
  targets_.Settle(n, sink);
  targets_.Settle(n + 1, sink);
}

void TabularMlpNet::BackwardInput(const float* gradient, const GradientSink& sink) {
  const Layer& layer = layers_.front();
  std::vector<float*> tables;
  for (size_t c = 0; c < tables_; ++c) tables.push_back(targets_.At(c, sink));
  input_->Backward(rows_, gradient, product_, tables, targets_.At(layer.weight, sink));
  for (size_t c = 0; c < tables_; ++c) targets_.Settle(c, sink);
  targets_.Settle(layer.weight, sink);
  BackwardBias(layer, gradient, sink);
}

void TabularMlpNet::Backward(const FloatValues& outputs, const GradientSink& sink) {
  const float* gradient = outputs.data;
  for (size_t l = layers_.size() - 1; l > 0; --l) {
    const Layer& layer = layers_[l];
    BackwardDense(layer, gradient, scratch_.hidden[l - 1], sink);
    // In the order of the chain rule: by the weights, through ReLU and dropout at once, then
    // through batch norm.
    std::vector<float>& before = scratch_.gradient[l - 1];
    product_.Set(MatrixView::Of(gradient, rows_.size(), layer.out), Weight(layer), before.data(),
                 layer.in);
    BackwardRelu(scratch_.hidden[l - 1], kept_factor_, before);
    if (options_.batch_norm) BackwardNorm(l - 1, sink);
    gradient = before.data();
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
  return std::make_unique<TabularMlpNet>(inputs, options, categories);
}

}  // namespace protium
