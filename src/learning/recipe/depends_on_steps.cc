// SPDX-License-Identifier: Apache-2.0
#include "recipe/depends_on_steps.h"

namespace protium {

// reduce_on_plateau depends on results. Drops at given steps do not depend on the number of steps.
bool DependsOnSteps(const TrainOptions& train) {
  if (train.warm_up.share > 0) return true;
  const std::string& name = train.schedule.name;
  if (name == "step") return train.schedule.options.value("every_steps", int64_t{0}) == 0;
  return name != "constant" && name != "reduce_on_plateau";
}

}  // namespace protium
