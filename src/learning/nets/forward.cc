// SPDX-License-Identifier: Apache-2.0
#include "nets/forward.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "nets/dense.h"
#include "nets/dots.h"
#include "nets/mlp_kernels.h"
#include "nets/pairs.h"
#include "tensor/philox.h"

namespace protium {
namespace {

// This many rows go through all layers before the next ones, so their values stay in the cache.
constexpr int64_t kBlockRows = 96;

// A row for each category, added to the sums.
struct Table {
  int64_t category = 0;  // Index among the categories of a row.
  int64_t width = 0;
  const float* rows = nullptr;
  std::vector<float> own;  // The memory of `rows`, unless it is borrowed.
};

struct Norm {
  std::vector<float> factor, shift;
};

// Makes rows of each row, padded like them.
struct Members {
  std::vector<float> scale, bias;
  int64_t count = 1;
};

// The bias, table rows, and the input times the weights; then the norm, or the members, and ReLU.
struct Step {
  Dense dense;
  std::vector<float> bias;
  int64_t members = 1;  // Rows of the input per row of the net.
  std::vector<Table> tables = {};
  std::optional<Norm> norm = {};
  std::optional<Members> spread = {};
  bool relu = false;
};

// How the rows begin of a table of ids among the inputs.
struct UnseenRows {
  int64_t column = 0;    // Of the ids.
  int64_t category = 0;  // Of resolved rows.
  int64_t offset = 0;    // Of the embedding among the gathered inputs.
  int64_t width = 0;
  uint64_t key = 0;
  float bound = 0;
};

// In place of steps.
struct Pairs {
  PairShape shape;
  const float* weight = nullptr;  // Borrowed; of the numbers.
};

// Between two steps: the input of the second is made of the output of the first, if there is one,
// and of the gathered embeddings.
struct Dots {
  DotShape shape;
  size_t before = 0;  // The second one.
};

// Consecutive steps. The first reads the rows: embeddings, then numbers. With dots, it reads the
// numbers alone.
struct Chain {
  std::vector<EmbeddedColumn> columns = {};
  std::vector<const float*> embeddings = {};  // One per column; borrowed.
  NumberInput numbers = {};
  std::vector<UnseenRows> unseen = {};
  std::optional<Pairs> pairs = {};
  std::optional<Dots> dots = {};
  std::vector<Step> steps = {};
  int64_t embedded() const {
    return columns.empty() ? 0 : columns.back().offset + columns.back().width;
  }
  int64_t inputs() const { return embedded() + numbers.width(); }
  int64_t most_members() const {
    int64_t most = 1;
    for (const Step& step : steps) most = std::max(most, step.members);
    return most;
  }
};

void Activate(const Step& step, std::vector<float>& sums) {
  if (step.norm) {
    const auto width = size_t(step.dense.width());
    for (size_t at = 0; at < sums.size(); at += width) {
      for (size_t j = 0; j < width; ++j) {
        // A product and a sum, each rounded, on every processor.
        sums[at + j] = sums[at + j] * step.norm->factor[j] + step.norm->shift[j];
      }
    }
  }
  if (!step.relu) return;
  for (float& each : sums) each = each < 0 ? 0 : each;
}

// Replaces the rows of `sums` by those of the members.
void Spread(const Step& step, std::vector<float>& sums, std::vector<float>& members) {
  const int64_t width = step.dense.width(), rows = int64_t(sums.size()) / width;
  members.resize(sums.size() * size_t(step.spread->count));
  SpreadMembers(sums.data(), rows,
                {step.spread->scale.data(), step.spread->bias.data(), step.spread->count, width},
                members.data());
  std::swap(sums, members);
}

// Sets the initial sums of a step.
void Start(const Step& step, const PackedRows& rows, std::vector<float>& sums) {
  const int64_t width = step.dense.width(), count = rows.size() * step.members;
  sums.resize(size_t(count * width));
  if (step.tables.empty()) return RepeatRow(step.bias.data(), width, count, sums.data());
  const FieldRows<int32_t> categories = rows.ints(kCategoriesField);
  for (int64_t i = 0; i < rows.size(); ++i) {
    float* row = sums.data() + i * width;
    std::copy_n(step.bias.data(), width, row);
    for (const Table& each : step.tables) {
      const int64_t category = categories.at(i)[each.category];
      if (category < 0) continue;  // An id that was never learned: its row is 0 here.
      const float* from = each.rows + category * each.width;
      for (int64_t j = 0; j < each.width; ++j) row[j] += from[j];
    }
  }
}

// Rows as packed, and with the positions of their ids; the same where there are none.
struct BlockRows {
  PackedRows packed;
  PackedRows resolved;
};

// Gives ids that were never learned the rows that they would begin with.
void FillUnseen(const Chain& chain, const BlockRows& rows, int64_t stride, float* gathered) {
  if (chain.unseen.empty()) return;
  const FieldRows<int32_t> ids = rows.packed.ints(kIdsField);
  const FieldRows<int32_t> categories = rows.resolved.ints(kCategoriesField);
  for (int64_t i = 0; i < rows.packed.size(); ++i) {
    for (const UnseenRows& each : chain.unseen) {
      if (categories.at(i)[each.category] >= 0) continue;
      DrawIdRow(each.key, IdRows::IdAt(ids, i, each.column), each.bound,
                {gathered + i * stride + each.offset, size_t(each.width)});
    }
  }
}

class ForwardLayers final : public ForwardNet {
 public:
  ForwardLayers(std::vector<Chain> chains, int64_t outputs, std::shared_ptr<const IdRows> ids)
      : chains_(std::move(chains)), outputs_(outputs), ids_(std::move(ids)) {
    for (const Chain& each : chains_) {
      block_rows_ = std::min(block_rows_, std::max<int64_t>(6, kBlockRows / each.most_members()));
    }
  }

  void Predict(const PackedRows& rows, ForwardScratch& scratch, float* out) const override {
    const int64_t row_bytes = rows.schema().width();
    for (int64_t at = 0; at < rows.size(); at += block_rows_) {
      const int64_t count = std::min(block_rows_, rows.size() - at);
      const PackedRows block(rows.schema(), rows.row(0) + at * row_bytes, count);
      PredictBlock({block, ids_ ? ids_->Resolve(block, scratch.resolved) : block}, scratch,
                   out + at * outputs_);
    }
  }

 private:
  void PredictBlock(const BlockRows& rows, ForwardScratch& scratch, float* out) const {
    const int64_t count = rows.packed.size() * outputs_;
    Run(chains_.front(), rows, scratch, out);
    for (size_t c = 1; c < chains_.size(); ++c) {
      scratch.outputs.resize(size_t(count));
      Run(chains_[c], rows, scratch, scratch.outputs.data());
      for (int64_t i = 0; i < count; ++i) out[i] += scratch.outputs[size_t(i)];
    }
  }

  void Run(const Chain& chain, const BlockRows& block, ForwardScratch& scratch, float* out) const {
    const PackedRows& rows = block.resolved;
    int64_t in_stride = chain.inputs();
    scratch.gathered.resize(size_t(rows.size() * in_stride));
    GatherInput(rows, chain.columns, chain.embeddings, chain.numbers, scratch.gathered.data());
    FillUnseen(chain, block, in_stride, scratch.gathered.data());
    if (chain.pairs) {
      const auto& [shape, weight] = *chain.pairs;
      scratch.layers[0].resize(size_t(rows.size() * shape.width));
      return SumPairs(shape, scratch.gathered.data(), weight, rows.size(), scratch.layers[0].data(),
                      out);
    }
    const float* in = scratch.gathered.data() + (chain.dots ? chain.embedded() : 0);
    const int64_t gathered = in_stride;
    for (size_t s = 0; s < chain.steps.size(); ++s) {
      if (chain.dots && chain.dots->before == s) {
        const DotShape& shape = chain.dots->shape;
        scratch.dots.resize(size_t(rows.size() * shape.outputs()));
        MultiplyVectors(shape, {in, in_stride, scratch.gathered.data(), gathered}, rows.size(),
                        scratch.dots.data());
        in = scratch.dots.data();
        in_stride = shape.outputs();
      }
      const Step& step = chain.steps[s];
      std::vector<float>& sums = scratch.layers[s % 2];
      Start(step, rows, sums);
      step.dense.Add(in, in_stride, rows.size() * step.members, sums.data(), scratch.int8);
      if (step.spread) Spread(step, sums, scratch.members);
      Activate(step, sums);
      in = sums.data();
      // The last step's input is all members of a row, side by side.
      const int64_t members = s + 1 < chain.steps.size() ? chain.steps[s + 1].members : 1;
      in_stride = int64_t(sums.size()) / (rows.size() * members);
    }
    for (int64_t i = 0; i < rows.size(); ++i) {
      std::copy_n(in + i * in_stride, outputs_, out + i * outputs_);
    }
  }

  std::vector<Chain> chains_;  // Their outputs are summed.
  int64_t outputs_;
  std::shared_ptr<const IdRows> ids_;
  int64_t block_rows_ = kBlockRows;
};

// Builds the chains layer by layer.
class Maker {
 public:
  Maker(const FindWeight& find, const IdRows* ids, bool int8)
      : find_(find), ids_(ids), int8_(int8) {}

  Status Add(const Layer& layer) {
    PT_TRY(FindAll(layer));
    switch (layer.kind) {
      case LayerKind::kLinear:
        AddLinear(layer);
        break;
      case LayerKind::kEmbed:
        chains_.push_back({.numbers = {layer.numbers, layer.pieces}});
        embed_ = &layer;
        tables_ = found_;
        break;
      case LayerKind::kDense:
        AddDense(layer);
        break;
      case LayerKind::kBatchNorm:
        AddNorm(layer.width);
        break;
      case LayerKind::kRelu:
        LastStep().relu = true;
        break;
      case LayerKind::kMembers:
        AddMembers(layer);
        break;
      case LayerKind::kHeads:
        AddHeads(layer);
        break;
      case LayerKind::kPairs:
        AddPairs(layer);
        break;
      case LayerKind::kDots:
        AddDots(layer);
        break;
      case LayerKind::kSum:  // The sum of all chains.
        break;
    }
    return Status::OK();
  }

  std::vector<Chain> chains() && { return std::move(chains_); }

 private:
  // Finds the values of the layer's parameters and buffers, in this order.
  Status FindAll(const Layer& layer) {
    found_.clear();
    for (const std::vector<LayerTensor>* tensors : {&layer.parameters, &layer.buffers}) {
      for (const LayerTensor& tensor : *tensors) {
        PT_LET(found_.emplace_back(), FindShaped(tensor));
      }
    }
    return Status::OK();
  }

  Result<const float*> FindShaped(const Variable& tensor) const {
    const auto found = find_(tensor.name);
    if (!found) {
      return Fail(
          {.exit = Exit::kInput, .what = fmt::format("there are no weights {}", tensor.name)});
    }
    if (found->shape != tensor.shape) {
      return Fail(
          {.exit = Exit::kInput,
           .what = fmt::format("the weights {} are [{}], and the net's are [{}]", tensor.name,
                               fmt::join(found->shape, ", "), fmt::join(tensor.shape, ", "))});
    }
    return found->values;
  }

  Step& LastStep() { return chains_.back().steps.back(); }

  void AddStep(Dense dense, const float* bias) {
    std::vector<float> padded = dense.Padded(bias);
    if (int8_) dense = std::move(dense).InInt8();
    chains_.back().steps.push_back({.dense = std::move(dense), .bias = std::move(padded)});
  }

  void AddLinear(const Layer& layer) {
    chains_.push_back({.numbers = {.numbers = layer.numbers}});
    const size_t tables = layer.categories.size();
    const float* const weight = layer.numbers > 0 ? found_[tables] : nullptr;
    AddStep(Dense(weight, layer.width, layer.numbers), found_.back());
    for (size_t c = 0; c < tables; ++c) {
      LastStep().tables.push_back(
          {.category = layer.categories[c], .width = layer.width, .rows = found_[c]});
    }
  }

  void AddDense(const Layer& layer) {
    const int64_t inputs = layer.parameters.front().shape[1];
    if (embed_ == nullptr) {
      AddStep(Dense(found_[0], layer.width, inputs), found_[1]);
      LastStep().members = layer.members;
      return;
    }
    std::vector<Table> products;
    std::vector<InputRange> entering;  // The other inputs, which are gathered from the rows.
    int64_t at = 0, gathered = 0;
    for (size_t c = 0; c < tables_.size(); ++c) {
      const std::vector<int64_t>& shape = embed_->parameters[c].shape;
      const InputRange range{at, at + shape[1]};
      at = range.end;
      if (!embed_->parameters[c].table) {
        products.push_back(Multiply(c, Dense(found_[0], layer.width, inputs, {{range}})));
        continue;
      }
      entering.push_back(range);
      gathered = AddGathered(*embed_, c, gathered);
    }
    entering.push_back({at, inputs});
    AddStep(Dense(found_[0], layer.width, inputs, entering), found_[1]);
    LastStep().tables = std::move(products);
    embed_ = nullptr;
  }

  // Gathers a table's rows from this offset on; returns the one behind them.
  int64_t AddGathered(const Layer& layer, size_t c, int64_t offset) {
    const LayerTensor& table = layer.parameters[c];
    const int64_t width = table.shape[1];
    chains_.back().columns.push_back(
        {.category = layer.categories[c], .offset = offset, .width = width});
    chains_.back().embeddings.push_back(&layer == embed_ ? tables_[c] : found_[c]);
    if (table.ids >= 0) AddUnseen(table, layer.categories[c], offset);
    return offset + width;
  }

  void AddPairs(const Layer& layer) {
    int64_t gathered = 0;
    for (size_t c = 0; c < tables_.size(); ++c) gathered = AddGathered(*embed_, c, gathered);
    const float* const weight = layer.parameters.empty() ? nullptr : found_.front();
    chains_.back().pairs = Pairs{PairsOver(*embed_, layer), weight};
    embed_ = nullptr;
  }

  void AddDots(const Layer& layer) {
    const DotShape shape = DotsOf(layer);
    if (!shape.has_input) chains_.emplace_back();
    for (size_t c = 0; c < layer.categories.size(); ++c) {
      AddGathered(layer, c, int64_t(c) * shape.width);
    }
    chains_.back().dots = Dots{shape, chains_.back().steps.size()};
  }

  void AddUnseen(const LayerTensor& table, int64_t category, int64_t offset) {
    const uint64_t net = DrawKey(DrawTag::kInitialise, {ids_->tables().seed});
    chains_.back().unseen.push_back({.column = table.ids,
                                     .category = category,
                                     .offset = offset,
                                     .width = table.shape[1],
                                     .key = DrawKeyOf(table, net),
                                     .bound = table.start_value});
  }

  // A table times its part of the weights.
  Table Multiply(size_t table, const Dense& part) const {
    const int64_t n = embed_->parameters[table].shape[0];
    Table product{.category = embed_->categories[table],
                  .width = part.width(),
                  .own = std::vector<float>(size_t(n * part.width()), 0)};
    part.Add(tables_[table], part.inputs(), n, product.own.data());
    product.rows = product.own.data();
    return product;
  }

  void AddMembers(const Layer& layer) {
    const int64_t padded = LastStep().dense.width();
    const auto pad = [&](const float* values) {
      std::vector<float> out(size_t(layer.members * padded), 0);
      for (int64_t m = 0; m < layer.members; ++m) {
        std::copy_n(values + m * layer.width, layer.width, out.begin() + m * padded);
      }
      return out;
    };
    LastStep().spread = {pad(found_[0]), pad(found_[1]), layer.members};
  }

  // The mean of the members' outputs as one layer over their rows, which lie side by side with
  // their padding.
  void AddHeads(const Layer& layer) {
    const int64_t members = layer.members, padded = LastStep().dense.width();
    const int64_t own = layer.parameters.front().shape[1] / members;
    std::vector<float> weight(size_t(layer.width * members * padded), 0);
    std::vector<float> bias(size_t(layer.width), 0);
    for (int64_t o = 0; o < layer.width; ++o) {
      for (int64_t m = 0; m < members; ++m) {
        const float* const from = found_[0] + (o * members + m) * own;
        float* const to = weight.data() + (o * members + m) * padded;
        for (int64_t j = 0; j < own; ++j) to[j] = from[j] / float(members);
        bias[size_t(o)] += found_[1][o * members + m];
      }
      bias[size_t(o)] /= float(members);
    }
    AddStep(Dense(weight.data(), layer.width, members * padded), bias.data());
  }

  // Turns (x - mean) / sqrt(variance + epsilon) * weight + bias into one factor and one shift.
  void AddNorm(int64_t width) {
    const float* const weight = found_[0];
    const float* const bias = found_[1];
    const float* const mean = found_[2];
    const float* const variance = found_[3];
    const auto padded = size_t(LastStep().dense.width());
    Norm norm{.factor = std::vector<float>(padded, 0), .shift = std::vector<float>(padded, 0)};
    for (size_t j = 0; j < size_t(width); ++j) {
      const double factor = double(weight[j]) / std::sqrt(double(variance[j]) + kNormEpsilon);
      norm.factor[j] = float(factor);
      norm.shift[j] = float(double(bias[j]) - double(mean[j]) * factor);
    }
    LastStep().norm = std::move(norm);
  }

  const FindWeight& find_;
  const IdRows* ids_;
  const bool int8_;
  std::vector<const float*> found_;   // Of the current layer.
  const Layer* embed_ = nullptr;      // The previous layer, if it is kEmbed.
  std::vector<const float*> tables_;  // Of embed_.
  std::vector<Chain> chains_;
};

}  // namespace

Result<std::unique_ptr<ForwardNet>> MakeForward(const Layers& layers, const FindWeight& find,
                                                std::shared_ptr<const IdRows> ids, bool int8) {
  Maker maker(find, ids.get(), int8);
  for (const Layer& layer : layers) PT_TRY(maker.Add(layer));
  return std::make_unique<ForwardLayers>(std::move(maker).chains(), layers.back().width,
                                         std::move(ids));
}

}  // namespace protium
