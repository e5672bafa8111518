// SPDX-License-Identifier: Apache-2.0
#include "deep/transformer_block.h"

#include <ATen/ops/dropout.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>

namespace protium {
namespace {

torch::nn::LayerNorm NormOf(int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}));
}

}  // namespace

TransformerBlockImpl::TransformerBlockImpl(const BlockOptions& options)
    : options_(options),
      query_(register_module("query", torch::nn::Linear(options.width, options.width))),
      key_value_(register_module("key_value", torch::nn::Linear(options.width, 2 * options.width))),
      attended_(register_module("attended", torch::nn::Linear(options.width, options.width))),
      inner_norm_(register_module("inner_norm", NormOf(options.width))),
      up_(register_module("up", torch::nn::Linear(options.width, 2 * options.inner))),
      down_(register_module("down", torch::nn::Linear(options.inner, options.width))) {
  if (options.norms_input) {
    attention_norm_ = register_module("attention_norm", NormOf(options.width));
  }
}

at::Tensor TransformerBlockImpl::Drop(const at::Tensor& x, double share) {
  return share > 0 ? at::dropout(x, share, is_training()) : x;
}

at::Tensor TransformerBlockImpl::Attend(const at::Tensor& x, const Attention& attention) {
  const int64_t rows = x.size(0), heads = options_.heads, each = options_.width / heads;
  const at::Tensor asking = attention.first_only ? x.narrow(1, 0, 1) : x;
  const at::Tensor query = query_(asking).view({rows, -1, heads, each}).transpose(1, 2);
  // [2, rows, heads, tokens, each].
  const at::Tensor both = key_value_(x).view({rows, -1, 2, heads, each}).permute({2, 0, 3, 1, 4});
  std::optional<at::Tensor> visible;
  if (attention.visible.defined()) visible = attention.visible;
  const double drop = is_training() ? options_.attention_dropout : 0;
  const at::Tensor mixed = at::scaled_dot_product_attention(query, both[0], both[1], visible, drop);
  return attended_(mixed.transpose(1, 2).reshape({rows, -1, options_.width}));
}

at::Tensor TransformerBlockImpl::FeedForward(const at::Tensor& x) {
  const auto parts = up_(x).chunk(2, -1);
  return down_(Drop(parts[0] * at::relu(parts[1]), options_.inner_dropout));
}

at::Tensor TransformerBlockImpl::forward(const at::Tensor& x, const Attention& attention) {
  const at::Tensor normed = attention_norm_ ? attention_norm_(x) : x;
  at::Tensor y = attention.first_only ? x.narrow(1, 0, 1) : x;
  y = y + Drop(Attend(normed, attention), options_.residual_dropout);
  return y + Drop(FeedForward(inner_norm_(y)), options_.residual_dropout);
}

}  // namespace protium
