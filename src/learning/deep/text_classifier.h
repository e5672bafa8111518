// SPDX-License-Identifier: Apache-2.0
// Classifies texts given as lists of word numbers.
#pragma once

#include "tensor/net.h"

namespace protium {

// The net `text_classifier` of protium/nets.h (TextClassifierOptions). Parameters, in order:
//   embedding.weight [vocabulary, embedding]     row 0, for padding, stays 0 position.weight
//   [length of the lists, embedding], block.<b>.* (transformer_block.h), norm.weight, norm.bias
//   [embedding]           with layers > 0 dense.<l>.weight, dense.<l>.bias, output.weight,
//   output.bias      (dense_head.h)
// The mean of a text that is only padding is 0. Refuses columns that FindTokens() refuses
// (protium/net_columns.h).
Result<std::unique_ptr<Net>> MakeTextClassifier(const Json& options, const NetInputs& inputs);

}  // namespace protium
