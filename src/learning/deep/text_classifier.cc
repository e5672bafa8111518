// SPDX-License-Identifier: Apache-2.0
#include "deep/text_classifier.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/where.h>
#include <torch/nn/modules/embedding.h>

#include "deep/dense_head.h"
#include "deep/module_net.h"
#include "deep/transformer_block.h"
#include "nets/net_columns.h"
#include "protium/net_columns.h"

namespace protium {
namespace {

constexpr int64_t kPadding = 0, kUnknown = 1;

class TextModule final : public torch::nn::Module {
 public:
  TextModule(const TextClassifierOptions& options, const VectorColumn& tokens,
             const NetInputs& inputs);
  at::Tensor forward(const Batch& rows);

 private:
  // Registers the blocks and what they need; returns the width of a word.
  int64_t AddBlocks();
  at::Tensor ReadTokens(const Batch& rows) const;
  at::Tensor RunBlocks(at::Tensor words, const at::Tensor& known);

  TextClassifierOptions options_;
  VectorColumn tokens_;
  torch::nn::Embedding embedding_;
  torch::nn::Embedding positions_ = nullptr;
  torch::nn::ModuleList blocks_ = nullptr;
  torch::nn::LayerNorm norm_ = nullptr;
  DenseHead head_;
};

TextModule::TextModule(const TextClassifierOptions& options, const VectorColumn& tokens,
                       const NetInputs& inputs)
    : options_(options),
      tokens_(tokens),
      embedding_(register_module(
          "embedding",
          torch::nn::Embedding(torch::nn::EmbeddingOptions(options.vocabulary, options.embedding)
                                   .padding_idx(kPadding)))),
      head_(*this, AddBlocks(), options.hidden, options.dropout, inputs) {}

int64_t TextModule::AddBlocks() {
  const int64_t width = options_.embedding;
  if (options_.layers == 0) return width;
  positions_ = register_module("position", torch::nn::Embedding(tokens_.length, width));
  blocks_ = register_module("block", torch::nn::ModuleList());
  for (int32_t b = 0; b < options_.layers; ++b) {
    blocks_->push_back(TransformerBlock(BlockOptions{.width = width,
                                                     .heads = options_.heads,
                                                     .inner = 2 * width,
                                                     .attention_dropout = options_.dropout,
                                                     .inner_dropout = options_.dropout,
                                                     .residual_dropout = options_.dropout}));
  }
  norm_ = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  return width;
}

// Rows store word numbers as float32, which is exact up to 2^24.
at::Tensor TextModule::ReadTokens(const Batch& rows) const {
  const at::Tensor tokens = rows[tokens_.column].to(at::kLong);
  const at::Tensor outside = tokens.lt(0).logical_or_(tokens.ge(options_.vocabulary));
  return tokens.masked_fill(outside, kUnknown);
}

// A text that is only padding attends to its padding, as attention to nothing is NaN; the result
// does not count in the mean.
at::Tensor TextModule::RunBlocks(at::Tensor words, const at::Tensor& known) {
  const at::Tensor empty = known.any(1, true).logical_not_();
  const at::Tensor visible = known.logical_or(empty).unsqueeze(1).unsqueeze(1);
  words = words + positions_->weight;
  for (size_t b = 0; b < blocks_->size(); ++b) {
    words = blocks_->at<TransformerBlockImpl>(b).forward(words, {.visible = visible});
  }
  return norm_(words);
}

at::Tensor TextModule::forward(const Batch& rows) {
  const at::Tensor tokens = ReadTokens(rows);
  const at::Tensor known = tokens.ne(kPadding);
  at::Tensor words = embedding_(tokens);
  if (blocks_) words = RunBlocks(words, known);
  const at::Tensor counts = known.sum(1, true).clamp_min(1);
  // [rows, 1, length] x [rows, length, width]: the sum over the words that are not padding.
  const at::Tensor shares = known.to(at::kFloat).div(counts).unsqueeze(1);
  return head_.Outputs(rows, at::bmm(shares, words.to(at::kFloat)).squeeze(1));
}

}  // namespace

Result<std::unique_ptr<Net>> MakeTextClassifier(const Json& given, const NetInputs& inputs) {
  TextClassifierOptions options;
  PT_TRY(FieldsFromJson(given, "net", options));
  PT_TRY(options.Check("net"));
  PT_LET(const VectorColumn tokens, FindTokens(options, ColumnsOf(inputs), "net"));
  return MakeRecordedNet(MakerOf<TextModule>(options, tokens, inputs), inputs);
}

}  // namespace protium
