// SPDX-License-Identifier: Apache-2.0
// Turns DuckDB's messages into our faults. DuckDB distinguishes errors by text; only some calls
// return a type.
#pragma once

#include <duckdb.h>

#include <string_view>

#include "base/status.h"

namespace protium {

// Returns `message` as a Fault: bad SQL has exit kUsage, with the position in the text and the
// nearest names; bad data kInput; memory and disk kNoRoom; a bug of DuckDB's kFailed. An
// interruption is Status::Cancelled: QueryWatch::Explain says whether it was a stop or a deadline.
Status DuckDbFault(std::string_view message, duckdb_error_type type);

}  // namespace protium
