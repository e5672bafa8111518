// SPDX-License-Identifier: Apache-2.0
#include "engine/row_queries.h"

#include "engine/library.h"
#include "os/library.h"

namespace protium {

Result<std::unique_ptr<RowQueries>> OpenRowQueries(const std::string& needed_for) {
  const std::string file = "libprotium_local.so";
  PT_LET(void* const entry, OpenBeside(file, "protium_open_rows", needed_for, "./dev build"));
  Result<std::unique_ptr<RowQueries>> queries = Status::UnknownError("not opened");
  if (reinterpret_cast<RowQueriesEntry>(entry)(kEngineLibraryVersion, queries)) return queries;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace protium
