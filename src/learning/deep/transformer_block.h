// SPDX-License-Identifier: Apache-2.0
// A block of a transformer: attention between the tokens of a row, then a dense layer for each
// token, both added to their input. Norms come first in both (pre-norm), dense layers are gated by
// ReLU (ReGLU), as in FT-Transformer (Gorishniy et al., 2021, section 3.3 and appendix E.1).
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

namespace protium {

struct BlockOptions {
  int64_t width = 0;  // Of a token; a multiple of `heads`.
  int64_t heads = 1;
  int64_t inner = 0;  // Neurons of the hidden layer.
  double attention_dropout = 0;
  double inner_dropout = 0;
  double residual_dropout = 0;
  bool norms_input = true;  // The first block does not need it: its tokens come from an embedding.
};

// Which tokens of a row are computed, and which are attended to.
struct Attention {
  bool first_only = false;  // Only the first token is computed: enough for the last block.
  at::Tensor visible;       // bool [rows, 1, 1, tokens], at least one true per row; undefined: all.
};

class TransformerBlockImpl : public torch::nn::Module {
 public:
  explicit TransformerBlockImpl(const BlockOptions& options);
  // x and the result are [rows, tokens, width], with one token if first_only.
  at::Tensor forward(const at::Tensor& x, const Attention& attention);

 private:
  at::Tensor Attend(const at::Tensor& x, const Attention& attention);
  at::Tensor FeedForward(const at::Tensor& x);
  at::Tensor Drop(const at::Tensor& x, double share);

  BlockOptions options_;
  torch::nn::LayerNorm attention_norm_ = nullptr;
  torch::nn::Linear query_;
  torch::nn::Linear key_value_;
  torch::nn::Linear attended_;
  torch::nn::LayerNorm inner_norm_;
  torch::nn::Linear up_;  // To 2 * inner: values, then gates.
  torch::nn::Linear down_;
};
TORCH_MODULE(TransformerBlock);

}  // namespace protium
