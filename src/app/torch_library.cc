// SPDX-License-Identifier: Apache-2.0
#include "app/torch_library.h"

#include "learn/torch_folder.h"
#include "learn/torch_library.h"
#include "os/library.h"

namespace protium {

Result<TaskTable> LoadTorchTasks(const Catalogue* own) {
  const std::string needed_for = "training and scoring";
  PT_LET(const std::filesystem::path given, GivenLibTorch());
  if (!given.empty()) PT_TRY(OpenInsteadOfOthers(given / "libtorch_cpu.so", needed_for));
  PT_LET(void* const entry,
         OpenBeside(kTorchLibraryFile, kTorchLibraryEntry, needed_for,
                    "build with PROTIUM_WITH_TORCH=ON, as the preset release does"));
  TaskTable tasks;
  if (reinterpret_cast<TorchLibraryEntry>(entry)(kTorchLibraryVersion, own, &tasks)) return tasks;
  return UnusableLibrary(kTorchLibraryFile, needed_for, "it belongs to another version");
}

}  // namespace protium
