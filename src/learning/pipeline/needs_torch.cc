// SPDX-License-Identifier: Apache-2.0
#include "pipeline/needs_torch.h"

#include "nets/layers.h"

namespace protium {

bool NeedsLibTorch(const Chain& chain, bool gpus) {
  if (!chain.estimator) return false;
  // An extension is linked with LibTorch, whatever it brings.
  if (gpus || !chain.ExtensionFiles().empty()) return true;
  const PlacedEstimator& estimator = *chain.estimator;
  return !IsLayered(estimator.options.net.name) || estimator.loss.builder != nullptr;
}

}  // namespace protium
