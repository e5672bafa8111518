// SPDX-License-Identifier: Apache-2.0
// Nodes of DuckDB's parsed tree, as json_serialize_sql writes it: reads them, and builds
// replacements. Nodes are built with every member that json_deserialize_sql demands. For a typed
// view of a node see tree_view.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium::tree {

// The "query_location" of a node that was built and has no position in the text (DuckDB's
// INVALID_INDEX).
inline constexpr uint64_t kNowhere = UINT64_MAX;

// The text under `key`; empty if there is none or the node is not an object.
inline const std::string& Text(const Json& node, std::string_view key) { return TextAt(node, key); }

bool IsConstant(const Json& node);

// The value of a constant of text; nullptr for everything else. It belongs to the node.
const std::string* ConstantText(const Json& node);

// The number of digits of a constant whole number, also of 7L and of one beyond 64 bits; 0 for
// everything else.
int WholeDigits(const Json& node);

// Reads a constant whole number, also with signs before it. False, leaving `value` unspecified, for
// everything else and for one that does not fit an int.
bool WholeValue(const Json& node, int& value);

// Constants that have no position in the text.
Json WholeConstant(int value);
Json TextConstant(const std::string& text);
Json BooleanConstant(bool value);
Json NullConstant();  // Of the type NULL.

// The column of that name.
Json ColumnRef(const std::string& name);

// *, or all columns of a table.
Json Star(const std::string& table);

// SELECT <list> FROM (<query>) AS <alias>(<columns>).
Json SelectFrom(Json list, Json query, const std::string& alias, Json columns);

// A call at the position of `like`, without a name for its result.
Json Call(const std::string& function, Json children, const Json& like);

// CAST(child AS type), or TRY_CAST if `tried`, at the position of `child`.
Json Cast(Json child, const SqlType& type, bool tried = false);

// CASE WHEN condition THEN value ELSE otherwise END.
Json Case(Json condition, Json value, Json otherwise);

// AND, OR, IS NOT NULL and the like, with any number of operands.
Json Operator(const char* kind, const char* type, Json operands);

Json Comparison(const char* type, Json left, Json right);

// The field of a struct.
Json Field(Json value, const std::string& name);

// lambda parameter: body.
Json Lambda(const std::string& parameter, Json body);

// The names of a lambda's parameters. In DuckDB's tree, a single one is a column, and several are a
// call with columns as its arguments.
std::vector<std::string> LambdaParameters(const Json& lambda);

// Puts `with` wherever `node` names the column or parameter `name`, except within lambdas that have
// a parameter of that name themselves. name.a becomes the field a of `with`.
void ReplaceColumn(Json& node, const std::string& name, const Json& with);

// Replaces `node` with `made`, which takes over its alias: that names a column of the result.
void Replace(Json& node, Json made);

// A copy of the node without its alias, to be put inside another one.
Json Take(const Json& node);

}  // namespace protium::tree
