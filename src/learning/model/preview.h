// SPDX-License-Identifier: Apache-2.0
// What fitting a pipeline would do, without running it: for `protium plan` and for the event that
// opens a run.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/json.h"
#include "plan/node.h"
#include "protium/pipeline.h"

namespace protium {

class SessionState;

struct Preview {
  Json pipeline;  // The list with all options, ids and outputs.
  Json stages;    // [{"id", "kind", "inputs", "outputs", "level"}]
  // {"workers", "shards", "most_shards_per_worker", "idle_share", "batch_size", "epochs"}, or {}
  // without an estimator.
  Json training;
  Plan plan;  // The training rows and, if there is an estimator, its gang over them.
};

// Whether the session's settings train.*, gang.*, net.* and loss.* go over the estimator's options.
enum class UseSettings { kYes, kNo };

// Checks the pipeline against the columns of `train`. Runs nothing; fails as fitting would before
// it reads rows.
Result<Preview> MakePreview(const Pipeline& pipeline, const DataFrame& train,
                            UseSettings settings = UseSettings::kYes);

// The pipeline with the settings of the session laid over it, once and for all: for callers that
// change it further. Refuses settings that nothing has asked for.
Result<Pipeline> WithSettings(const Pipeline& pipeline, const SessionState& session);

// Pipeline::Fit() of a pipeline that has its settings already.
Result<PipelineModel> FitAsGiven(const Pipeline& pipeline, const DataFrame& train);

// What MakePreview() checks of a pipeline in a job file that can be checked without a table:
// `columns` are the names of its columns, where they are known. Paths begin at `base`. Faults are
// those of MakePreview(); what it accepts is never refused.
Status CheckOnNames(const Pipeline& pipeline, const std::optional<Columns>& columns,
                    const std::shared_ptr<const Catalogue>& own, const std::filesystem::path& base);

// {"pipeline", "stages", "training"}.
Json PreviewToJson(const Preview& preview);

// The pipeline of a job file or a saved model, checked as far as is possible without a table. `own`
// holds the rows of the program or of extensions; null: the built-in rows alone.
Result<Pipeline> PipelineFromJson(const Json& list,
                                  const std::shared_ptr<const Catalogue>& own = nullptr);

}  // namespace protium
