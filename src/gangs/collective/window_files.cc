// SPDX-License-Identifier: Apache-2.0
#include "collective/window_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/fault.h"
#include "collective/mapped_window.h"
#include "os/memfd.h"
#include "os/scratch_file.h"

namespace protium {

Result<UniqueFd> MakeWindowFile(const std::filesystem::path& disk, int64_t bytes) {
  if (disk.empty()) {
    PT_LET(Memfd memory, Memfd::Make("protium-rows", bytes));
    return memory.Take();
  }
  PT_LET(ScratchFile file, ScratchFile::Make(disk));
  PT_TRY(file.Reserve(bytes));
  return file.Share();
}

Result<std::unique_ptr<Window>> OpenWindowFiles(int32_t rank, const std::vector<UniqueFd>& files) {
  std::vector<int64_t> bytes_of;
  std::vector<Mapping> memory;
  for (const UniqueFd& each : files) {
    struct stat about {};
    if (each && ::fstat(each.get(), &about) != 0) {
      return SystemFault("look at the rows that a rank shares", errno);
    }
    bytes_of.push_back(about.st_size);
    PT_LET(Mapping mapped, Mapping::Map(each.get(), about.st_size));
    memory.push_back(std::move(mapped));
  }
  return std::make_unique<MappedWindow>(rank, std::move(bytes_of), std::move(memory));
}

}  // namespace protium
