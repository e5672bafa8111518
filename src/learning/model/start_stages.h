// SPDX-License-Identifier: Apache-2.0
// What the stages have learned of the model that training starts from (train.from): its
// pipeline.json and stages.json, which lie in the run folder as "start.pipeline.json" and
// "start.stages.json". Weights mean something only with them: a row of an embedding belongs to the
// index that a stage has given to a value.
#pragma once

#include <filesystem>
#include <optional>

#include "pipeline/stages_before.h"
#include "protium/training.h"

namespace protium {

// A file of a model folder, and the name of its copy in a run.
struct StartFile {
  const char* name;
  const char* kept;
};
// That file of the model: in its folder or, once KeepStart() has run, in the run.
std::filesystem::path BesideWeights(const ModelOrStart& from, const StartFile& file);

// Copies them into the run folder; before KeepStart(). Without a model folder there are none.
Status KeepStartStages(const std::filesystem::path& run, const ModelOrStart& from);
// Reads them; nullopt if there are none.
Result<std::optional<StagesBefore>> StagesOfStart(const ModelOrStart& from);

}  // namespace protium
