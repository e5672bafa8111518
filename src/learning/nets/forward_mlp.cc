// SPDX-License-Identifier: Apache-2.0
// The first layer multiplies x = [embedding of each column ..., numeric values] by its weights W.
// Columns with few categories never enter x: a row of their table times their part of W is the same
// for all rows, so it is computed once, and added. Their sums come first, in the order of the
// columns; then the other inputs, in theirs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "nets/dense.h"
#include "nets/forward.h"

namespace protium {
namespace {

// With more categories a table of products would take more memory than it saves time.
constexpr int64_t kMostMultiplied = 128;
// Rows that go through all layers before the next ones: their values stay in the cache.
constexpr int64_t kBlockRows = 96;

// An embedded column, in the order of x.
struct Embedded {
  int64_t category = 0;  // Which of the categories of a row.
  int64_t width = 0;
  const float* table = nullptr;  // Borrowed.
};

// A row for each category, as wide as the first layer's sums.
struct Products {
  int64_t category = 0;
  std::vector<float> rows;
};

struct Norm {
  std::vector<float> factor, shift;
};

struct Layer {
  Dense dense;
  std::vector<float> bias;
  std::optional<Norm> norm;
};

void Relu(std::span<float> values) {
  for (float& each : values) each = each < 0 ? 0 : each;
}

class ForwardMlp final : public ForwardNet {
 public:
  ForwardMlp(int64_t outputs, int64_t numeric) : outputs_(outputs), numeric_(numeric) {}

  void Predict(const PackedRows& rows, ForwardScratch& scratch, float* out) const override {
    const int64_t row_bytes = rows.schema().width();
    for (int64_t at = 0; at < rows.size(); at += kBlockRows) {
      const int64_t count = std::min(kBlockRows, rows.size() - at);
      const PackedRows block(rows.schema(), rows.row(0) + at * row_bytes, count);
      PredictBlock(block, scratch, out + at * outputs_);
    }
  }

  std::vector<Embedded> gathered;  // Columns that enter x.
  std::vector<Products> products;
  std::vector<Layer> layers;  // Hidden ones, then the output.

 private:
  void PredictBlock(const PackedRows& rows, ForwardScratch& scratch, float* out) const {
    Gather(rows, scratch.gathered);
    const float* in = scratch.gathered.data();
    int64_t in_stride = layers.front().dense.inputs();
    for (size_t l = 0; l < layers.size(); ++l) {
      std::vector<float>& sums = scratch.layers[l % 2];
      Start(layers[l], rows, l == 0, sums);
      layers[l].dense.Add(in, in_stride, rows.size(), sums.data());
      if (l + 1 < layers.size()) Activate(layers[l], sums);
      in = sums.data();
      in_stride = layers[l].dense.width();
    }
    for (int64_t i = 0; i < rows.size(); ++i) {
      std::copy_n(in + i * in_stride, outputs_, out + i * outputs_);
    }
  }

  void Gather(const PackedRows& rows, std::vector<float>& to) const {
    to.resize(size_t(rows.size() * layers.front().dense.inputs()));
    const FieldRows<int32_t> categories = rows.ints(kCategoriesField);
    const FieldRows<float> numbers = rows.floats(kNumericField);
    float* out = to.data();
    for (int64_t i = 0; i < rows.size(); ++i) {
      for (const Embedded& each : gathered) {
        out =
            std::copy_n(each.table + categories.at(i)[each.category] * each.width, each.width, out);
      }
      out = std::copy_n(numbers.at(i), numeric_, out);
    }
  }

  // What the sums of a layer begin with.
  void Start(const Layer& layer, const PackedRows& rows, bool first,
             std::vector<float>& sums) const {
    const int64_t width = layer.dense.width();
    sums.resize(size_t(rows.size() * width));
    const FieldRows<int32_t> categories = rows.ints(kCategoriesField);
    for (int64_t i = 0; i < rows.size(); ++i) {
      float* row = sums.data() + i * width;
      std::copy_n(layer.bias.data(), width, row);
      if (!first) continue;
      for (const Products& each : products) {
        const float* from = each.rows.data() + categories.at(i)[each.category] * width;
        for (int64_t j = 0; j < width; ++j) row[j] += from[j];
      }
    }
  }

  static void Activate(const Layer& layer, std::vector<float>& sums) {
    if (layer.norm) {
      const auto width = size_t(layer.dense.width());
      for (size_t at = 0; at < sums.size(); at += width) {
        for (size_t j = 0; j < width; ++j) {
          // A product and a sum, each rounded, on every processor.
          sums[at + j] = sums[at + j] * layer.norm->factor[j] + layer.norm->shift[j];
        }
      }
    }
    Relu(sums);
  }

  int64_t outputs_;
  int64_t numeric_;
};

// Builds the net layer by layer, from the names and shapes that docs/model-folder.md lists.
class Maker {
 public:
  Maker(const TabularMlpOptions& options, const ForwardShape& shape, const FindWeight& find,
        const std::string& prefix)
      : options_(options),
        shape_(shape),
        find_(find),
        prefix_(prefix),
        net_(std::make_unique<ForwardMlp>(shape.outputs, shape.numeric)) {}

  Result<std::unique_ptr<ForwardNet>> Make(const std::vector<int64_t>& categories) {
    PT_TRY(FindTables(categories));
    const size_t hidden = options_.hidden.size();
    for (size_t l = 0; l < hidden; ++l) {
      PT_TRY(AddLayer(fmt::format("{}dense.{}", prefix_, l), options_.hidden[l]));
      if (options_.batch_norm) PT_TRY(AddNorm(fmt::format("{}norm.{}", prefix_, l)));
    }
    PT_TRY(AddLayer(prefix_ + "output", shape_.outputs));
    return std::unique_ptr<ForwardNet>(std::move(net_));
  }

 private:
  Status FindTables(const std::vector<int64_t>& categories) {
    for (size_t c = 0; c < categories.size(); ++c) {
      const int64_t n = shape_.cardinalities[size_t(categories[c])];
      const int64_t width = EmbeddingWidth(options_, n);
      PT_LET(const float* table,
             FindShaped(find_, fmt::format("{}embedding.{}.weight", prefix_, c), {n, width}));
      tables_.push_back({.category = categories[c], .width = width, .table = table});
      width_ += width;
    }
    width_ += shape_.numeric;
    return Status::OK();
  }

  Status AddLayer(const std::string& name, int64_t out) {
    PT_LET(const float* weight, FindShaped(find_, name + ".weight", {out, width_}));
    PT_LET(const float* bias, FindShaped(find_, name + ".bias", {out}));
    Dense dense = net_->layers.empty() ? First(weight, out) : Dense(weight, out, width_);
    std::vector<float> padded = dense.Padded(bias);
    net_->layers.push_back({.dense = std::move(dense), .bias = std::move(padded)});
    width_ = out;
    return Status::OK();
  }

  Dense First(const float* weight, int64_t out) {
    std::vector<InputRange> entering;
    int64_t at = 0;
    for (const Embedded& each : tables_) {
      const InputRange range{at, at + each.width};
      at = range.end;
      const int64_t n = shape_.cardinalities[size_t(each.category)];
      if (n > kMostMultiplied) {
        entering.push_back(range);
        net_->gathered.push_back(each);
        continue;
      }
      const Dense part(weight, out, width_, std::vector<InputRange>{range});
      Products made{.category = each.category,
                    .rows = std::vector<float>(size_t(n * part.width()), 0)};
      part.Add(each.table, each.width, n, made.rows.data());
      net_->products.push_back(std::move(made));
    }
    entering.push_back({at, width_});
    return Dense(weight, out, width_, entering);
  }

  // (x - mean) / sqrt(variance + epsilon) * weight + bias as one factor and one shift.
  Status AddNorm(const std::string& name) {
    Layer& layer = net_->layers.back();
    const std::vector<int64_t> shape{width_};
    PT_LET(const float* weight, FindShaped(find_, name + ".weight", shape));
    PT_LET(const float* bias, FindShaped(find_, name + ".bias", shape));
    PT_LET(const float* mean, FindShaped(find_, name + ".running_mean", shape));
    PT_LET(const float* variance, FindShaped(find_, name + ".running_var", shape));
    Norm norm{.factor = std::vector<float>(layer.bias.size(), 0),
              .shift = std::vector<float>(layer.bias.size(), 0)};
    for (size_t j = 0; j < size_t(width_); ++j) {
      const double factor = double(weight[j]) / std::sqrt(double(variance[j]) + kNormEpsilon);
      norm.factor[j] = float(factor);
      norm.shift[j] = float(double(bias[j]) - double(mean[j]) * factor);
    }
    layer.norm = std::move(norm);
    return Status::OK();
  }

  const TabularMlpOptions& options_;
  const ForwardShape& shape_;
  const FindWeight& find_;
  const std::string& prefix_;
  std::vector<Embedded> tables_;
  int64_t width_ = 0;  // What the next layer reads.
  std::unique_ptr<ForwardMlp> net_;
};

}  // namespace

int64_t EmbeddingWidth(const TabularMlpOptions& options, int64_t cardinality) {
  // Half the cardinality, at most 50: the rule of thumb of fast.ai's early tabular models.
  return options.embedding ? *options.embedding : std::min<int64_t>(50, (cardinality + 1) / 2);
}

Result<std::unique_ptr<ForwardNet>> MakeForwardMlp(const TabularMlpOptions& options,
                                                   const ForwardShape& shape,
                                                   const std::vector<int64_t>& categories,
                                                   const FindWeight& find,
                                                   const std::string& prefix) {
  return Maker(options, shape, find, prefix).Make(categories);
}

}  // namespace protium
