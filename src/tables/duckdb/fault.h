// SPDX-License-Identifier: Apache-2.0
// DuckDB's messages as faults of ours. It tells errors by text; only some calls give a type.
#pragma once

#include <duckdb.h>

#include <string_view>

#include "base/status.h"

namespace protium {

// `message` as a Fault: bad SQL has exit kUsage, with the place in the text and the nearest names;
// bad data kInput; memory and disk kNoRoom; a bug of DuckDB's kFailed. An interruption is
// Status::Cancelled: QueryWatch::Explain says whether it was a stop or a deadline.
Status DuckDbFault(std::string_view message, duckdb_error_type type);

}  // namespace protium
