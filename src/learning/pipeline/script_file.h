// SPDX-License-Identifier: Apache-2.0
// The net of a saved model as a TorchScript file. Declared here for callers; the code that writes
// it is in libprotium_torch.so. No LibTorch here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct ScriptFileOptions {
  std::filesystem::path model;  // A model folder.
  std::filesystem::path file;   // Appears whole or not at all; replaced if it exists.
};

struct ScriptFileReport {
  std::vector<std::string> notes;  // What a user of the file should know: its arguments.
};

// The library's entry point kScriptFileEntry. Writes the net with its weights, in evaluation mode;
// the file also contains net.json. Fails with Exit::kUsage for nets of extensions. Returns false if
// the library was built for another version (kTorchLibraryVersion).
using ScriptFileEntry = bool (*)(int32_t version, const ScriptFileOptions& options,
                                 Result<ScriptFileReport>& report);
inline constexpr const char* kScriptFileEntry = "protium_write_script";

}  // namespace protium
