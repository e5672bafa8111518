// SPDX-License-Identifier: Apache-2.0
#include "os/new_file.h"

#include <unistd.h>

#include <cerrno>

#include "base/fault.h"
#include "os/file.h"
#include "os/publish.h"
#include "os/random_letters.h"

namespace protium {

// link(2) gives a second name only where no file has it; rename(2) would replace one.
Result<bool> WriteNewFile(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path beside =
      path.parent_path() / ("." + path.filename().string() + "." + RandomLetters(12));
  PT_TRY(WriteFile(beside, text));
  const int error = ::link(beside.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(beside.c_str());
  if (error == EEXIST) return false;
  if (error != 0) return SystemFault("write " + path.string(), error);
  PT_TRY(SyncFolder(path.parent_path()));
  return true;
}

}  // namespace protium
