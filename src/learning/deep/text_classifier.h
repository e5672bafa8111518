// SPDX-License-Identifier: Apache-2.0
// Texts as numbers of their words.
#pragma once

#include "tensor/net.h"

namespace protium {

// The net `text_classifier` of protium/nets.h (TextClassifierOptions). Parameters, in order:
//   embedding.weight [vocabulary, embedding]     row 0, of padding, stays 0
//   position.weight [length of the lists, embedding], block.<b>.* (transformer_block.h),
//   norm.weight, norm.bias [embedding]           with layers > 0
//   dense.<l>.weight, dense.<l>.bias, output.weight, output.bias      (dense_head.h)
// A text of padding alone has the mean 0. Refuses columns that FindTokens() refuses
// (protium/net_columns.h).
Result<std::unique_ptr<Net>> MakeTextClassifier(const Json& options, const NetInputs& inputs);

}  // namespace protium
