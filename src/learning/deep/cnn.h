// SPDX-License-Identifier: Apache-2.0
// Convolutions over images stored as a column of numbers.
#pragma once

#include "tensor/net.h"

namespace protium {

// The net `cnn` of protium/nets.h (CnnOptions). Parameters, in order:
//   conv.<b>.weight [filters, channels, kernel, kernel], and conv.<b>.bias without batch norm
//   norm.<b>.weight, norm.<b>.bias               with batch_norm
//   dense.<l>.weight, dense.<l>.bias, output.weight, output.bias      (dense_head.h)
// The first dense layer reads the pixels of the last block row by row, with the filters of a pixel
// side by side, then the numeric columns. Refuses columns that FindImage() refuses
// (protium/net_columns.h).
Result<std::unique_ptr<Net>> MakeCnn(const Json& options, const NetInputs& inputs);

}  // namespace protium
