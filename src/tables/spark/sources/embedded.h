// SPDX-License-Identifier: Apache-2.0
// The embedded engine beside a Spark session: it finds what makes up the tables at object stores,
// which columns these have, and writes into databases.
#pragma once

#include <memory>
#include <mutex>

#include "engine/engine.h"
#include "engine/library.h"

namespace protium {

// Thread-safe, but what Open() returns is used as engine/engine.h says. Its library is opened when
// it is first needed.
class Embedded {
 public:
  // Of `request`, how much memory it may use, where it may spill and where it keeps copies.
  explicit Embedded(EngineRequest request) : request_(std::move(request)) {}

  // An engine without workers, which lives as long as this.
  Result<Engine*> Open();
  // Writes the rows into the table of a database or of an Iceberg catalogue in one transaction, so
  // that a run that is resumed writes nothing twice: Spark's own tasks would each commit for
  // themselves.
  Result<int64_t> Store(BatchStream& rows, const protium::Store& store) const;

 private:
  const EngineRequest request_;
  std::mutex mutex_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace protium
