// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include "base/fault.h"

namespace protium {

Result<std::vector<DatabaseTable>> Engine::ListTables(const Source&, const Call&) {
  return Fail({.exit = Exit::kUsage,
               .what = "the engine " + address() + " does not list the tables of a database",
               .fix = "name the table, or run on the embedded engine: --engine local"});
}

Result<std::vector<ObjectCopy>> Engine::CopyHere(const Source& source, const Call&) {
  return Fail({.exit = Exit::kUsage,
               .what = "the engine " + address() + " does not read text files of object stores",
               .where = source.file,
               .fix =
                   "run on the embedded engine, --engine local; or name a table of the cluster's "
                   "catalogue: table = \"NAME\""});
}

}  // namespace protium
