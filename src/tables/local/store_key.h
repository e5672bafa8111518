// SPDX-License-Identifier: Apache-2.0
// The key to an S3 store, for the few requests that DuckDB cannot make.
#pragma once

#include "duckdb/handles.h"
#include "objects/signature.h"
#include "protium/sources.h"

namespace protium {

// Returns the key that DuckDB asks the store of `source` with, which is open on the connection
// (OpenSources::OpenPlace): what ReadStoreAccess() finds, or what the provider's files and services
// have said; for the latter the database must have been opened with `show_secrets`. Refuses
// (kUsage) a store where nobody in particular asks.
Result<S3Access> FindStoreKey(const duck::Connection& connection, const Source& source);

}  // namespace protium
