// SPDX-License-Identifier: Apache-2.0
// The weights that training starts from (train.from) on their way from a model folder, or a file
// that another program wrote (weights/weights_file.h), into this run's folder, so that ranks and
// resumed runs read the same ones whatever happens to that model. FindStart() comes when a pipeline
// is placed, KeepStart() before training. Both do nothing without train.from.
#pragma once

#include <filesystem>
#include <string>

#include "pipeline/estimator_kind.h"

namespace protium {

// Finds the model or the file, relative to files.base, checks the hashes of a model's files and
// puts absolute paths and the hash of the weights, as float32, into `from`. A resumed run takes the
// copy in its run folder instead, if there is one. Fails with Exit::kInput if there is no model
// with weights, or if `from` already has a hash and it is another.
Status FindStart(const FilesFrom& files, const std::string& path, ModelOrStart& from);

// Puts the weights into the run folder, as "start.safetensors" in float32, and points `from` there.
// On a cluster every worker reads the run folder, but not necessarily the model's.
Status KeepStart(const std::filesystem::path& run, ModelOrStart& from);

}  // namespace protium
