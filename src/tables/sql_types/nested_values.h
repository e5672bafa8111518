// SPDX-License-Identifier: Apache-2.0
// Expressions over values of nested types, spelt for DuckDB part by part: it has no casts of lists,
// maps and structs that mean what Spark's mean, and orders a null inside one last where Spark
// orders it first. All return an expression that takes the place of `value` and has no alias.
#pragma once

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// Casts each part by the rules for its type; `from` and `to` are nested types of one shape.
Json ConvertedParts(Json value, const SqlType& from, const SqlType& to, bool tried);

// The text that Spark casts a nested value to: [1, null], {1, x}, {k -> 1}.
Json NestedText(Json value, const SqlType& type);

// A value that DuckDB orders as Spark orders `value`: null exactly where it is null. The same for
// types that are not nested.
Json OrderKey(Json value, const SqlType& type);

// The elements in order. Nulls come last, or where they come in Spark's order: first, last if
// descending.
enum class ListOrder { kNullsLast, kAscending, kDescending };
Json SortedList(Json list, const SqlType& element, ListOrder order);

// The greatest or the least element of a list; nulls do not count.
Json Extreme(Json list, const SqlType& element, bool greatest);

// The same value with the entries of each map in it ordered by key: Spark groups by maps without
// regard to the order of their keys.
Json WithSortedMaps(Json value, const SqlType& type);

// Whether a double or float is the type, or in it; those in maps do not count.
bool HoldsReal(const SqlType& type);

// The same value with 0.0 for every -0.0 in it, as Spark's sets have it.
Json WithPlainZeros(Json value, const SqlType& type);

// Whether Spark casts the one to the other, part by part. True where a type is not known.
bool CanCast(const SqlType& from, const SqlType& to);

}  // namespace protium
