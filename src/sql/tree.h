// SPDX-License-Identifier: Apache-2.0
// Nodes of DuckDB's parsed tree, as json_serialize_sql gives it: reading them, and making those
// that take their place. For a typed look at a node see tree_view.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "sql/types/sql_type.h"

namespace protium::tree {

// The "query_location" of a node that stands nowhere in the text.
inline constexpr uint64_t kNowhere = UINT64_MAX;

// The text under `key`; empty where there is none.
inline const std::string& Text(const Json& node, std::string_view key) { return TextAt(node, key); }

bool IsConstant(const Json& node);

// The text of a constant that is one; nullptr for everything else.
const std::string* ConstantText(const Json& node);

// The number of digits of a constant whole number; 0 for everything else.
int WholeDigits(const Json& node);

// A constant whole number that fits an int, also with signs before it.
bool WholeValue(const Json& node, int& value);

Json WholeConstant(int value);
Json TextConstant(const std::string& text);
Json BooleanConstant(bool value);
Json NullConstant();  // Of no type.

// The column of that name.
Json ColumnRef(const std::string& name);

// SELECT <list> FROM (<query>) AS <alias>(<columns>).
Json SelectFrom(Json list, Json query, const std::string& alias, Json columns);

// A call that stands where `like` stood, without its alias.
Json Call(const std::string& function, Json children, const Json& like);

Json Cast(Json child, const SqlType& type, bool tried = false);

// CASE WHEN condition THEN value ELSE otherwise END.
Json Case(Json condition, Json value, Json otherwise);

// AND, OR, IS NOT NULL and their kin, of any number of operands.
Json Operator(const char* kind, const char* type, Json operands);

Json Comparison(const char* type, Json left, Json right);

// Puts `made`, which holds what stood at `node`, in its place under its name.
void Replace(Json& node, Json made);

// Takes the node out of its place, without its name.
Json Take(const Json& node);

}  // namespace protium::tree
