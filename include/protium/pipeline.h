// SPDX-License-Identifier: Apache-2.0
// Pipelines: a list of stages, and the model that fitting it returns. Stages learn from the
// training rows and then add columns; an estimator, if there is one, comes last and trains a net on
// those columns. Implemented by the room model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "protium/frame.h"
#include "protium/stage_options.h"
#include "protium/status.h"

namespace protium {

class Session;

// For PipelineModel::Explaining() and Scorer::Explaining().
inline constexpr int32_t kEveryColumn = -1;
inline constexpr int32_t kUsualSamples = 1;

struct ModelState;

// A fitted pipeline. Immutable and cheap to copy; the session must outlive it.
class PipelineModel {
 public:
  explicit PipelineModel(std::shared_ptr<const ModelState> state) : state_(std::move(state)) {}

  // Reads a model folder (docs/model-folder.md) and checks the SHA-256 of every file in it. A
  // folder that is damaged, of another kind or of an unknown version is a fault of Exit::kInput
  // that names the file and the problem.
  static Result<PipelineModel> Load(Session& session, const std::filesystem::path& folder);

  // The table plus the estimator's prediction columns or, without an estimator, the outputs of all
  // stages. Lazy like every verb: a table without columns that the model reads, or with unusable
  // types in them, fails at the first action with Exit::kInput. With an estimator, `keep` names the
  // table's columns to carry along (empty: all), which saves copying the others to the workers and
  // back.
  DataFrame Transform(const DataFrame& table, const Columns& keep = {}) const;

  // The same model, whose Transform() and Scorer also explain each prediction, by the `columns`
  // columns of the table that matter most to it or by every one (kEveryColumn); 0 ends that. Adds
  // the columns because_1, because_1_by and so on (docs/trees.md, docs/nets.md).
  // For nets `samples` is the number of orders of columns, each also reversed, that are drawn for
  // every background row; time is proportional to it. Fails with Exit::kUsage for a model that
  // cannot explain.
  Result<PipelineModel> Explaining(int32_t columns, int32_t samples = kUsualSamples) const;

  // Rewrites a failure of an action on Transform()'s rows so that it names the table's columns
  // instead of those that stages made.
  Status Explain(const Status& status) const;

  // Writes the model folder, whole or not at all. A relative path is relative to the run folder. An
  // existing model folder is replaced; anything else in its way is refused and left alone.
  Status Save(const std::filesystem::path& folder) const;

 private:
  // The implementation, for our own rooms: model/model_state.h.
  friend const ModelState& StateOf(const PipelineModel& model);

  std::shared_ptr<const ModelState> state_;
};

// A list of stages that has not learned anything yet. A value type; fitting does not change it.
class Pipeline {
 public:
  explicit Pipeline(std::vector<StageOptions> stages) : stages_(std::move(stages)) {}
  const std::vector<StageOptions>& stages() const { return stages_; }

  // Learns from the rows of `train`: stages first, level by level, then the net. The session's
  // settings train.*, gang.*, net.* and loss.* override the estimator's own options. Everything
  // that can be checked without rows, including whether the gang fits the machine, is checked
  // first. Metrics, seconds and steps go to the run's record. In a resumed session the stages
  // retain what they learned, and training continues from the newest checkpoint. Blocks until the
  // net is trained; Ctrl-C ends it with Exit::kStopped after a checkpoint.
  Result<PipelineModel> Fit(const DataFrame& train) const;

 private:
  std::vector<StageOptions> stages_;
};

}  // namespace protium
