// SPDX-License-Identifier: Apache-2.0
#include "deep/ft_transformer.h"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/relu.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "deep/module_net.h"
#include "deep/transformer_block.h"
#include "nets/net_columns.h"
#include "protium/net_columns.h"

namespace protium {
namespace {

// The tables of all categorical columns are stacked in one: one lookup instead of one per column.
struct CategoryTokensImpl : torch::nn::Module {
  CategoryTokensImpl(const std::vector<int64_t>& cardinalities, int64_t width) {
    std::vector<int64_t> begins;
    int64_t count = 0;
    for (const int64_t n : cardinalities) {
      begins.push_back(count);
      count += n;
    }
    begin = torch::tensor(begins, torch::kLong);
    weight = register_parameter("weight", torch::empty({count, width}));
    bias = register_parameter("bias", torch::empty({int64_t(begins.size()), width}));
  }
  at::Tensor forward(const at::Tensor& categories) {
    return at::embedding(weight, categories + begin.to(categories.device())) + bias;
  }
  at::Tensor begin;  // Start of each column's table; a constant, not a buffer.
  at::Tensor weight;
  at::Tensor bias;
};
TORCH_MODULE(CategoryTokens);

struct NumberTokensImpl : torch::nn::Module {
  NumberTokensImpl(int64_t columns, int64_t width) {
    weight = register_parameter("weight", torch::empty({columns, width}));
    bias = register_parameter("bias", torch::empty({columns, width}));
  }
  at::Tensor forward(const at::Tensor& numbers) {
    return at::addcmul(bias, numbers.unsqueeze(2), weight);
  }
  at::Tensor weight;
  at::Tensor bias;
};
TORCH_MODULE(NumberTokens);

class FtTransformerModule final : public torch::nn::Module {
 public:
  FtTransformerModule(const FtTransformerOptions& options, const NetInputs& inputs);
  at::Tensor forward(const Batch& rows);

 private:
  at::Tensor MakeTokens(const Batch& rows);

  at::Tensor first_;
  NumberTokens numbers_ = nullptr;
  CategoryTokens categories_ = nullptr;
  torch::nn::ModuleList blocks_;
  torch::nn::LayerNorm norm_ = nullptr;
  torch::nn::Linear output_ = nullptr;
};

FtTransformerModule::FtTransformerModule(const FtTransformerOptions& options,
                                         const NetInputs& inputs) {
  const int64_t width = options.width;
  first_ = register_parameter("first", torch::empty({width}));
  const int64_t numbers = inputs.Width(kNumericField);
  if (numbers > 0) numbers_ = register_module("number", NumberTokens(numbers, width));
  if (!inputs.cardinalities.empty()) {
    categories_ = register_module("category", CategoryTokens(inputs.cardinalities, width));
  }
  // The paper's initialisation for everything that makes tokens.
  const double bound = 1 / std::sqrt(double(width));
  for (at::Tensor& tokens : parameters()) torch::nn::init::uniform_(tokens, -bound, bound);
  blocks_ = register_module("block", torch::nn::ModuleList());
  for (int32_t b = 0; b < options.layers; ++b) {
    const auto inner = std::max<int64_t>(1, int64_t(double(width) * options.feed_forward));
    blocks_->push_back(TransformerBlock(BlockOptions{.width = width,
                                                     .heads = options.heads,
                                                     .inner = inner,
                                                     .attention_dropout = options.attention_dropout,
                                                     .inner_dropout = options.feed_forward_dropout,
                                                     .residual_dropout = options.residual_dropout,
                                                     .norms_input = b > 0}));
  }
  norm_ = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  output_ = register_module("output", torch::nn::Linear(width, inputs.outputs));
}

at::Tensor FtTransformerModule::MakeTokens(const Batch& rows) {
  std::vector<at::Tensor> tokens{first_.expand({rows.size(), 1, -1})};
  if (numbers_) tokens.push_back(numbers_(rows[kNumericField]));
  if (categories_) tokens.push_back(categories_(rows[kCategoriesField].to(at::kLong)));
  return at::cat(tokens, 1);
}

at::Tensor FtTransformerModule::forward(const Batch& rows) {
  at::Tensor x = MakeTokens(rows);
  for (size_t b = 0; b < blocks_->size(); ++b) {
    x = blocks_->at<TransformerBlockImpl>(b).forward(x, {.first_only = b + 1 == blocks_->size()});
  }
  return output_(at::relu(norm_(x.squeeze(1))));
}

}  // namespace

Result<std::unique_ptr<Net>> MakeFtTransformer(const Json& given, const NetInputs& inputs) {
  FtTransformerOptions options;
  PT_TRY(FieldsFromJson(given, "net", options));
  PT_TRY(options.Check("net"));
  PT_TRY(CheckTabular("ft_transformer", ColumnsOf(inputs), "net"));
  return MakeRecordedNet(MakerOf<FtTransformerModule>(options, inputs), inputs);
}

}  // namespace protium
