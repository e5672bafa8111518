// SPDX-License-Identifier: Apache-2.0
// The tables of a database, and what it says of their sizes.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "local/database.h"

namespace protium {

// Engine::ListTables() of the embedded engine: one query of the database's own catalogue, through a
// database of ours opened with `options`. Spreadsheets and lakes list nothing. Faults are those of
// OpenSources.
Result<std::vector<DatabaseTable>> ListSourceTables(const DatabaseOptions& options,
                                                    const Source& source);

}  // namespace protium
