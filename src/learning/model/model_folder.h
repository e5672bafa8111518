// SPDX-License-Identifier: Apache-2.0
// A model folder as files: names, hashes, and the manifest model.json that lists them. save.cc
// defines what the files mean; docs/model-folder.md describes both for readers in other languages.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

inline constexpr int64_t kModelVersion = 3;

// The contents of a folder. For writing, the paths are the sources of copies; after reading, they
// point into the folder.
struct ModelFiles {
  int64_t version = kModelVersion;
  std::string weights_sha256;                           // Of the tensors only, not of the file.
  std::map<std::string, Json> json;                     // "pipeline.json", ...
  std::filesystem::path weights;                        // A safetensors file; empty: none.
  std::map<std::string, std::filesystem::path> others;  // Files that are not JSON, by name.
};

// Writes a new folder beside `folder` and renames it in one step, so that it appears whole or not
// at all. Replaces an earlier model; refuses (Exit::kUsage) a folder that contains anything but a
// model, including an extra file beside the model's own, and does not change it.
Status WriteModelFolder(const std::filesystem::path& folder, const ModelFiles& files);

// Reads the folder and checks its format, its version and the SHA-256 of every file. Every failure
// is a fault of Exit::kInput that names the file.
Result<ModelFiles> ReadModelFolder(const std::filesystem::path& folder);

}  // namespace protium
