// SPDX-License-Identifier: Apache-2.0
#include "recipe/depends_on_steps.h"

namespace protium {

// reduce_on_plateau goes by results. Drops that are counted in steps fall where they fall, however
// many steps there are.
bool DependsOnSteps(const TrainOptions& train) {
  if (train.warm_up.share > 0) return true;
  const std::string& name = train.schedule.name;
  if (name == "step") return train.schedule.options.value("every_steps", int64_t{0}) == 0;
  return name != "constant" && name != "reduce_on_plateau";
}

}  // namespace protium
