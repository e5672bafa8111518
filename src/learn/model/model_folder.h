// SPDX-License-Identifier: Apache-2.0
// The files of a model folder, apart from what they mean. docs/model-folder.md describes them.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

inline constexpr int64_t kModelVersion = 2;

struct ModelFiles {
  int64_t version = kModelVersion;
  std::string weights_sha256;
  std::map<std::string, Json> json;                     // "pipeline.json", ...
  std::filesystem::path weights;                        // A safetensors file; empty: none.
  std::map<std::string, std::filesystem::path> others;  // By the name they have in the folder.
};

// Writes the folder beside its place and publishes it, so that it appears whole or not at all. An
// earlier model there is replaced; anything else there is refused, also where it is a file beside
// those of the model.
Status WriteModelFolder(const std::filesystem::path& folder, const ModelFiles& files);

// Reads the folder and checks its kind, its version and the SHA-256 of every file. `weights` is
// the path of the file there, as is each of
// `others`: those that are not JSON.
Result<ModelFiles> ReadModelFolder(const std::filesystem::path& folder);

}  // namespace protium
