// SPDX-License-Identifier: Apache-2.0
// Types made of other types: lists, maps and structs. A type keeps them as DuckDB's name, which is
// taken apart here and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sql_tree/sql_type.h"

namespace protium {

// The type that DuckDB calls `name`, spelt as ListOf(), MapOf() and StructOf() spell it; nullopt if
// it is not nested. Unknown if a part of it is.
std::optional<SqlType> ParseNested(std::string_view name);

// Spark's name: array<int>, map<int,string>, struct<a:int,b:string>.
std::string NestedSparkName(const SqlType& type);

// Where two nested types meet, their parts meeting by `meet`. Names of fields have to agree except
// for case; the first struct's stay.
using Meeting = std::optional<SqlType> (*)(const SqlType&, const SqlType&);
std::optional<SqlType> CommonNested(const SqlType& a, const SqlType& b, Meeting meet);

// Whether a map is in it, at any depth.
bool HoldsMap(const SqlType& type);

// The place of a field by its name, in any case; -1 if there is none.
int FindFieldOf(const SqlType& type, std::string_view name);

// Whether casting changes only names of fields: values are of the same types at the same places.
bool SameButNames(const SqlType& a, const SqlType& b);

}  // namespace protium
