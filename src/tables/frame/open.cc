// SPDX-License-Identifier: Apache-2.0
// Engines are found by name in libraries beside our own (os/library.h), as the rows of
// engine/kind.h list them.
#include "frame/open.h"

#include <cstdlib>
#include <utility>

#include "base/fault.h"
#include "engine/kind.h"
#include "engine/library.h"
#include "os/library.h"

namespace protium {
namespace {

// The entry point passes C++ objects across the library boundary, so it checks the version first;
// if the two are of different builds, it refuses and touches nothing.
Result<std::unique_ptr<Engine>> OpenFrom(const std::string& name, const EngineRequest& request) {
  const std::string file = "libprotium_" + name + ".so";
  const std::string needed_for = "plans on the engine " + name;
  PT_LET(void* const entry,
         OpenBeside(file, ("protium_open_" + name).c_str(), needed_for, "./dev build"));
  Result<std::unique_ptr<Engine>> engine = Status::UnknownError("not opened");
  if (reinterpret_cast<EngineEntry>(entry)(kEngineLibraryVersion, request, engine)) return engine;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

std::filesystem::path FindDiscovery(const SessionOptions& options) {
  const char* const script = std::getenv("PROTIUM_DISCOVERY");
  if (!options.discovery.empty() || script == nullptr || *script == 0) return options.discovery;
  return std::filesystem::absolute(script);
}

}  // namespace

EngineRequest RequestFor(const SessionOptions& options) {
  const auto& folder = options.folder;
  const std::string name = KindOf(options.engine).name;
  Json own = options.engine_options;
  // Later settings win: --set overrides the job's own options.
  own.update(CollectSettings(options, "engine." + name));
  return {.address = options.engine,
          .folder = folder,
          .spill = options.spill.empty() && !folder.empty() ? folder / "spill" : options.spill,
          .discovery = FindDiscovery(options),
          .memory_bytes = options.memory_bytes,
          .options = std::move(own),
          .program = options.program,
          .worker_deadline = options.worker_deadline,
          .store = options.store,
          .fresh = options.fresh,
          .transit = options.place.empty() ? "" : options.place + "/transit"};
}

Result<std::unique_ptr<Engine>> OpenEngine(const SessionOptions& options) {
  return OpenFrom(KindOf(options.engine).name, RequestFor(options));
}

}  // namespace protium
