// SPDX-License-Identifier: Apache-2.0
// A block of a transformer, as deep/transformer_block.h computes it in prediction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "onnx_graph/net_writer.h"

namespace protium::onnx {

struct AttentionBlock {
  std::string name;
  int64_t tokens = 0;  // Of a row, and numbers of a token.
  int64_t width = 0;
  int64_t heads = 1;
  bool norms_input = true;
  bool first_only = false;       // Only the first token is computed.
  std::optional<Value> visible;  // bool [rows, 1, 1, tokens]: what is attended to; none: all.
};

// x and the result are [rows, tokens, width], with one token if first_only.
Result<Value> AddAttention(NetWriter& writer, const AttentionBlock& block, const Value& x);

}  // namespace protium::onnx
