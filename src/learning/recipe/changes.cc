// SPDX-License-Identifier: Apache-2.0
#include "recipe/changes.h"

#include <algorithm>

#include "recipe/moves_rows.h"

namespace protium {

Choice OptimizerAfter(const TrainOptions& train, int64_t epochs) {
  Choice optimizer = train.optimizer;
  for (const ChangeOptions& each : train.changes) {
    if (each.after > epochs) break;
    optimizer.options.update(each.optimizer);
  }
  return optimizer;
}

std::optional<size_t> ParametersAfter(const TrainOptions& train, int64_t epochs) {
  std::optional<size_t> last;
  for (size_t i = 0; i < train.changes.size() && train.changes[i].after <= epochs; ++i) {
    if (!train.changes[i].parameters.empty()) last = i;
  }
  return last;
}

bool AlwaysMovesReadRowsOnly(const TrainOptions& train) {
  return MovesReadRowsOnly(train.optimizer) &&
         std::ranges::all_of(train.changes, [&](const ChangeOptions& each) {
           return MovesReadRowsOnly(OptimizerAfter(train, each.after));
         });
}

void PutChangesFelt(const std::vector<ChangeOptions>& changes, int64_t epochs, bool within,
                    Json& options) {
  options.erase("changes");
  for (const ChangeOptions& each : changes) {
    if (each.after > epochs || (each.after == epochs && !within)) break;
    options["changes"].push_back(FieldsToJson(each));
  }
}

}  // namespace protium
