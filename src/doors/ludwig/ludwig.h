// SPDX-License-Identifier: Apache-2.0
// Configurations of Ludwig (https://ludwig.ai, version 0.6 and later) as job files. It lives in a
// library of its own, libprotium_ludwig.so, which only `protium config import` opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct LudwigOptions {
  std::filesystem::path file;  // config.yaml
  std::string table;           // The path of the table as the job shall name it.
};

struct LudwigJob {
  std::string text;                // A job file, with the notes as comments at its top.
  std::vector<std::string> notes;  // "line 12: ...": what has no counterpart, or another one.
};

// Every key that the job does not follow is in the notes; a configuration of which no job can be
// made (no inputs, outputs that are no numbers or classes, models of text) is a fault of
// Exit::kUsage, and a file that is no YAML of Exit::kInput.
Result<LudwigJob> ImportLudwig(const LudwigOptions& options);

// Grows whenever LudwigOptions or LudwigJob change their layout.
inline constexpr int32_t kLudwigLibraryVersion = 1;

// The library's one entry, protium_import_ludwig. Gives false when it was built for another
// version.
using LudwigEntry = bool (*)(int32_t version, const LudwigOptions& options, Result<LudwigJob>& job);

}  // namespace protium
