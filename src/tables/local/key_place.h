// SPDX-License-Identifier: Apache-2.0
// The place of a text among a few keys, as a function of DuckDB's.
#pragma once

#include "duckdb/handles.h"

namespace protium {

// Registers pt_place(text, missing, unseen, keys) -> BIGINT: the place, from 0, of a text in the
// list `keys`, which are unlike; `missing` for NULL and `unseen` for any other text. The three
// behind the text are constants of the query, and the numbers may be NULL.
Status RegisterKeyPlace(const duck::Connection& connection);

}  // namespace protium
