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
  // Otherwise the loader searches for it, like for any library. Ours are linked so that a symbol
  // that they lack is missed here, not in the middle of a job; what they need, such as DuckDB with
  // its 24,000 calls of its own functions, binds as it is called. RTLD_LOCAL keeps the symbols of
  // one library apart from those of another.
  const bool beside = std::filesystem::exists(path, ignored);
  void* const handle = dlopen(beside ? path.c_str() : file.c_str(), RTLD_LAZY | RTLD_LOCAL);
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

// Before it searches, the loader compares a name with the sonames of loaded libraries.
Status OpenInsteadOfOthers(const std::filesystem::path& file, const std::string& needed_for) {
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return Status::OK();
  const char* const why = dlerror();
  return Fail({.exit = Exit::kEnvironment,
               .what = needed_for + " need " + file.string() + ", which cannot be loaded",
               .why = why != nullptr ? why : ""});
}

}  // namespace protium
