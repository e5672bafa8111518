// SPDX-License-Identifier: Apache-2.0
// A list of stages, and what becomes of it once it has learned. Implemented by the room learn.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "learn/stages/stage_options.h"
#include "protium/frame.h"
#include "protium/status.h"

namespace protium {

class Session;
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

  // The inside, for the rooms of the house: learn/model/model_state.h.
  const ModelState& state() const { return *state_; }

 private:
  std::shared_ptr<const ModelState> state_;
};

class Pipeline {
 public:
  explicit Pipeline(std::vector<StageOptions> stages) : stages_(std::move(stages)) {}
  const std::vector<StageOptions>& stages() const { return stages_; }

  // Learns from the rows of `train`. The session's settings train.*, gang.*, net.* and
  // loss.* apply to the estimator. Records metrics, seconds and steps in the run. In a resumed
  // session stages keep what they learned and training goes on from its newest checkpoint.
  Result<PipelineModel> Fit(const DataFrame& train) const;

 private:
  std::vector<StageOptions> stages_;
};

}  // namespace protium
