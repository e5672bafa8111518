// SPDX-License-Identifier: Apache-2.0
#include "nets/layer_kernels.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "nets/batch_norm.h"
#include "nets/dots.h"
#include "nets/input_layer.h"
#include "nets/mlp_kernels.h"
#include "nets/pairs.h"
#include "tensor/philox.h"

namespace protium {
namespace {

// The layer's parameters are first, first + 1, ... of the net's.
class ParameterKernel : public LayerKernel {
 public:
  ParameterKernel(const Layer& layer, FirstTensors first, NetMemory& memory)
      : width_(layer.width), members_(layer.members), first_(first), memory_(memory) {}

 protected:
  // Of the layer's input and, but for kMembers, output.
  int64_t rows() const { return memory_.rows.size() * members_; }
  const FloatValues& Weight(size_t i) const { return memory_.weights[first_.parameter + i]; }
  float* Target(size_t i, const GradientSink& sink) {
    return memory_.targets.At(first_.parameter + i, sink);
  }
  SparseRows* RowsOf(size_t i, const GradientSink& sink) {
    return memory_.targets.RowsAt(first_.parameter + i, sink);
  }
  void Settle(size_t i, const GradientSink& sink) {
    memory_.targets.Settle(first_.parameter + i, sink);
  }
  float* Reserve(std::vector<float>& values, int64_t width) const {
    values.resize(size_t(rows() * width));
    return values.data();
  }
  void BackwardBias(size_t i, const float* gradient, const GradientSink& sink) {
    SumColumns(gradient, rows(), width_, Target(i, sink));
    Settle(i, sink);
  }

  int64_t width_;
  int64_t members_;
  FirstTensors first_;
  NetMemory& memory_;
};

// Backward() sums the derivatives by the output: by category, by number and over all rows.
class LinearKernel final : public ParameterKernel {
 public:
  LinearKernel(const Layer& layer, FirstTensors first, NetMemory& memory)
      : ParameterKernel(layer, first, memory),
        categories_(layer.categories),
        numbers_(layer.numbers) {}

  float* Forward(float*) override {
    float* const out = Reserve(out_, width_);
    std::vector<CategoryRows> tables;
    for (size_t c = 0; c < categories_.size(); ++c) {
      tables.push_back({categories_[c], Weight(c).data});
    }
    SumByCategory(memory_.rows, tables, Weight(bias()).data, width_, out);
    if (numbers_ > 0) {
      const auto weight = MatrixView::Of(Weight(categories_.size()).data, width_, numbers_);
      memory_.product.Add(Numbers(), weight.Transposed(), out, width_);
    }
    return out;
  }

  float* Backward(float* gradient, const GradientSink& sink) override {
    std::vector<CategoryRows> tables;
    for (size_t c = 0; c < categories_.size(); ++c) {
      if (SparseRows* const rows = RowsOf(c, sink)) {
        AddToRows(memory_.rows, gradient, width_, categories_[c], *rows);
        continue;
      }
      tables.push_back({categories_[c], Target(c, sink)});
      // The code below writes only the table rows that the batch uses.
      std::fill_n(tables.back().rows, Weight(c).count(), 0.0f);
    }
    AddByCategory(memory_.rows, gradient, width_, width_, tables);
    if (numbers_ > 0) {
      const auto by_out = MatrixView::Of(gradient, rows(), width_);
      memory_.product.Set(by_out.Transposed(), Numbers(), Target(categories_.size(), sink),
                          numbers_);
    }
    for (size_t i = 0; i < bias(); ++i) Settle(i, sink);
    BackwardBias(bias(), gradient, sink);
    return nullptr;
  }

 private:
  size_t bias() const { return categories_.size() + (numbers_ > 0 ? 1 : 0); }

  // The numeric values of packed rows, without a copy.
  MatrixView Numbers() const {
    const FieldRows<float> numbers = memory_.rows.floats(kNumericField);
    return {numbers.first, rows(), numbers_, numbers.stride, 1};
  }

  std::vector<int64_t> categories_;
  int64_t numbers_;
  std::vector<float> out_;
};

std::vector<TableColumn> TablesOf(const Layer& embed) {
  std::vector<TableColumn> tables;
  for (size_t c = 0; c < embed.categories.size(); ++c) {
    const std::vector<int64_t>& shape = embed.parameters[c].shape;
    tables.push_back({.category = embed.categories[c],
                      .cardinality = shape[0],
                      .width = shape[1],
                      .factored = !embed.parameters[c].table});
  }
  return tables;
}

// Its parameters are the tables, the weight and the bias.
class InputKernel final : public ParameterKernel {
 public:
  InputKernel(const Layer& embed, const Layer& dense, FirstTensors first, NetMemory& memory)
      : ParameterKernel(dense, first, memory),
        tables_(embed.categories.size()),
        input_(TablesOf(embed), {embed.numbers, embed.pieces}, dense.width) {}

  void Bind() override {
    std::vector<const float*> tables;
    for (size_t c = 0; c < tables_; ++c) tables.push_back(Weight(c).data);
    input_.Bind(std::move(tables), Weight(tables_).data, Weight(tables_ + 1).data);
  }

  float* Forward(float*) override {
    input_.Forward(memory_.rows, memory_.product, Reserve(out_, width_));
    return out_.data();
  }

  float* Backward(float* gradient, const GradientSink& sink) override {
    std::vector<TableGradient> tables;
    for (size_t c = 0; c < tables_; ++c) {
      SparseRows* const rows = RowsOf(c, sink);
      tables.push_back({rows == nullptr ? Target(c, sink) : nullptr, rows});
    }
    input_.Backward(memory_.rows, gradient, memory_.product, tables, Target(tables_, sink));
    for (size_t i = 0; i <= tables_; ++i) Settle(i, sink);
    BackwardBias(tables_ + 1, gradient, sink);
    return nullptr;
  }

 private:
  size_t tables_;
  InputLayer input_;
  std::vector<float> out_;
};

// Its parameters are the tables and, if there are numbers, their weight.
class PairsKernel final : public ParameterKernel {
 public:
  PairsKernel(const Layer& embed, const Layer& pairs, FirstTensors first, NetMemory& memory)
      : ParameterKernel(pairs, first, memory),
        shape_(PairsOver(embed, pairs)),
        numbers_({.numbers = embed.numbers}) {
    for (size_t c = 0; c < embed.categories.size(); ++c) {
      columns_.push_back({.category = embed.categories[c],
                          .offset = int64_t(c) * shape_.width,
                          .width = shape_.width});
    }
  }

  float* Forward(float*) override {
    std::vector<const float*> tables;
    for (size_t c = 0; c < columns_.size(); ++c) tables.push_back(Weight(c).data);
    GatherInput(memory_.rows, columns_, tables, numbers_, Reserve(in_, shape_.inputs()));
    SumPairs(shape_, in_.data(), NumberWeight(), rows(), Reserve(sums_, shape_.width),
             Reserve(out_, width_));
    return out_.data();
  }

  float* Backward(float* gradient, const GradientSink& sink) override {
    float* const by_vector = Reserve(by_vector_, shape_.width);
    for (size_t c = 0; c < columns_.size(); ++c) {
      VectorSlopes(shape_, in_.data(), sums_.data(), gradient, rows(), int64_t(c), by_vector);
      if (SparseRows* const to = RowsOf(c, sink)) {
        AddToRows(memory_.rows, by_vector, shape_.width, columns_[c].category, *to);
      } else {
        float* const whole = Target(c, sink);
        std::fill_n(whole, Weight(c).count(), 0.0f);
        AddByCategory(memory_.rows, by_vector, shape_.width, shape_.width,
                      {{columns_[c].category, whole}});
      }
      Settle(c, sink);
    }
    if (shape_.numbers > 0) {
      WeightSlopes(shape_, in_.data(), NumberWeight(), sums_.data(), gradient, rows(),
                   Target(columns_.size(), sink));
      Settle(columns_.size(), sink);
    }
    return nullptr;
  }

 private:
  const float* NumberWeight() const {
    return shape_.numbers > 0 ? Weight(columns_.size()).data : nullptr;
  }

  PairShape shape_;
  NumberInput numbers_;
  std::vector<EmbeddedColumn> columns_;
  std::vector<float> in_, sums_, out_;  // Of the last Forward().
  std::vector<float> by_vector_;
};

// Its parameters are the tables.
class DotsKernel final : public ParameterKernel {
 public:
  DotsKernel(const Layer& layer, FirstTensors first, NetMemory& memory)
      : ParameterKernel(layer, first, memory), shape_(DotsOf(layer)) {
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      columns_.push_back({.category = layer.categories[c],
                          .offset = int64_t(c) * shape_.width,
                          .width = shape_.width});
    }
  }

  float* Forward(float* in) override {
    in_ = in;
    std::vector<const float*> tables;
    for (size_t c = 0; c < columns_.size(); ++c) tables.push_back(Weight(c).data);
    GatherInput(memory_.rows, columns_, tables, {}, Reserve(embedded_, embedded_width()));
    MultiplyVectors(shape_, Input(), rows(), Reserve(out_, width_));
    return out_.data();
  }

  float* Backward(float* gradient, const GradientSink& sink) override {
    float* const by_in = in_ == nullptr ? nullptr : Reserve(by_in_, shape_.width);
    float* const by_embedded = Reserve(by_embedded_, embedded_width());
    VectorSlopes(shape_, Input(), gradient, rows(), by_in, by_embedded);
    for (size_t c = 0; c < columns_.size(); ++c) {
      const float* const own = by_embedded + columns_[c].offset;
      if (SparseRows* const to = RowsOf(c, sink)) {
        AddToRows(memory_.rows, own, embedded_width(), columns_[c].category, *to);
      } else {
        float* const whole = Target(c, sink);
        std::fill_n(whole, Weight(c).count(), 0.0f);
        AddByCategory(memory_.rows, own, embedded_width(), shape_.width,
                      {{columns_[c].category, whole}});
      }
      Settle(c, sink);
    }
    return by_in;
  }

 private:
  int64_t embedded_width() const { return shape_.embedded * shape_.width; }
  DotInput Input() const { return {in_, shape_.width, embedded_.data(), embedded_width()}; }

  DotShape shape_;
  std::vector<EmbeddedColumn> columns_;
  const float* in_ = nullptr;  // Of the last Forward(), as are
  std::vector<float> embedded_, out_;
  std::vector<float> by_in_, by_embedded_;
};

class DenseKernel final : public ParameterKernel {
 public:
  DenseKernel(const Layer& layer, FirstTensors first, NetMemory& memory)
      : ParameterKernel(layer, first, memory), inputs_(layer.parameters.front().shape[1]) {}

  float* Forward(float* in) override {
    in_ = in;
    RepeatRow(Weight(1).data, width_, rows(), Reserve(out_, width_));
    memory_.product.Add(MatrixView::Of(in, rows(), inputs_), View().Transposed(), out_.data(),
                        width_);
    return out_.data();
  }

  float* Backward(float* gradient, const GradientSink& sink) override {
    const auto by_out = MatrixView::Of(gradient, rows(), width_);
    memory_.product.Set(by_out.Transposed(), MatrixView::Of(in_, rows(), inputs_), Target(0, sink),
                        inputs_);
    Settle(0, sink);
    BackwardBias(1, gradient, sink);
    memory_.product.Set(by_out, View(), Reserve(by_in_, inputs_), inputs_);
    return by_in_.data();
  }

 private:
  MatrixView View() const { return MatrixView::Of(Weight(0).data, width_, inputs_); }

  int64_t inputs_;
  const float* in_ = nullptr;  // Of the last Forward().
  std::vector<float> out_;
  std::vector<float> by_in_;
};

class NormKernel final : public ParameterKernel {
 public:
  using ParameterKernel::ParameterKernel;

  float* Forward(float* in) override {
    in_ = in;
    float* const out = Reserve(out_, width_);
    if (!memory_.frozen.empty() && memory_.frozen[first_.buffer]) {
      norm_.ForwardFrozen(in, rows(), width_, Tensors(), out);
    } else {
      norm_.Forward(in, rows(), width_, Tensors(), out);
    }
    return out;
  }

  float* Backward(float* gradient, const GradientSink& sink) override {
    norm_.Backward(in_, rows(), width_, Tensors(), gradient, Target(0, sink), Target(1, sink));
    Settle(0, sink);
    Settle(1, sink);
    return gradient;
  }

 private:
  NormTensors Tensors() const {
    const FloatValues* const running = &memory_.running[first_.buffer];
    return {Weight(0).data, Weight(1).data, running[0].data, running[1].data};
  }

  BatchNorm norm_;
  const float* in_ = nullptr;  // Of the last Forward().
  std::vector<float> out_;
};

// ReLU and dropout in place: neither the previous layer nor this one needs the input again.
class ReluKernel final : public LayerKernel {
 public:
  ReluKernel(const Layer& layer, const NetMemory& memory) : layer_(layer), memory_(memory) {}

  // The key includes the layer's position: with one key all layers would drop the same neurons.
  float* Forward(float* in) override {
    values_ = {in, size_t(memory_.rows.size() * layer_.members * layer_.width)};
    const uint64_t key = DrawKey(DrawTag::kDropout, {memory_.key, layer_.position});
    kept_factor_ = ReluDropout(key, layer_.dropout, values_);
    return in;
  }

  float* Backward(float* gradient, const GradientSink&) override {
    BackwardRelu(values_, kept_factor_, {gradient, values_.size()});
    return gradient;
  }

 private:
  Layer layer_;
  const NetMemory& memory_;
  std::span<float> values_;  // Of the last Forward().
  float kept_factor_ = 1;
};

class MembersKernel final : public ParameterKernel {
 public:
  using ParameterKernel::ParameterKernel;

  float* Forward(float* in) override {
    in_ = in;
    SpreadMembers(in, memory_.rows.size(), Tensors(), Reserve(out_, width_));
    return out_.data();
  }

  float* Backward(float* gradient, const GradientSink& sink) override {
    by_in_.resize(size_t(memory_.rows.size() * width_));
    GatherMembers(in_, gradient, memory_.rows.size(), Tensors(), by_in_.data(), Target(0, sink),
                  Target(1, sink));
    Settle(0, sink);
    Settle(1, sink);
    return by_in_.data();
  }

 private:
  MemberTensors Tensors() const { return {Weight(0).data, Weight(1).data, members_, width_}; }

  const float* in_ = nullptr;  // Of the last Forward().
  std::vector<float> out_;
  std::vector<float> by_in_;
};

// A product for each member: of its rows, which lie among those of the others, and its columns of
// the weight.
class HeadsKernel final : public ParameterKernel {
 public:
  HeadsKernel(const Layer& layer, FirstTensors first, NetMemory& memory)
      : ParameterKernel(layer, first, memory),
        inputs_(layer.parameters.front().shape[1] / layer.members) {}

  float* Forward(float* in) override {
    in_ = in;
    float* const out = Reserve(out_, width_);
    const float* const bias = Weight(1).data;
    for (int64_t m = 0; m < members_; ++m) {
      float* const own = out + m * each() * width_;
      for (int64_t i = 0; i < each(); ++i) {
        for (int64_t o = 0; o < width_; ++o) own[i * width_ + o] = bias[o * members_ + m];
      }
      memory_.product.Add(RowsOf(m), WeightOf(m).Transposed(), own, width_);
    }
    return out;
  }

  float* Backward(float* gradient, const GradientSink& sink) override {
    float* const weight = Target(0, sink);
    float* const bias = Target(1, sink);
    Reserve(by_in_, inputs_);
    sums_.resize(size_t(width_));
    for (int64_t m = 0; m < members_; ++m) {
      const float* const own = gradient + m * each() * width_;
      const auto by_out = MatrixView::Of(own, each(), width_);
      SumColumns(own, each(), width_, sums_.data());
      for (int64_t o = 0; o < width_; ++o) bias[o * members_ + m] = sums_[size_t(o)];
      memory_.product.Set(by_out.Transposed(), RowsOf(m), weight + m * inputs_, members_ * inputs_);
      memory_.product.Set(by_out, WeightOf(m), by_in_.data() + m * inputs_, members_ * inputs_);
    }
    Settle(0, sink);
    Settle(1, sink);
    return by_in_.data();
  }

 private:
  int64_t each() const { return memory_.rows.size(); }
  MatrixView RowsOf(int64_t member) const {
    return MatrixView::Of(in_, each(), members_ * inputs_).Columns(member * inputs_, inputs_);
  }
  MatrixView WeightOf(int64_t member) const {
    return MatrixView::Of(Weight(0).data, width_, members_ * inputs_)
        .Columns(member * inputs_, inputs_);
  }

  int64_t inputs_;             // Of each member.
  const float* in_ = nullptr;  // Of the last Forward().
  std::vector<float> out_;
  std::vector<float> by_in_;
  std::vector<float> sums_;
};

}  // namespace

std::unique_ptr<LayerKernel> MakeKernel(const Layer& layer, FirstTensors first, NetMemory& memory) {
  switch (layer.kind) {
    case LayerKind::kLinear:
      return std::make_unique<LinearKernel>(layer, first, memory);
    case LayerKind::kDense:
      return std::make_unique<DenseKernel>(layer, first, memory);
    case LayerKind::kBatchNorm:
      return std::make_unique<NormKernel>(layer, first, memory);
    case LayerKind::kRelu:
      return std::make_unique<ReluKernel>(layer, memory);
    case LayerKind::kMembers:
      return std::make_unique<MembersKernel>(layer, first, memory);
    case LayerKind::kHeads:
      return std::make_unique<HeadsKernel>(layer, first, memory);
    case LayerKind::kDots:
      return std::make_unique<DotsKernel>(layer, first, memory);
    case LayerKind::kEmbed:
    case LayerKind::kPairs:
    case LayerKind::kSum:
      break;
  }
  return nullptr;
}

std::unique_ptr<LayerKernel> MakeInputKernel(const Layer& embed, const Layer& next,
                                             FirstTensors first, NetMemory& memory) {
  if (next.kind == LayerKind::kPairs) {
    return std::make_unique<PairsKernel>(embed, next, first, memory);
  }
  return std::make_unique<InputKernel>(embed, next, first, memory);
}

}  // namespace protium
