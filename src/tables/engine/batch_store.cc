// SPDX-License-Identifier: Apache-2.0
#include "engine/batch_store.h"

#include "os/library.h"

namespace protium {

Result<std::unique_ptr<BatchStore>> OpenBatchStore(const EngineRequest& request,
                                                   const BatchTarget& target) {
  const std::string file = "libprotium_local.so", needed_for = "writing tables of databases";
  PT_LET(void* const entry, OpenBeside(file, "protium_open_batches", needed_for, "./dev build"));
  Result<std::unique_ptr<BatchStore>> store = Status::UnknownError("not opened");
  const auto open = reinterpret_cast<BatchStoreEntry>(entry);
  if (open(kEngineLibraryVersion, request, target, store)) return store;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace protium
