// SPDX-License-Identifier: Apache-2.0
// Types made of other types: lists, maps and structs. A type stores them as DuckDB's name, which is
// parsed here and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sql_tree/sql_type.h"

namespace protium {

// Returns the type that DuckDB calls `name`, spelt as by ListOf(), MapOf() and StructOf(); nullopt
// if it is not nested. Unknown if a part of it is unknown.
std::optional<SqlType> ParseNested(std::string_view name);

// Spark's name: array<int>, map<int,string>, struct<a:int,b:string>.
std::string NestedSparkName(const SqlType& type);

// Returns the common type of two nested types; `meet` finds that of their parts. Names of fields
// must agree except for case; those of the first struct are used.
using Meeting = std::optional<SqlType> (*)(const SqlType&, const SqlType&);
std::optional<SqlType> CommonNested(const SqlType& a, const SqlType& b, Meeting meet);

// Whether the type contains a map, at any depth.
bool HoldsMap(const SqlType& type);

// Returns the position of a field by its name, in any case; -1 if there is none.
int FindFieldOf(const SqlType& type, std::string_view name);

// Whether a cast changes only names of fields: values have the same types at the same positions.
bool SameButNames(const SqlType& a, const SqlType& b);

}  // namespace protium
