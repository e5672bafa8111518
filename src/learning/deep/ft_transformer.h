// SPDX-License-Identifier: Apache-2.0
// Attention between the columns of a row.
#pragma once

#include "tensor/net.h"

namespace protium {

// The net `ft_transformer` of protium/nets.h (FtTransformerOptions). Parameters, in order, for n
// numeric and c categorical columns:
//   first [width]                              the token [CLS]
//   number.weight, number.bias [n, width]      where n > 0
//   category.weight [sum of cardinalities, width], category.bias [c, width]     where c > 0
//   block.<b>.*                                (transformer_block.h)
//   norm.weight, norm.bias [width], output.weight [outputs, width], output.bias [outputs]
// Refuses columns that CheckTabular() refuses (protium/net_columns.h).
Result<std::unique_ptr<Net>> MakeFtTransformer(const Json& options, const NetInputs& inputs);

}  // namespace protium
