// SPDX-License-Identifier: Apache-2.0
// Describes what fitting a pipeline would do, without running it: for `protium plan` and for the
// event "pipeline" that opens a run.
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

// Whether the session's settings train.*, gang.*, net.* and loss.* override the estimator's
// options.
enum class UseSettings { kYes, kNo };

// Checks the pipeline against the columns of `train`. Runs nothing; fails as fitting does before it
// reads rows. `columns` are those of `train` if the caller has them, as one that checks many
// pipelines does; null: the engine is asked.
Result<Preview> MakePreview(const Pipeline& pipeline, const DataFrame& train,
                            UseSettings settings = UseSettings::kYes, SchemaPtr columns = nullptr);

// The columns of `train` that fitting reads: inputs, label, weight and the like.
Result<Columns> ColumnsRead(const Pipeline& pipeline, const DataFrame& train);

// What fitting would take of what earlier runs have made of these rows: [{"name" ("fit", "rows"),
// "cause", "causes", "from", "made"}], without the last two for what is not kept. The table must be
// kept, and is opened; no pass is made.
Result<Json> DescribeKept(const Pipeline& pipeline, const DataFrame& train);

// Returns the pipeline with the settings of the session applied, for callers that change it
// further. Refuses settings that nothing reads.
Result<Pipeline> WithSettings(const Pipeline& pipeline, const SessionState& session);

// Pipeline::Fit() for a pipeline whose settings have been applied.
Result<PipelineModel> FitAsGiven(const Pipeline& pipeline, const DataFrame& train);

// Makes those checks of MakePreview() that need no table, for a pipeline in a job file. `columns`
// are the names of the table's columns, if known. Paths start at `base`. Fails as MakePreview()
// does; never refuses what that accepts.
Status CheckOnNames(const Pipeline& pipeline, const std::optional<Columns>& columns,
                    const std::shared_ptr<const Catalogue>& own, const std::filesystem::path& base);

// {"pipeline", "stages", "training"}.
Json PreviewToJson(const Preview& preview);

// Returns the pipeline of a job file or a saved model, checked as far as possible without a table.
// `own` holds the rows of the program or of extensions; null: only the built-in rows.
Result<Pipeline> PipelineFromJson(const Json& list,
                                  const std::shared_ptr<const Catalogue>& own = nullptr);

}  // namespace protium
