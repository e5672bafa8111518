// SPDX-License-Identifier: Apache-2.0
#include "engine/stream_query.h"

#include "engine/kind.h"
#include "engine/library.h"
#include "os/library.h"

namespace protium {

Result<std::unique_ptr<StreamQuery>> StartStreamQuery(Engine& engine, const StreamQuerySpec& spec,
                                                      const Call& call) {
  const std::string name = KindOf(engine.address()).name;
  const std::string file = "libprotium_" + name + ".so";
  const std::string needed_for = "streams on the engine " + name;
  PT_LET(void* const entry, OpenBeside(file, "protium_start_query", needed_for, "./dev build"));
  Result<std::unique_ptr<StreamQuery>> query = Status::UnknownError("not started");
  const auto start = reinterpret_cast<StreamQueryEntry>(entry);
  if (start(kEngineLibraryVersion, engine, spec, call, query)) return query;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace protium
