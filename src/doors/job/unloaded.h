// SPDX-License-Identifier: Apache-2.0
// Extensions that a check leaves alone: opening a library runs its code, and who checks a job wants
// none of it run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "catalogue/catalogue.h"

namespace protium {

// What is done about the extensions that a job names. kMistaken: they were told to be a mistake
// already and are not among the settings any more, but what they bring may still be named.
enum class Extensions { kLoad, kLeaveAlone, kMistaken };

// What could not be checked because of that.
struct Unloaded {
  std::vector<std::string> files;  // Absolute.
  std::vector<std::string> names;  // `net "wide"`, in the order of the pipeline.
  bool any = false;                // Whether there may be others, where no names are looked for.
  // Whether a loss is among them: what an estimator learns, measures and predicts depends on it.
  bool loss = false;
};

// Adds the nets, losses and metrics of the pipeline's estimators that are not built in. Gives rows
// that take their places: they take any options, and fit any kind of loss.
std::shared_ptr<const Catalogue> StandIns(const Json& pipeline, Unloaded& unloaded);

}  // namespace protium
