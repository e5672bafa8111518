// SPDX-License-Identifier: Apache-2.0
// From a table that changes to one that does not: the version, snapshot or list of files that makes
// it up now.
#pragma once

#include "column/source.h"
#include "duckdb/handles.h"
#include "protium/sources.h"

namespace protium {

// Whether there is something to find: a source has versions or is a list of objects, and neither
// is known yet.
bool NeedsPin(const Source& source);

// Returns a Delta table with its version; an Iceberg table at its file of metadata, with the
// snapshot that was asked for; and a pattern of Parquet with its objects. `connection` must be able
// to open the place. Faults (kInput): no such table, a version or time that it does not have, and
// Parquet files whose columns differ.
Result<Source> FindPin(const duck::Connection& connection, const Source& source);

// Returns the columns that the folders of a source's objects give.
Result<Partitions> FoldersOf(const Source& source);

}  // namespace protium
