// SPDX-License-Identifier: Apache-2.0
#include "nets/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/fault.h"
#include "nets/dots.h"
#include "protium/nets.h"
#include "tensor/philox.h"

namespace protium {
namespace {

// The bound of the weights of a dense layer with `in` inputs and `out` outputs.
float Bound(InitialWeights weights, int64_t in, int64_t out) {
  if (weights == InitialWeights::kGlorot) return std::sqrt(6 / float(in + out));
  return 1 / std::sqrt(float(std::max<int64_t>(1, in)));
}

// Of the first embeddings of ids. A rare id keeps nearly what it began with, which should say
// little.
constexpr float kIdBound = 0.05f;
// The width of the embeddings of ids, whose number no option depends on.
constexpr int32_t kIdWidth = 16;

int64_t EmbeddingWidth(std::optional<int32_t> given, int64_t cardinality) {
  return given.value_or(int32_t(std::min<int64_t>(50, (cardinality + 1) / 2)));
}

// All categorical columns.
std::vector<int64_t> AllOf(const NetShape& shape) {
  std::vector<int64_t> all(shape.cardinalities.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Adds the layers of a part of a net. Names of its tensors begin with `prefix`, and their draws
// with `draw`; the last word of a draw is the parameter's number within the part.
class Part {
 public:
  Part(const NetShape& shape, std::string prefix, std::vector<uint64_t> draw, Layers& layers)
      : shape_(shape), prefix_(std::move(prefix)), draw_(std::move(draw)), layers_(layers) {}

  void AddLinear() {
    Layer& layer = Add(LayerKind::kLinear, shape_.outputs);
    layer.numbers = shape_.numeric;
    for (size_t c = 0; c < shape_.cardinalities.size(); ++c) {
      layer.categories.push_back(int64_t(c));
      AddParameter(fmt::format("category.{}.weight", c), {shape_.cardinalities[c], layer.width});
      MarkTable(int64_t(c));
    }
    // Everything starts at 0: without hidden neurons there is no symmetry to break.
    if (layer.numbers > 0) AddParameter("weight", {layer.width, layer.numbers});
    AddParameter("bias", {layer.width});
  }

  void AddMlp(const TabularMlpOptions& options, const std::vector<int64_t>& categories) {
    AddEmbed(options.embedding, categories, 1, 0);
    for (size_t l = 0; l < options.hidden.size(); ++l) {
      AddDense(fmt::format("dense.{}", l), options.hidden[l], options.initial_weights);
      if (options.batch_norm) AddNorm(fmt::format("norm.{}", l));
      AddRelu(options.hidden[l], options.dropout, l);
    }
    AddDense("output", shape_.outputs, options.initial_weights);
  }

  void AddPairs(const FactorizationMachineOptions& options) {
    // Small: hundreds of products are added up.
    constexpr float kDeviation = 0.05f;
    const auto width = int32_t(shape_.outputs * options.factors);
    AddEmbed(width, AllOf(shape_), kDeviation, 0);
    Add(LayerKind::kPairs, shape_.outputs).vector_width = width;
    if (shape_.numeric > 0) {
      AddParameter("weight", {shape_.numeric, width}, Start::kNormal, kDeviation);
    }
  }

  // Dense layers begin with the deviation of those in the authors' program.
  void AddDlrm(const DlrmOptions& options) {
    std::vector<int32_t> bottom = options.bottom;
    bottom.push_back(options.embedding);
    uint64_t position = 0;
    const auto add_hidden = [&](const std::string& name, int32_t width) {
      AddDense(name, width, InitialWeights::kGlorot);
      AddRelu(width, 0, position++);
    };
    if (shape_.numeric > 0) {
      AddEmbed(std::nullopt, {}, 0, 0);
      for (size_t l = 0; l < bottom.size(); ++l) add_hidden(fmt::format("bottom.{}", l), bottom[l]);
    }
    AddDots(options.embedding);
    for (size_t l = 0; l < options.top.size(); ++l) {
      add_hidden(fmt::format("top.{}", l), options.top[l]);
    }
    AddDense("output", shape_.outputs, InitialWeights::kGlorot);
  }

  void AddTabm(const TabmOptions& options, const std::vector<int64_t>& categories) {
    // Small: a value that training never sees keeps its first embedding, which should say little.
    AddEmbed(options.embedding, categories, 0.1f, options.pieces);
    for (size_t l = 0; l < options.hidden.size(); ++l) {
      const int64_t in = layers_.back().width;
      AddDense(fmt::format("dense.{}", l), options.hidden[l], options.initial_weights);
      if (l == 0)
        AddMembers(options.members, Bound(options.initial_weights, in, options.hidden[0]));
      AddRelu(options.hidden[l], options.dropout, l);
    }
    AddHeads(options);
  }

 private:
  // `deviation`: of the first embeddings.
  void AddEmbed(std::optional<int32_t> embedding, const std::vector<int64_t>& categories,
                float deviation, int64_t pieces) {
    Layer& layer = Add(LayerKind::kEmbed, shape_.numeric * std::max<int64_t>(1, pieces));
    layer.numbers = shape_.numeric;
    layer.pieces = pieces;
    layer.categories = categories;
    for (size_t c = 0; c < categories.size(); ++c) {
      const int64_t n = shape_.cardinalities[size_t(categories[c])];
      const bool ids = IdsOf(categories[c]) >= 0;
      const int64_t width = ids ? embedding.value_or(kIdWidth) : EmbeddingWidth(embedding, n);
      AddParameter(fmt::format("embedding.{}.weight", c), {n, width},
                   ids ? Start::kUniform : Start::kNormal, ids ? kIdBound : deviation);
      MarkTable(categories[c]);
      layer.width += width;
    }
  }

  void AddDots(int64_t width) {
    Layer& layer = Add(LayerKind::kDots, 0);
    layer.categories = AllOf(shape_);
    layer.vector_width = width;
    layer.width = DotShape{.embedded = int64_t(layer.categories.size()),
                           .has_input = layers_.size() > 1,
                           .width = width}
                      .outputs();
    for (const int64_t c : layer.categories) {
      const int64_t n = shape_.cardinalities[size_t(c)];
      const float bound = IdsOf(c) >= 0 ? kIdBound : 1 / std::sqrt(float(n));
      AddParameter(fmt::format("embedding.{}.weight", c), {n, width}, Start::kUniform, bound);
      MarkTable(c);
    }
  }

  void AddDense(const std::string& name, int64_t out, InitialWeights weights) {
    const int64_t in = layers_.back().width;
    Add(LayerKind::kDense, out);
    const float bound = Bound(weights, in, out);
    AddParameter(name + ".weight", {out, in}, Start::kUniform, bound);
    AddParameter(name + ".bias", {out}, Start::kUniform, bound);
  }

  void AddRelu(int64_t width, double dropout, uint64_t position) {
    Layer& relu = Add(LayerKind::kRelu, width);
    relu.dropout = dropout;
    relu.position = position;
  }

  // Members differ from the start by scales of either sign.
  void AddMembers(int64_t members, float bound) {
    const int64_t width = layers_.back().width;
    Add(LayerKind::kMembers, width).members = members;
    AddParameter("members.scale", {members, width}, Start::kNormal, 1);
    AddParameter("members.bias", {members, width}, Start::kUniform, bound);
  }

  void AddHeads(const TabmOptions& options) {
    const int64_t in = layers_.back().width, members = options.members;
    // A tenth: the net begins nearly as its linear part.
    const float bound = Bound(options.initial_weights, in, shape_.outputs) / 10;
    Add(LayerKind::kHeads, shape_.outputs);
    AddParameter("output.weight", {shape_.outputs, members * in}, Start::kUniform, bound);
    AddParameter("output.bias", {shape_.outputs, members}, Start::kUniform, bound);
  }

  void AddNorm(const std::string& name) {
    const int64_t width = layers_.back().width;
    Layer& layer = Add(LayerKind::kBatchNorm, width);
    AddParameter(name + ".weight", {width}, Start::kConstant, 1);
    AddParameter(name + ".bias", {width});
    layer.buffers.push_back({{prefix_ + name + ".running_mean", {width}}});
    layer.buffers.push_back({{prefix_ + name + ".running_var", {width}}, Start::kConstant, 1});
  }

  Layer& Add(LayerKind kind, int64_t width) {
    const int64_t members = layers_.empty() ? 1 : layers_.back().members;
    layers_.push_back({.kind = kind, .width = width, .members = members});
    return layers_.back();
  }

  void AddParameter(const std::string& name, std::vector<int64_t> shape,
                    Start start = Start::kConstant, float value = 0) {
    std::vector<uint64_t> draw = draw_;
    draw.push_back(count_++);
    layers_.back().parameters.push_back(
        {{prefix_ + name, std::move(shape)}, start, value, std::move(draw)});
  }

  // The number of a categorical column among those of ids; -1: it is none.
  int64_t IdsOf(int64_t category) const {
    const int64_t others = int64_t(shape_.cardinalities.size()) - shape_.ids;
    return category < others ? -1 : category - others;
  }

  // Fewer rows are multiplied as a whole (kDense), so that all of them have a gradient.
  void MarkTable(int64_t category) {
    LayerTensor& last = layers_.back().parameters.back();
    last.ids = IdsOf(category);
    last.table = last.ids >= 0 || last.shape[0] > kMostFactored;
  }

  const NetShape& shape_;
  std::string prefix_;
  std::vector<uint64_t> draw_;
  Layers& layers_;
  uint64_t count_ = 0;  // Parameters so far.
};

Status CheckMlp(const std::vector<int32_t>& hidden, const std::vector<int64_t>& categories,
                const NetShape& shape) {
  const auto refuse = [](std::string key, std::string must, int64_t got) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("net.{} must be {}, got {}", key, must, got),
                 .where = "net." + key});
  };
  for (const int32_t width : hidden) {
    if (width < 1 || width > 1'000'000) return refuse("hidden", "from 1 to 1000000", width);
  }
  for (const int64_t n : shape.cardinalities) {
    if (n < 1) return refuse("categorical", "of at least one category", n);
  }
  if (shape.numeric + int64_t(categories.size()) > 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the dense layers have no inputs",
               .where = "net",
               .fix = "name columns in `categorical` or `numeric`"});
}

Status AddLinear(const Choice&, const NetShape& shape, Layers& layers) {
  Part(shape, "", {}, layers).AddLinear();
  return Status::OK();
}

Status AddTabularMlp(const Choice& net, const NetShape& shape, Layers& layers) {
  TabularMlpOptions options;
  PT_TRY(FieldsFromJson(net.options, "net", options));
  PT_TRY(CheckMlp(options.hidden, AllOf(shape), shape));
  Part(shape, "", {}, layers).AddMlp(options, AllOf(shape));
  return Status::OK();
}

Status AddFactorizationMachine(const Choice& net, const NetShape& shape, Layers& layers) {
  FactorizationMachineOptions options;
  PT_TRY(FieldsFromJson(net.options, "net", options));
  PT_TRY(CheckMlp({}, AllOf(shape), shape));
  if (shape.outputs < 1) {
    return Fail({.exit = Exit::kUsage, .what = "a net needs an output", .where = "net"});
  }
  Part(shape, "linear.", {0}, layers).AddLinear();
  Part(shape, "", {1}, layers).AddPairs(options);
  layers.push_back({.kind = LayerKind::kSum, .width = shape.outputs, .other = 0});
  return Status::OK();
}

Status AddDlrm(const Choice& net, const NetShape& shape, Layers& layers) {
  DlrmOptions options;
  PT_TRY(FieldsFromJson(net.options, "net", options));
  PT_TRY(CheckMlp(options.bottom, AllOf(shape), shape));
  PT_TRY(CheckMlp(options.top, AllOf(shape), shape));
  Part(shape, "", {}, layers).AddDlrm(options);
  return Status::OK();
}

Status AddTabm(const Choice& net, const NetShape& shape, Layers& layers) {
  TabmOptions options;
  PT_TRY(FieldsFromJson(net.options, "net", options));
  PT_TRY(options.Check("net"));
  PT_TRY(CheckMlp(options.hidden, AllOf(shape), shape));
  Part(shape, "linear.", {0}, layers).AddLinear();
  Part(shape, "", {1}, layers).AddTabm(options, AllOf(shape));
  layers.push_back(
      {.kind = LayerKind::kSum, .width = shape.outputs, .members = options.members, .other = 0});
  return Status::OK();
}

TabularMlpOptions OptionsOfDeep(const WideAndDeepOptions& options) {
  return {.hidden = options.hidden,
          .dropout = options.dropout,
          .embedding = options.embedding,
          .batch_norm = options.batch_norm,
          .initial_weights = options.initial_weights};
}

// The embeddings deep.embedding.<c> count only the columns that are not among wide_only.
Status AddWideAndDeep(const Choice& net, const NetShape& shape, Layers& layers) {
  WideAndDeepOptions options;
  PT_TRY(FieldsFromJson(net.options, "net", options));
  std::vector<int64_t> embedded;
  for (size_t c = 0; c < shape.categorical.size(); ++c) {
    const bool only =
        std::ranges::find(options.wide_only, shape.categorical[c]) != options.wide_only.end();
    if (!only) embedded.push_back(int64_t(c));
  }
  const TabularMlpOptions deep = OptionsOfDeep(options);
  PT_TRY(CheckMlp(deep.hidden, embedded, shape));
  Part(shape, "wide.", {0}, layers).AddLinear();
  const size_t wide = layers.size() - 1;
  Part(shape, "deep.", {1}, layers).AddMlp(deep, embedded);
  layers.push_back({.kind = LayerKind::kSum, .width = shape.outputs, .other = wide});
  return Status::OK();
}

using Describe = Status (*)(const Choice& net, const NetShape& shape, Layers& layers);
const std::map<std::string, Describe, std::less<>>& Descriptions() {
  static const std::map<std::string, Describe, std::less<>> kDescriptions = {
      {"dlrm", AddDlrm},
      {"factorization_machine", AddFactorizationMachine},
      {"linear", AddLinear},
      {"tabm", AddTabm},
      {"tabular_mlp", AddTabularMlp},
      {"wide_and_deep", AddWideAndDeep}};
  return kDescriptions;
}

}  // namespace

uint64_t DrawKeyOf(const LayerTensor& tensor, uint64_t key) {
  for (const uint64_t word : tensor.draw) key = DrawKey(DrawTag::kInitialise, {key, word});
  return key;
}

std::vector<std::string> LayeredNetNames() {
  std::vector<std::string> names;
  for (const auto& [name, describe] : Descriptions()) names.push_back(name);
  return names;
}

bool IsLayered(const std::string& net) { return Descriptions().contains(net); }

Status CheckLayered(const Choice& net) {
  if (IsLayered(net.name)) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("the net {} is computed by LibTorch, in workers alone", net.name),
       .where = "net",
       .fix = fmt::format(
           "score tables with it (protium predict); in the calling process there are {}",
           fmt::join(LayeredNetNames(), ", "))});
}

Result<Layers> DescribeNet(const Choice& net, const NetShape& shape) {
  PT_TRY(CheckLayered(net));
  Layers layers;
  PT_TRY(Descriptions().find(net.name)->second(net, shape, layers));
  return layers;
}

}  // namespace protium
