// SPDX-License-Identifier: Apache-2.0
// Where the gradient of each parameter is: side by side in a leaf, or, of a table that is learned
// row by row, in rows of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/weights.h"

namespace protium {

struct GradientLayout {
  // By parameter, as Weights::parts(), which it equals without tables; these take no room.
  std::vector<Weights::Part> parts;
  int64_t size = 0;             // Floats of a leaf's gradients, padding included.
  std::vector<size_t> tables;   // The parameters that are learned row by row, ascending.
  std::vector<int64_t> widths;  // Floats of a row of each of these.

  // With `by_rows`, every Variable::table is learned row by row.
  static GradientLayout Of(const Weights& weights, bool by_rows);

  // The gradients in `size` floats at `base`; nullptr of tables.
  std::vector<FloatValues> Views(const Weights& weights, float* base) const;
};

}  // namespace protium
