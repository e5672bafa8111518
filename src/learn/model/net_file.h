// SPDX-License-Identifier: Apache-2.0
// The file that a net of TorchScript is made of: it travels with the run and with the model.
#pragma once

#include <filesystem>

#include "learn/model/model_folder.h"
#include "learn/pipeline/chain.h"

namespace protium {

// Puts the file's path from `base` on, and its SHA-256, into the options of a net that is one.
// Fails for a file that cannot be read; a sha256 that is given must be the file's.
Status FindNetFile(const std::filesystem::path& base, Named& net);
// The same for the estimator of a chain, if it has one.
Status FindNetFile(const std::filesystem::path& base, Chain& chain);

// Copies it into the run folder, where every worker finds it and nobody changes it.
Status KeepNetFile(const std::filesystem::path& run, Chain& chain);

// A model folder has it as "net.pt": adds it to the folder's files, and gives the net as the
// folder's own JSON names it, for pipeline.json and net.json.
Named IntoFolder(Named net, ModelFiles& files);

}  // namespace protium
