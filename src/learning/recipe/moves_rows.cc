// SPDX-License-Identifier: Apache-2.0
#include "recipe/moves_rows.h"

namespace protium {

bool NeedsTables(const Choice& optimizer) {
  return optimizer.name == "rowwise_adagrad" || optimizer.name == "lazy_adam";
}

// A gradient of 0 changes neither weight nor state of adagrad; sgd without momentum has no state.
bool MovesReadRowsOnly(const Choice& optimizer) {
  if (NeedsTables(optimizer)) return true;
  if (optimizer.name != "sgd" && optimizer.name != "adagrad") return false;
  const auto is_zero = [&](const char* option) {
    return optimizer.options.value(option, 0.0) == 0;
  };
  return is_zero("weight_decay") && is_zero("momentum");
}

}  // namespace protium
