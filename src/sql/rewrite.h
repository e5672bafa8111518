// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Replaces one node of a parsed tree, whose children are done, by one that means in DuckDB what the
// node means in Spark: casts, calls of types, patterns of Java's, positions in lists, LIKE with a
// backslash, counts of distinct pairs. True when it did; a refusal (kUsage, without a place) where
// that is not possible.
Result<bool> RewriteNode(Json& node);

// Gives the columns of a select list the names as they are written, in capitals or not.
bool NameColumns(Json& select);

// Makes text of the columns of a statement's SELECT that are a bare NULL, which would be of no
// type.
bool TypeNulls(Json& select);

}  // namespace protium
