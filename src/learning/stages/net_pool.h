// SPDX-License-Identifier: Apache-2.0
// One vector a row of those that a net makes for each place of a row, such as each piece of a text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onnx_runtime/net.h"
#include "protium/fields.h"
#include "statistics/lists.h"

namespace protium {

enum class Pool { kNone, kMean, kFirst };
inline EnumNames<Pool> Names(Pool) {
  return {{{Pool::kNone, "none"}, {Pool::kMean, "mean"}, {Pool::kFirst, "first"}}};
}

// Makes [rows, numbers] of [rows, places, numbers], which are float32: the mean over all places,
// added up in double from the first one on, or the first place. With `mask`, whose row `begin` is
// that of the first row, the mean is over the places whose mask is not 0; of none it is 0. A mask
// may have more places. Fails with Exit::kUsage for other tensors, and with Exit::kInput for a mask
// with fewer.
Result<NetTensor> PoolPlaces(const NetTensor& tensor, Pool pool, const NumberLists* mask,
                             int64_t begin);

// Cuts the lists of one row, tensors of shape [1, places], to the places up to the last one whose
// mask is not 0, at least one: what is behind it is padding, which a net need not compute.
void CutPadding(std::span<const double> mask, std::vector<NetTensor>& row);

}  // namespace protium
