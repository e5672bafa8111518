// SPDX-License-Identifier: Apache-2.0
#include "deep/script_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

#include "base/fault.h"
#include "nets/dots.h"
#include "nets/pieces.h"
#include "protium/net_columns.h"
#include "protium/nets.h"

// Each net's lines compute what its layers (nets/layers.h) or its file in this folder (cnn.cc,
// text_classifier.cc or ft_transformer.cc) compute in prediction. The current value is always `x`.

namespace protium {
namespace {

constexpr std::array<std::string_view, 36> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "self"};

bool IsName(const std::string& text) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, is_letter) &&
         std::ranges::find(kKeywords, text) == kKeywords.end();
}

// The attribute of `self` with a dotted name, whose parts may be numbers.
std::string Attribute(const std::string& name) {
  std::string text = "self";
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    text = IsName(part) ? text + "." + part : fmt::format("getattr({}, \"{}\")", text, part);
    begin = end + 1;
  }
  return text;
}

class Lines {
 public:
  template <class... FloatValues>
  void Add(fmt::format_string<FloatValues...> format, FloatValues&&... values) {
    text_ += "    " + fmt::format(format, std::forward<FloatValues>(values)...) + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string Product(const std::string& of, const std::string& weight, const std::string& bias) {
  return fmt::format("torch.linear({}, {}, {})", of, Attribute(weight), Attribute(bias));
}

std::string Linear(const std::string& of, const std::string& name) {
  return Product(of, name + ".weight", name + ".bias");
}

std::string LayerNorm(const std::string& of, const std::string& name, int64_t width) {
  return fmt::format("torch.layer_norm({}, [{}], {}, {})", of, width, Attribute(name + ".weight"),
                     Attribute(name + ".bias"));
}

std::string BatchNorm(const std::vector<std::string>& tensors) {
  std::vector<std::string> attributes;
  for (const std::string& each : tensors) attributes.push_back(Attribute(each));
  return fmt::format("torch.batch_norm(x, {}, False, {}, {}, False)", fmt::join(attributes, ", "),
                     kNormMomentum, kNormEpsilon);
}

// A row of a table for each category of a column.
std::string Embedding(const Layer& layer, size_t table) {
  return fmt::format("torch.embedding({}, categories[:, {}])",
                     Attribute(layer.parameters[table].name), layer.categories[table]);
}

void AddLinear(const Layer& layer, Lines& lines) {
  const std::string& bias = layer.parameters.back().name;
  const size_t tables = layer.categories.size();
  if (layer.numbers == 0) {
    lines.Add("x = {}", Attribute(bias));
  } else {
    lines.Add("x = {}", Product("numeric", layer.parameters[tables].name, bias));
  }
  for (size_t c = 0; c < tables; ++c) lines.Add("x = x + {}", Embedding(layer, c));
}

void AddEmbed(const Layer& layer, Lines& lines) {
  std::vector<std::string> parts;
  for (size_t c = 0; c < layer.categories.size(); ++c) parts.push_back(Embedding(layer, c));
  if (layer.numbers > 0 && layer.pieces == 0) parts.emplace_back("numeric");
  if (layer.numbers > 0 && layer.pieces > 0) {
    const PieceScale scale(layer.pieces);
    lines.Add("p = (numeric * {} + {}).unsqueeze(2)", Json(scale.factor).dump(),
              Json(scale.shift).dump());
    lines.Add("p = p - torch.arange({}, device=p.device)", layer.pieces);
    // Without a lower limit in the first piece and an upper one in the last.
    if (layer.pieces > 1) {
      lines.Add(
          "p = torch.cat([p[:, :, :1].clamp_max(1), p[:, :, 1:-1].clamp(0, 1), p[:, :, "
          "-1:].clamp_min(0)], 2)");
    }
    parts.emplace_back("p.flatten(1)");
  }
  lines.Add("x = torch.cat([{}], 1)", fmt::join(parts, ", "));
}

// The vectors of embedded columns come first in x, then the numbers.
void AddPairs(const Layer& layer, Lines& lines) {
  const bool numbers = !layer.parameters.empty();
  const int64_t count = numbers ? layer.parameters[0].shape[0] : 0;
  lines.Add("v = x[:, :x.size(1) - {}].reshape([x.size(0), -1, {}])", count, layer.vector_width);
  if (numbers) {
    lines.Add("v = torch.cat([v, x[:, x.size(1) - {}:].unsqueeze(2) * {}], 1)", count,
              Attribute(layer.parameters[0].name));
  }
  lines.Add("x = v.sum(1) * v.sum(1) - (v * v).sum(1)");
  lines.Add("x = x.reshape([-1, {}, {}]).sum(2) / 2", layer.width,
            layer.vector_width / layer.width);
}

void AddDots(const Layer& layer, Lines& lines) {
  const bool has_input = DotsOf(layer).has_input;
  std::vector<std::string> vectors;
  if (has_input) vectors.emplace_back("x");
  for (size_t c = 0; c < layer.categories.size(); ++c) vectors.push_back(Embedding(layer, c));
  lines.Add("v = torch.stack([{}], 1)", fmt::join(vectors, ", "));
  lines.Add("p = torch.tril_indices(v.size(1), v.size(1), -1, device=v.device)");
  lines.Add(
      "v = torch.bmm(v, v.transpose(1, 2)).flatten(1).index_select(1, p[0] * v.size(1) + p[1])");
  if (!has_input) return lines.Add("x = v");
  lines.Add("x = torch.cat([x, v], 1)");
}

void AddLayer(const Layer& layer, Lines& lines) {
  switch (layer.kind) {
    case LayerKind::kLinear:
      return AddLinear(layer, lines);
    case LayerKind::kEmbed:
      return AddEmbed(layer, lines);
    case LayerKind::kDense:
      return lines.Add("x = {}", Product("x", layer.parameters[0].name, layer.parameters[1].name));
    case LayerKind::kBatchNorm:
      return lines.Add("x = {}", BatchNorm({layer.parameters[0].name, layer.parameters[1].name,
                                            layer.buffers[0].name, layer.buffers[1].name}));
    case LayerKind::kRelu:
      return lines.Add("x = torch.relu(x)");
    case LayerKind::kMembers:
      return lines.Add("x = (x.unsqueeze(1) * {} + {}).reshape([-1, {}])",
                       Attribute(layer.parameters[0].name), Attribute(layer.parameters[1].name),
                       layer.width);
    case LayerKind::kHeads:
      return lines.Add("x = torch.linear(x.reshape([-1, {}]), {} / {}, torch.mean({}, [1]))",
                       layer.parameters[0].shape[1], Attribute(layer.parameters[0].name),
                       layer.members, Attribute(layer.parameters[1].name));
    case LayerKind::kPairs:
      return AddPairs(layer, lines);
    case LayerKind::kDots:
      return AddDots(layer, lines);
    case LayerKind::kSum:
      return lines.Add("x = x{} + x", layer.other);
  }
}

// Outputs that a later layer adds are stored under separate names.
Status WriteLayers(const NetConfig& config, const std::vector<ScriptArgument>&, Lines& lines) {
  const NetShape shape = ShapeOf(config);
  if (shape.ids > 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a net that reads ids cannot be expressed in TorchScript",
                 .where = "net",
                 .why = "ids that were never learned have rows of their own",
                 .fix = "score tables with protium predict, or rows with protium serve"});
  }
  PT_LET(const Layers layers, DescribeNet(config.net, shape));
  for (size_t l = 0; l < layers.size(); ++l) {
    AddLayer(layers[l], lines);
    const auto adds = [l](const Layer& each) {
      return each.kind == LayerKind::kSum && each.other == l;
    };
    if (std::ranges::any_of(layers, adds)) lines.Add("x{} = x", l);
  }
  return Status::OK();
}

// DenseHead::Outputs().
void AddHead(const NetConfig& config, size_t hidden, Lines& lines) {
  if (!config.numeric.empty()) lines.Add("x = torch.cat([x, numeric], 1)");
  for (size_t l = 0; l < hidden; ++l) {
    lines.Add("x = torch.relu({})", Linear("x", fmt::format("dense.{}", l)));
  }
  lines.Add("x = {}", Linear("x", "output"));
}

struct Block {
  std::string name;
  int64_t width = 0;
  int64_t heads = 1;
  bool norms_input = true;
  bool first_only = false;
  bool masked = false;  // By `visible`.
};

// TransformerBlockImpl::forward().
void AddBlock(const Block& block, Lines& lines) {
  const std::string shape = fmt::format("{}, {}", block.heads, block.width / block.heads);
  const char* const first = block.first_only ? "[:, :1]" : "";
  lines.Add("n = {}", block.norms_input
                          ? LayerNorm("x", block.name + ".attention_norm", block.width)
                          : std::string("x"));
  lines.Add("q = {}.reshape([x.size(0), -1, {}]).transpose(1, 2)",
            Linear(fmt::format("n{}", first), block.name + ".query"), shape);
  lines.Add("kv = {}.reshape([x.size(0), -1, 2, {}]).permute([2, 0, 3, 1, 4])",
            Linear("n", block.name + ".key_value"), shape);
  lines.Add("a = torch.scaled_dot_product_attention(q, kv[0], kv[1]{})",
            block.masked ? ", visible" : "");
  lines.Add("a = a.transpose(1, 2).reshape([x.size(0), -1, {}])", block.width);
  lines.Add("x = x{} + {}", first, Linear("a", block.name + ".attended"));
  lines.Add("u = torch.chunk({}, 2, -1)",
            Linear(LayerNorm("x", block.name + ".inner_norm", block.width), block.name + ".up"));
  lines.Add("x = x + {}", Linear("u[0] * torch.relu(u[1])", block.name + ".down"));
}

using Writer = Status (*)(const NetConfig& config, const std::vector<ScriptArgument>& arguments,
                          Lines& lines);

template <class Options>
Result<Options> OptionsOf(const NetConfig& config) {
  Options options;
  PT_TRY(FieldsFromJson(config.net.options, "net", options));
  return options;
}

NetColumns ColumnsOf(const NetConfig& config) {
  NetColumns columns{.numeric = config.numeric};
  for (const auto& each : config.categorical) columns.categorical.push_back(each.column);
  for (const auto& each : config.lists) columns.vectors.push_back({each.column, each.length});
  return columns;
}

// The name of the argument for a list column.
std::string NameOf(const std::string& column, const std::vector<ScriptArgument>& arguments) {
  for (const ScriptArgument& each : arguments) {
    if (each.width > 0 && each.columns == std::vector<std::string>{column}) return each.name;
  }
  return "";
}

Status WriteCnn(const NetConfig& config, const std::vector<ScriptArgument>& arguments,
                Lines& lines) {
  PT_LET(const auto options, OptionsOf<CnnOptions>(config));
  PT_LET(const ImageColumn image, FindImage(options, ColumnsOf(config), "net"));
  lines.Add("x = {}", NameOf(image.column, arguments));
  if (options.divide_by != 1) lines.Add("x = x / {}", Json(options.divide_by).dump());
  lines.Add("x = x.reshape([-1, {}, {}, {}]).permute([0, 3, 1, 2])", image.height, image.width,
            options.channels);
  for (size_t b = 0; b < options.filters.size(); ++b) {
    const std::string name = fmt::format("conv.{}", b);
    lines.Add("x = torch.conv2d(x, {}, {}, [1, 1], [{}, {}])", Attribute(name + ".weight"),
              options.batch_norm ? "None" : Attribute(name + ".bias"), options.kernel / 2,
              options.kernel / 2);
    if (options.batch_norm) {
      const std::string norm = fmt::format("norm.{}.", b);
      lines.Add("x = {}", BatchNorm({norm + "weight", norm + "bias", norm + "running_mean",
                                     norm + "running_var"}));
    }
    lines.Add("x = torch.relu(torch.max_pool2d(x, [{}, {}]))", options.pool, options.pool);
  }
  lines.Add("x = x.permute([0, 2, 3, 1]).reshape([x.size(0), -1])");
  AddHead(config, options.hidden.size(), lines);
  return Status::OK();
}

Status WriteText(const NetConfig& config, const std::vector<ScriptArgument>& arguments,
                 Lines& lines) {
  PT_LET(const auto options, OptionsOf<TextClassifierOptions>(config));
  PT_LET(const VectorColumn tokens, FindTokens(options, ColumnsOf(config), "net"));
  lines.Add("t = {}.long()", NameOf(tokens.column, arguments));
  lines.Add("t = t.masked_fill(torch.logical_or(t < 0, t >= {}), 1)", options.vocabulary);
  lines.Add("known = t != 0");
  lines.Add("x = torch.embedding({}, t)", Attribute("embedding.weight"));
  if (options.layers > 0) {
    lines.Add("visible = torch.logical_or(known, torch.logical_not(torch.any(known, 1, True)))");
    lines.Add("visible = visible.unsqueeze(1).unsqueeze(1)");
    lines.Add("x = x + {}", Attribute("position.weight"));
    for (int32_t b = 0; b < options.layers; ++b) {
      AddBlock({.name = fmt::format("block.{}", b),
                .width = options.embedding,
                .heads = options.heads,
                .masked = true},
               lines);
    }
    lines.Add("x = {}", LayerNorm("x", "norm", options.embedding));
  }
  lines.Add("counts = torch.sum(known, [1], True).clamp_min(1)");
  lines.Add("x = torch.bmm((known.float() / counts).unsqueeze(1), x).squeeze(1)");
  AddHead(config, options.hidden.size(), lines);
  return Status::OK();
}

Status WriteFtTransformer(const NetConfig& config, const std::vector<ScriptArgument>& arguments,
                          Lines& lines) {
  PT_LET(const auto options, OptionsOf<FtTransformerOptions>(config));
  std::vector<std::string> tokens = {
      fmt::format("{}.reshape([1, 1, -1]).expand([{}.size(0), 1, -1])", Attribute("first"),
                  arguments.front().name)};
  if (!config.numeric.empty()) {
    tokens.push_back(fmt::format("torch.addcmul({}, numeric.unsqueeze(2), {})",
                                 Attribute("number.bias"), Attribute("number.weight")));
  }
  std::vector<std::string> columns;
  int64_t begin = 0;  // Start of each column's table among all.
  for (size_t c = 0; c < config.categorical.size(); ++c) {
    columns.push_back(fmt::format("categories[:, {}] + {}", c, begin));
    begin += config.categorical[c].cardinality;
  }
  if (!columns.empty()) {
    tokens.push_back(fmt::format("torch.embedding({}, torch.stack([{}], 1)) + {}",
                                 Attribute("category.weight"), fmt::join(columns, ", "),
                                 Attribute("category.bias")));
  }
  lines.Add("x = torch.cat([{}], 1)", fmt::join(tokens, ", "));
  for (int32_t b = 0; b < options.layers; ++b) {
    AddBlock({.name = fmt::format("block.{}", b),
              .width = options.width,
              .heads = options.heads,
              .norms_input = b > 0,
              .first_only = b + 1 == options.layers},
             lines);
  }
  lines.Add("x = {}",
            Linear(fmt::format("torch.relu({})", LayerNorm("x.squeeze(1)", "norm", options.width)),
                   "output"));
  return Status::OK();
}

Writer FindWriter(const std::string& net) {
  if (IsLayered(net)) return WriteLayers;
  static const std::map<std::string, Writer> kWriters = {
      {"cnn", WriteCnn}, {"text_classifier", WriteText}, {"ft_transformer", WriteFtTransformer}};
  const auto found = kWriters.find(net);
  return found == kWriters.end() ? nullptr : found->second;
}

}  // namespace

std::vector<ScriptArgument> ScriptArguments(const NetConfig& config) {
  std::vector<ScriptArgument> arguments;
  if (!config.numeric.empty()) {
    arguments.push_back({"numeric", false, config.numeric, int64_t(config.numeric.size())});
  }
  if (!config.categorical.empty()) {
    const NetColumns columns = ColumnsOf(config);
    arguments.push_back(
        {"categories", true, columns.categorical, int64_t(columns.categorical.size())});
  }
  for (size_t l = 0; l < config.lists.size(); ++l) {
    const std::string& column = config.lists[l].column;
    // Nor may it be the name of a value in the lines.
    const bool taken = column == "numeric" || column == "categories" || column == "torch" ||
                       column == "visible" || column == "known" || column == "counts" ||
                       column.size() < 3;
    arguments.push_back({IsName(column) && !taken ? column : fmt::format("list_{}", l),
                         false,
                         {column},
                         config.lists[l].length});
  }
  return arguments;
}

Result<ScriptSource> WriteScript(const NetConfig& config) {
  const Writer write = FindWriter(config.net.name);
  if (write == nullptr) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("TorchScript cannot be written for the net \"{}\"", config.net.name),
         .why = "the built-in nets and torchscript can be exported, not those of extensions"});
  }
  ScriptSource source{.arguments = ScriptArguments(config)};
  Lines lines;
  if (!config.categorical.empty()) lines.Add("categories = categories.long()");
  PT_TRY(write(config, source.arguments, lines));
  lines.Add("return x");
  std::vector<std::string> names;
  for (const ScriptArgument& each : source.arguments) names.push_back(each.name);
  source.forward = fmt::format("def forward(self, {}):\n{}", fmt::join(names, ", "), lines.text());
  return source;
}

}  // namespace protium
