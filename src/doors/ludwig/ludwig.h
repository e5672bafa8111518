// SPDX-License-Identifier: Apache-2.0
// Converts configurations of Ludwig (https://ludwig.ai, version 0.6 and later) to job files. It is
// a library of its own, libprotium_ludwig.so, which only `protium config import` opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct LudwigOptions {
  std::filesystem::path file;  // config.yaml
  std::string table;           // The table's path, as the job should name it.
};

struct LudwigJob {
  std::string text;                // A job file that starts with the notes as comments.
  std::vector<std::string> notes;  // "line 12: ...": what has no counterpart, or a different one.
};

// The notes list every key that the job does not follow. A configuration that no job can express
// (no inputs, outputs that are neither numbers nor classes, models of text) is a fault of
// Exit::kUsage; a file that is not YAML is a fault of Exit::kInput.
Result<LudwigJob> ImportLudwig(const LudwigOptions& options);

// Increases whenever the layout of LudwigOptions or LudwigJob changes.
inline constexpr int32_t kLudwigLibraryVersion = 1;

// The library's only entry point, protium_import_ludwig. Returns false if it was built for another
// version.
using LudwigEntry = bool (*)(int32_t version, const LudwigOptions& options, Result<LudwigJob>& job);

}  // namespace protium
