// SPDX-License-Identifier: Apache-2.0
// What the columns of the table at a place hold.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "inspect/place.h"
#include "leaks/table_profile.h"
#include "protium/csv.h"

namespace protium {

// ProfileRows() for the table at a place (inspect/folder_tables.h), read by a session without a run
// folder, so that nothing is left behind.
Result<TableProfile> ProfilePlace(const TypedPlace& place, const CsvOptions& csv, int64_t head);

}  // namespace protium
