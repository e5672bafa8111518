// SPDX-License-Identifier: Apache-2.0
// What DuckDB and the clients in it report about a source, in words that name the source and what
// helps. None of these faults holds a password that DuckDB was given as a secret.
#pragma once

#include <vector>

#include "duckdb/handles.h"
#include "protium/sources.h"
#include "sources/object_store.h"

namespace protium {

// Of opening a server or a file.
Status OpenFault(const Source& source, const Status& status);
// Of asking an object store.
Status StoreFault(const Source& source, const StoreAccess& access, const Status& status);
// Of reading files at the source's place: OpenFault() or, of an object store, StoreFault().
Status PlaceFault(const Source& source, const Status& status);
// Of reading rows: what an object store said about one of `sources`; other faults as they are.
Status ExplainStore(const std::vector<Source>& sources, const Status& status);
// Of reading the columns of a table. DuckDB's own suggestions are of all databases that are open;
// these are of the source's.
Status TableFault(const duck::Connection& connection, const Source& source, const Status& status);

}  // namespace protium
