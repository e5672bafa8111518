// SPDX-License-Identifier: Apache-2.0
// Expressions over values of nested types, spelt for DuckDB part by part: its casts of lists, maps
// and structs differ from Spark's, and it orders a null inside one last where Spark orders it
// first. All functions return an expression that replaces `value` and has no alias.
#pragma once

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// Casts each part by the rules for its type; `from` and `to` are nested types of the same shape.
Json ConvertedParts(Json value, const SqlType& from, const SqlType& to, bool tried);

// The text to which Spark casts a nested value: [1, null], {1, x}, {k -> 1}.
Json NestedText(Json value, const SqlType& type);

// A value that DuckDB orders as Spark orders `value`; null exactly where `value` is null. Works for
// types that are not nested, too.
Json OrderKey(Json value, const SqlType& type);

// Sorts the elements. Nulls come last, or in Spark's position: first, or last if descending.
enum class ListOrder { kNullsLast, kAscending, kDescending };
Json SortedList(Json list, const SqlType& element, ListOrder order);

// The greatest or the least element of a list; nulls do not count.
Json Extreme(Json list, const SqlType& element, bool greatest);

// The same value with the entries of each map in it sorted by key: Spark groups by maps regardless
// of the order of their keys.
Json WithSortedMaps(Json value, const SqlType& type);

// Whether the type is or contains a double or float; those in maps do not count.
bool HoldsReal(const SqlType& type);

// The same value with 0.0 for every -0.0 in it, as in Spark's sets.
Json WithPlainZeros(Json value, const SqlType& type);

// Whether Spark casts `from` to `to`, part by part. True where a type is unknown.
bool CanCast(const SqlType& from, const SqlType& to);

}  // namespace protium
