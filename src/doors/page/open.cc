// SPDX-License-Identifier: Apache-2.0
#include "os/library.h"
#include "page/page.h"

namespace protium {

Result<std::unique_ptr<Page>> OpenPage(const PageOptions& options) {
  const std::string file = "libprotium_page.so", needed_for = "the page of runs and what serves it";
  PT_LET(void* const entry, OpenBeside(file, "protium_open_page", needed_for, "./dev build"));
  Result<std::unique_ptr<Page>> page = Status::UnknownError("not opened");
  if (reinterpret_cast<PageEntry>(entry)(kPageLibraryVersion, options, page)) return page;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace protium
