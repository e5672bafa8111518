// SPDX-License-Identifier: Apache-2.0
// What a pipeline would do to a table, before anything runs.
#pragma once

#include "base/json.h"
#include "protium/pipeline.h"

namespace protium {

struct Preview {
  Json pipeline;  // The list with every option, id and output.
  Json stages;    // [{"id", "kind", "inputs", "outputs", "level"}]
  Json training;  // {"workers", "shards", "shards_per_worker", "idle_share", "batch_size"} or {}.
  Plan plan;      // The training rows and, if there is an estimator, its gang over them.
};

// Checks everything against the columns of `train` and runs nothing.
Result<Preview> PreviewOf(const Pipeline& pipeline, const DataFrame& train);

// {"pipeline", "stages", "training"}.
Json JsonOf(const Preview& preview);

// The list of a job file or a saved model, checked as far as is possible without a table; `own` are
// the rows of the program or of extensions.
Result<Pipeline> PipelineFromJson(const Json& list,
                                  const std::shared_ptr<const Catalogue>& own = nullptr);

}  // namespace protium
