// SPDX-License-Identifier: Apache-2.0
// The tasks "train", "train_trees", "outputs" and "score" of a worker, over nets and losses by
// name. Those of the rooms nets, train and trees need no LibTorch; the library that brings LibTorch
// has the same tasks over more of them (gang/task_book.h).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "catalogue/catalogue.h"
#include "gang/task.h"
#include "metrics/metrics.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/torch_task.h"
#include "tensor/net.h"
#include "train/loss.h"

namespace protium {

// The implementations of the rows of the catalogue (catalogue/catalogue.h), by name, and what they
// depend on.
struct TaskRows {
  NetTable nets;
  // Kinds of estimators that predict by themselves, without a net (EstimatorKind::Open), by their
  // name in NetConfig::net.
  std::map<std::string, std::shared_ptr<const EstimatorKind>> estimators;
  LossTable losses;
  std::vector<MetricSpec> metrics;  // Besides the built-in ones.
  // Returns the libraries that decide their bits besides our own arithmetic, as entries of the
  // fingerprint (train/fingerprint.h); empty: none.
  std::function<Json(int32_t threads, bool bfloat16)> numerics;
  // Initialises those libraries before anything is computed; each operation called from this thread
  // is shared among `threads`. Empty: none.
  std::function<Status(int32_t threads)> prepare;
  // Opens the first GPU that CUDA_VISIBLE_DEVICES shows; empty: these nets compute on the CPU only.
  std::function<Result<ComputeDevice>()> open_gpu;
};

// Rows that need no LibTorch: the nets of the room nets, forests, the built-in losses.
TaskRows PlainRows();
// The built-in kinds of estimators that predict by themselves.
std::map<std::string, std::shared_ptr<const EstimatorKind>> BuiltInEstimators();

// Adds the rows of a program or of an extension that have an implementation, replacing those of the
// same name; rows without one refer to existing implementations.
void AddRows(const Catalogue& own, TaskRows& rows);
// Returns `rows` plus those of these extensions. Opens each from the driver's path, or its copy if
// that file is missing or has other content (model/net_library.h).
Result<TaskRows> WithExtensions(TaskRows rows, const std::vector<NetLibrary>& extensions);

// The tasks "train", "train_trees", "outputs" and "score", over copies of `rows`.
TaskTable TasksOver(const TaskRows& rows);

// Runs one rank of a training gang: packs and shards its input, trains, and emits one row from rank
// 0. Config, events and that row are described in pipeline/torch_task.h. Needs a communicator;
// collective throughout.
Status RunTrainTask(TaskContext& context, const TaskRows& rows);
// The same for forests, with the options in TrainConfig::own (model/forest_config.h).
Status RunTreeTask(TaskContext& context, const TaskRows& rows);
// Emits what the members of an average predict for one partition (model/average_options.h).
Status RunOutputsTask(TaskContext& context);
// Scores the batches of one partition, in order, without a gang. Emits one batch for each batch
// read.
Status RunScoreTask(TaskContext& context, const TaskRows& rows);

// Returns the row layout and sizes that a net is built for: for rows to learn from, with labels and
// weights, or for rows to score, without them.
NetInputs MakeNetInputs(const TrainConfig& config);
NetInputs MakeNetInputs(const ScoreConfig& config);

}  // namespace protium
