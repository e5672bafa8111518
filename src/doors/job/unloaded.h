// SPDX-License-Identifier: Apache-2.0
// Extensions that a check leaves alone: opening a library runs its code, which a user who only
// checks a job does not want.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "catalogue/catalogue.h"

namespace protium {

// What to do with the extensions that a job names. kMistaken: they have already been reported as a
// mistake and removed from the settings, but what they add may still be named.
enum class Extensions { kLoad, kLeaveAlone, kMistaken };

// What could not be checked as a result.
struct Unloaded {
  std::vector<std::string> files;  // Absolute.
  std::vector<std::string> names;  // `net "wide"`, in the order of the pipeline.
  bool any = false;                // There may be others, where names are not searched.
  // Whether a loss is among them: it determines what an estimator learns, measures and predicts.
  bool loss = false;
};

// Adds the nets, losses and metrics of the pipeline's estimators that are not built in. Returns
// rows that stand in for them: they take any options, and fit any kind of loss.
std::shared_ptr<const Catalogue> StandIns(const Json& pipeline, Unloaded& unloaded);

}  // namespace protium
