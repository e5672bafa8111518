// SPDX-License-Identifier: Apache-2.0
// Defines the only symbol for which libprotium_local.so is opened (engine/library.h): turns the
// address and the request into LocalOptions.
#include <utility>

#include "engine/library.h"
#include "local/local_engine.h"
#include "os/machine.h"

namespace protium {
namespace {

Result<std::unique_ptr<Engine>> OpenLocal(const EngineRequest& request) {
  PT_LET(WorkerSettings workers, SettingsOf(request));
  // Half of the machine's memory for tables; workers need the rest.
  const int64_t memory =
      request.memory_bytes > 0 ? request.memory_bytes : ReadMachine().memory_bytes / 2;
  LocalOptions local{.address = request.address, .memory_bytes = memory, .spill = request.spill};
  local.workers = std::move(workers);
  local.store = request.store;
  local.fresh = request.fresh;
  local.run = request.folder.filename().string();
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
