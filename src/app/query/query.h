// SPDX-License-Identifier: Apache-2.0
// Queries over the tables that the flags of `protium sql` name, each answered on stdout. Flags are
// read here: --data, --table, --null, --delimiter, --rows, --output, --engine, --force, --json.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

#include "app/arguments.h"
#include "app/table/folder_tables.h"
#include "base/status.h"

namespace protium {

// The tables of --table, then those of --data whose names are not among them.
Result<std::vector<TablePlace>> PlacesIn(const Arguments& arguments);

// Runs one query in a session of its own and prints its rows, the first ones as far as --rows says,
// or writes all to --output. `timed` adds how long it took. Ctrl-C ends it with Exit::kStopped.
// Call it with no other threads about (os/signals.h).
Status AnswerQuery(const std::string& sql, const Arguments& arguments, bool timed);

// The columns of a table, whose types a CSV file is read for.
Result<std::shared_ptr<arrow::Schema>> ColumnsOf(const TablePlace& place,
                                                 const Arguments& arguments);

}  // namespace protium
