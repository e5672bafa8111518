// SPDX-License-Identifier: Apache-2.0
// Stages that workers apply (BatchStage): a run of them becomes one task over the rows, so that
// rows travel to workers and back once. The task "stages" makes the stages again by the catalogue
// of built-in ones and adds their outputs to each batch.
#pragma once

#include <arrow/record_batch.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gang/task.h"
#include "protium/stage_options.h"
#include "stages/batch_stage.h"

namespace protium {

// Runs in a worker, without a gang.
Status StagesTask(TaskContext& context);

// The stages of such a task, made again. Immutable: any thread.
class BatchStages {
 public:
  // Of MapTask::config; `output` are the columns that Apply() gives.
  static Result<BatchStages> Make(const std::string& config, SchemaPtr output);
  // The batch with the outputs of all stages.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(const arrow::RecordBatch& batch) const;

 private:
  struct Made;
  std::shared_ptr<const Made> made_;
};

// Collects stages while a plan is built. Stages behind the run that read nothing of it may be
// applied below it.
class BatchRun {
 public:
  // `analyze` is asked for the types of the columns that the task carries along; relative paths in
  // options begin at `base`.
  BatchRun(const Analyze& analyze, std::filesystem::path base)
      : analyze_(analyze), base_(std::move(base)) {}

  // Whether `stage` needs columns of the run as the engine sees them.
  bool MustEndBefore(const Stage& stage) const;
  // Both must outlive the next End().
  void Add(const StageOptions& options, const BatchStage& stage);
  // The task over `rows`, whose columns are `columns`, to which it adds the outputs of the run. The
  // same rows if there is no stage. The run is empty afterwards.
  Plan End(Plan rows, Columns& columns);

 private:
  struct Placed {
    const StageOptions* options;
    const BatchStage* stage;
  };
  bool Makes(const std::string& column) const;

  const Analyze& analyze_;
  std::filesystem::path base_;
  std::vector<Placed> stages_;
};

}  // namespace protium
