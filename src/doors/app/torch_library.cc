// SPDX-License-Identifier: Apache-2.0
#include "app/torch_library.h"

#include "os/library.h"
#include "pipeline/torch_folder.h"
#include "pipeline/torch_library.h"

namespace protium {

namespace {

Result<void*> OpenTorchLibrary(const char* entry, const std::string& needed_for) {
  PT_LET(const std::filesystem::path given, GivenLibTorch());
  if (!given.empty()) PT_TRY(OpenInsteadOfOthers(given / "libtorch_cpu.so", needed_for));
  return OpenBeside(kTorchLibraryFile, entry, needed_for,
                    "build with PROTIUM_WITH_TORCH=ON, as the preset release does");
}

}  // namespace

Result<TaskTable> LoadTorchTasks(const Catalogue* own) {
  const std::string needed_for = "nets of LibTorch";
  PT_LET(void* const entry, OpenTorchLibrary(kTorchLibraryEntry, needed_for));
  TaskTable tasks;
  if (reinterpret_cast<TorchLibraryEntry>(entry)(kTorchLibraryVersion, own, &tasks)) return tasks;
  return UnusableLibrary(kTorchLibraryFile, needed_for, "it belongs to another version");
}

Result<ScriptFileReport> WriteTorchScript(const ScriptFileOptions& options) {
  const std::string needed_for = "the export to TorchScript";
  PT_LET(void* const entry, OpenTorchLibrary(kScriptFileEntry, needed_for));
  Result<ScriptFileReport> report = Status::UnknownError("not written");
  if (reinterpret_cast<ScriptFileEntry>(entry)(kTorchLibraryVersion, options, report)) {
    return report;
  }
  return UnusableLibrary(kTorchLibraryFile, needed_for, "it belongs to another version");
}

Result<std::vector<float>> NetOutputs(const NetOutputsOptions& options) {
  const std::string needed_for = "comparing a net with its graph";
  PT_LET(void* const entry, OpenTorchLibrary(kNetOutputsEntry, needed_for));
  Result<std::vector<float>> outputs = Status::UnknownError("not computed");
  if (reinterpret_cast<NetOutputsEntry>(entry)(kTorchLibraryVersion, options, outputs)) {
    return outputs;
  }
  return UnusableLibrary(kTorchLibraryFile, needed_for, "it belongs to another version");
}

}  // namespace protium
