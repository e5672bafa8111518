// SPDX-License-Identifier: Apache-2.0
#include "app/torch_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/fault.h"
#include "learn/torch_library.h"

namespace protium {

namespace {

// The folder that this code was loaded from.
std::filesystem::path OwnFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&LoadTorchTasks), &info) == 0) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

Status CannotLoad(const std::filesystem::path& library, const char* why) {
  std::error_code ignored;
  const bool there = std::filesystem::exists(library, ignored);
  return Fail({.exit = Exit::kEnvironment,
               .what = "training and scoring need " + library.string() +
                       (there ? ", which cannot be loaded" : ", which is not there"),
               .why = there && why != nullptr ? why : "",
               .fix = there ? "" : "build with PROTIUM_WITH_TORCH=ON, as the preset release does"});
}

}  // namespace

Result<TaskTable> LoadTorchTasks() {
  const std::filesystem::path library = OwnFolder() / kTorchLibraryFile;
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return CannotLoad(library, dlerror());
  const auto entry = reinterpret_cast<TorchLibraryEntry>(dlsym(handle, kTorchLibraryEntry));
  if (entry == nullptr) return CannotLoad(library, "it has no protium_torch_tasks()");
  TaskTable tasks;
  if (!entry(kTorchLibraryVersion, &tasks))
    return CannotLoad(library, "it belongs to another version");
  return tasks;
}

}  // namespace protium
