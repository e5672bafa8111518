// SPDX-License-Identifier: Apache-2.0
// Copies the weights that training starts from (train.from), of a model folder, of a file that
// another program wrote (weights/weights_file.h) or of a kept training, into this run's folder, so
// that ranks and resumed runs read the same ones whatever happens there. FindStart() is called when
// a pipeline is placed, KeepStart() before training. Both do nothing without train.from.
#pragma once

#include <filesystem>
#include <string>

#include "pipeline/estimator_kind.h"

namespace protium {

// Finds the model or the file, relative to files.base, checks the hashes of a model's files and
// puts absolute paths and the hash of the weights, as float32, into `from`. A resumed run uses the
// copy in its run folder instead, if there is one. Fails with Exit::kInput if there is no model
// with weights, or if `from` already has a different hash.
Status FindStart(const FilesFrom& files, const std::string& path, ModelOrStart& from);

// Puts the weights into the run folder, as "start.safetensors" in float32, and points `from` there.
// On a cluster every worker can read the run folder, but not necessarily the model's.
Status KeepStart(const std::filesystem::path& run, ModelOrStart& from);

}  // namespace protium
