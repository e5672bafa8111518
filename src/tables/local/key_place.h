// SPDX-License-Identifier: Apache-2.0
// Finds the position of a text among a few keys, as a function of DuckDB's.
#pragma once

#include "duckdb/handles.h"

namespace protium {

// Registers pt_place(text, missing, unseen, keys) -> BIGINT: the position, from 0, of a text in the
// list `keys`, which are distinct; `missing` for NULL and `unseen` for any other text. The last
// three arguments are constants of the query, and the two numbers may be NULL.
Status RegisterKeyPlace(const duck::Connection& connection);

}  // namespace protium
