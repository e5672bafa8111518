// SPDX-License-Identifier: Apache-2.0
// Defines the symbols for which libprotium_local.so is opened as an engine (engine/library.h), and
// by other engines as a reader and a writer of tables (engine/store_rows.h), and by streams as a
// writer of batches (engine/batch_store.h): turns the request into options.
#include <utility>

#include "engine/batch_store.h"
#include "engine/library.h"
#include "engine/store_rows.h"
#include "local/batch_store.h"
#include "local/local_engine.h"
#include "local/store.h"
#include "os/machine.h"

namespace protium {
namespace {

// Half of the machine's memory for tables; workers need the rest.
int64_t MemoryFor(const EngineRequest& request) {
  return request.memory_bytes > 0 ? request.memory_bytes : ReadMachine().memory_bytes / 2;
}

LocalOptions OptionsFor(const EngineRequest& request) {
  LocalOptions local{
      .address = request.address, .memory_bytes = MemoryFor(request), .spill = request.spill};
  local.store = request.store;
  local.fresh = request.fresh;
  local.run = request.folder.filename().string();
  return local;
}

DatabaseOptions DatabaseFor(const EngineRequest& request) {
  return {.memory_bytes = MemoryFor(request), .spill = request.spill.string()};
}

Result<std::unique_ptr<Engine>> OpenLocal(const EngineRequest& request) {
  LocalOptions local = OptionsFor(request);
  PT_LET(local.workers, SettingsOf(request));
  return MakeLocalEngine(std::move(local));
}

}  // namespace
}  // namespace protium

extern "C" bool protium_open_local(int32_t version, const protium::EngineRequest& request,
                                   protium::Result<std::unique_ptr<protium::Engine>>& engine) {
  if (version != protium::kEngineLibraryVersion) return false;
  engine = protium::OpenLocal(request);
  return true;
}

extern "C" bool protium_open_tables(int32_t version, const protium::EngineRequest& request,
                                    protium::Result<std::unique_ptr<protium::Engine>>& engine) {
  if (version != protium::kEngineLibraryVersion) return false;
  engine = protium::MakeLocalEngine(protium::OptionsFor(request), nullptr);
  return true;
}

extern "C" bool protium_store_rows(int32_t version, const protium::EngineRequest& request,
                                   protium::BatchStream& rows, const protium::Store& store,
                                   protium::Result<int64_t>& stored) {
  if (version != protium::kEngineLibraryVersion) return false;
  stored = protium::StoreRows(protium::DatabaseFor(request), rows, store, {});
  return true;
}

extern "C" bool protium_open_batches(int32_t version, const protium::EngineRequest& request,
                                     const protium::BatchTarget& target,
                                     protium::Result<std::unique_ptr<protium::BatchStore>>& store) {
  if (version != protium::kEngineLibraryVersion) return false;
  store = protium::MakeBatchStore(protium::DatabaseFor(request), target);
  return true;
}
