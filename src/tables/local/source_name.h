// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "duckdb/handles.h"
#include "protium/sources.h"

namespace protium {

// Names the rows of a source by what never changes: of a Delta table its version and what that
// version's entry of the log holds, since a table that was made anew counts its versions anew; of
// an Iceberg table its file of metadata and its snapshot; of Parquet at an object store the
// objects, unless one was written so lately that another may be written in the same second. Empty
// for all others, and where that cannot be read. `connection` must be able to open the place.
std::string NameSource(const duck::Connection& connection, const Source& source);

// Whether an object that was written at this time, as its store said it, can be told by it from one
// that is written later: stores count in seconds, of their own clock.
bool IsSettled(const duck::Connection& connection, const std::string& changed);

}  // namespace protium
