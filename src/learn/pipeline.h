// SPDX-License-Identifier: Apache-2.0
// A list of stages, and what becomes of it once it has learned. Public API.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frame/session.h"
#include "learn/stages.h"
#include "learn/torch_task.h"

namespace protium {

struct Chain;
struct Learned;
struct ModelState;

// A pipeline that has learned. Cheap to copy; never changes.
class PipelineModel {
 public:
  explicit PipelineModel(std::shared_ptr<const ModelState> state) : state_(std::move(state)) {}

  // Reads a model folder. A folder that is damaged, of another kind or of another version is a
  // fault that names the file and what is wrong with it.
  static Result<PipelineModel> Load(Session& session, const std::filesystem::path& folder);

  // The table with the estimator's prediction; without an estimator, with the outputs of all
  // stages. Columns that are missing or of another type are a fault that names them all. With
  // `keep`, rows that are scored carry no other columns of the table along, which is faster than to
  // choose from the outcome.
  DataFrame Transform(const DataFrame& table, const Columns& keep = {}) const;

  // What went wrong with rows of Transform(), in terms of the columns of its table.
  Status Explain(const Status& status) const;

  // Writes the model folder (docs/model-folder.md), whole or not at all. A relative path lies in
  // the run folder. Replaces a model that is there, and nothing else.
  Status Save(const std::filesystem::path& folder) const;

  // A copy that carries how its input table is made ("etl.json"), for whoever loads the model.
  PipelineModel WithEtl(Json etl) const;
  const Json& etl() const;

  SchemaPtr input() const;             // The columns of the training table that fitting read.
  const TrainResult& trained() const;  // Without an estimator: empty.
  Json pipeline() const;               // The list of stages with every option.

 private:
  std::shared_ptr<const ModelState> state_;
};

// What a pipeline would do to a table, before anything runs.
struct Preview {
  Json pipeline;  // The list with every option, id and output.
  Json stages;    // [{"id", "kind", "inputs", "outputs", "level"}]
  Json training;  // {"workers", "shards", "shards_per_worker", "idle_share", "batch_size"} or {}.
  Plan plan;      // The training rows and, if there is an estimator, its gang over them.
};

// {"pipeline", "stages", "training"}.
Json JsonOf(const Preview& preview);

class Pipeline {
 public:
  explicit Pipeline(std::vector<StageOptions> stages) : stages_(std::move(stages)) {}
  // The list of a job file or a saved model, checked as far as is possible without a table; `own`
  // are the rows of the program.
  static Result<Pipeline> FromJson(const Json& list,
                                   const std::shared_ptr<const Catalogue>& own = nullptr);

  // Checks everything against the table's columns and runs nothing.
  Result<Preview> Look(const DataFrame& train) const;

  // Learns from the rows of `train`. The session's settings train.*, gang.*, net.* and
  // loss.* apply to the estimator. Records metrics, seconds and steps in the session. In a resumed
  // session stages keep what they learned and training goes on from its newest checkpoint. A
  // session that only plans is told, and gets Session::NotRun().
  Result<PipelineModel> Fit(const DataFrame& train) const;

 private:
  std::vector<StageOptions> stages_;
};

}  // namespace protium
