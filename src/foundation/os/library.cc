// SPDX-License-Identifier: Apache-2.0
#include "os/library.h"

#include <dlfcn.h>

#include "base/fault.h"

namespace protium {

std::filesystem::path OwnLibraryFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&OwnLibraryFolder), &info) == 0) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

Status UnusableLibrary(const std::string& file, const std::string& needed_for, const char* why) {
  const auto path = OwnLibraryFolder() / file;
  return Fail({.exit = Exit::kEnvironment,
               .what = needed_for + " need " + path.string() + ", which cannot be loaded",
               .why = why != nullptr ? why : ""});
}

Result<void*> OpenBeside(const std::string& file, const char* entry, const std::string& needed_for,
                         const std::string& fix) {
  const auto path = OwnLibraryFolder() / file;
  std::error_code ignored;
  // Elsewhere the loader looks for it, as for any other library. RTLD_NOW: a missing symbol is told
  // here, not in the middle of a job. RTLD_LOCAL: what one library brings along does not come
  // between the symbols of another.
  const bool beside = std::filesystem::exists(path, ignored);
  void* const handle = dlopen(beside ? path.c_str() : file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr && !beside) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = needed_for + " need " + path.string() + ", which does not exist",
                 .fix = fix});
  }
  if (handle == nullptr) return UnusableLibrary(file, needed_for, dlerror());
  void* const address = dlsym(handle, entry);
  if (address != nullptr) return address;
  return UnusableLibrary(file, needed_for, ("it has no " + std::string(entry) + "()").c_str());
}

// The loader compares names with those that loaded libraries call themselves before it searches.
Status OpenInsteadOfOthers(const std::filesystem::path& file, const std::string& needed_for) {
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return Status::OK();
  const char* const why = dlerror();
  return Fail({.exit = Exit::kEnvironment,
               .what = needed_for + " need " + file.string() + ", which cannot be loaded",
               .why = why != nullptr ? why : ""});
}

}  // namespace protium
