// SPDX-License-Identifier: Apache-2.0
// Copies the file of a TorchScript net from the user's folder into the run folder, so that a
// resumed run trains the same net whatever happens to the original, and from there into the model
// folder. For other nets these functions do nothing.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "protium/choice.h"

namespace protium {

// Resolves the file's path against `base` and puts the absolute path and the SHA-256 into the net's
// options. Fails with Exit::kInput if the file is missing or does not match a sha256 already in the
// options.
Status FindNetFile(const std::filesystem::path& base, Choice& net);

// Copies the file into the run folder and points the options there. On a cluster every worker can
// read the run folder, but not necessarily the user's folder.
Status KeepNetFile(const std::filesystem::path& run, Choice& net);

// Adds the file as "net.pt" to the files of a model folder, and returns the net with that relative
// name in its options, for pipeline.json and net.json.
Choice NetIntoFolder(Choice net, std::map<std::string, std::filesystem::path>& files);

}  // namespace protium
