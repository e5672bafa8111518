// SPDX-License-Identifier: Apache-2.0
// Stages that workers apply (BatchStage): consecutive ones become one task over the rows, so that
// rows travel to workers and back only once. The task "stages" rebuilds the stages from the
// built-in catalogue and adds their outputs to each batch.
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

// The stages of such a task, rebuilt from its config. Immutable: any thread.
class BatchStages {
 public:
  // `config` is MapTask::config; `output` has the columns that Apply() returns.
  static Result<BatchStages> Make(const std::string& config, SchemaPtr output);
  // Returns the batch with the outputs of all stages added.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(const arrow::RecordBatch& batch) const;

 private:
  struct Made;
  std::shared_ptr<const Made> made_;
};

// Collects stages while a plan is built. Later stages that read none of the run's outputs may be
// applied below the run.
class BatchRun {
 public:
  // `analyze` finds the types of the columns that the task passes through; relative paths in
  // options start at `base`.
  BatchRun(const Analyze& analyze, std::filesystem::path base)
      : analyze_(analyze), base_(std::move(base)) {}

  // Whether `stage` reads the run's columns in the engine, so that the run must end first.
  bool MustEndBefore(const Stage& stage) const;
  // Both must outlive the next End().
  void Add(const StageOptions& options, const BatchStage& stage);
  // Returns the task over `rows`, whose columns are `columns`, and adds the outputs of the run to
  // `columns`. Without any stage returns `rows` unchanged. The run is empty afterwards.
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
