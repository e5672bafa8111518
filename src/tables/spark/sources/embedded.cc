// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/embedded.h"

#include "engine/store_rows.h"
#include "os/library.h"

namespace protium {
namespace {

constexpr const char* kLibrary = "libprotium_local.so";

}  // namespace

Result<Engine*> Embedded::Open() {
  const std::lock_guard lock(mutex_);
  if (engine_ != nullptr) return engine_.get();
  const std::string needed_for = "tables at object stores";
  PT_LET(void* const entry, OpenBeside(kLibrary, "protium_open_tables", needed_for, "./dev build"));
  Result<std::unique_ptr<Engine>> engine = Status::UnknownError("not opened");
  if (!reinterpret_cast<EngineEntry>(entry)(kEngineLibraryVersion, request_, engine)) {
    return UnusableLibrary(kLibrary, needed_for, "it belongs to another version");
  }
  PT_LET(engine_, std::move(engine));
  return engine_.get();
}

Result<int64_t> Embedded::Store(BatchStream& rows, const protium::Store& store) const {
  const std::string needed_for = "writing tables of databases";
  PT_LET(void* const entry, OpenBeside(kLibrary, "protium_store_rows", needed_for, "./dev build"));
  Result<int64_t> stored = Status::UnknownError("not stored");
  const auto store_rows = reinterpret_cast<StoreRowsEntry>(entry);
  if (store_rows(kEngineLibraryVersion, request_, rows, store, stored)) return stored;
  return UnusableLibrary(kLibrary, needed_for, "it belongs to another version");
}

}  // namespace protium
