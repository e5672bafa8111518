// SPDX-License-Identifier: Apache-2.0
#include "ludwig/ludwig.h"
#include "os/library.h"

namespace protium {

Result<LudwigJob> ImportLudwig(const LudwigOptions& options) {
  const std::string file = "libprotium_ludwig.so", needed_for = "the import of configurations";
  PT_LET(void* const entry, OpenBeside(file, "protium_import_ludwig", needed_for, "./dev build"));
  Result<LudwigJob> job = Status::UnknownError("not read");
  if (reinterpret_cast<LudwigEntry>(entry)(kLudwigLibraryVersion, options, job)) return job;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace protium
