// SPDX-License-Identifier: Apache-2.0
// LibTorch nets in the worlds of train/testing/worlds.h.
#pragma once

#include <utility>

#include "deep/torch_numerics.h"
#include "train/testing/worlds.h"

namespace protium {

// Wraps a maker to call PrepareTorch() first in the thread of a rank.
inline NetMaker WithTorch(NetMaker make) {
  return [make = std::move(make)]() -> Result<std::unique_ptr<Net>> {
    PT_TRY(PrepareTorch(1));
    return make();
  };
}

}  // namespace protium
