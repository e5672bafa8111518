// SPDX-License-Identifier: Apache-2.0
// The names of tables in databases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protium/sources.h"

namespace protium {

// Splits a qualified name at its dots: "shop.orders" is {"shop", "orders"}. A part in double quotes
// may hold dots, and two quotes in it mean one.
std::vector<std::string> NameParts(std::string_view name);

// Whether `named` may be the table that a list calls `listed`: lists omit the usual schema, which
// people may write.
bool IsListedAs(std::string_view listed, std::string_view named);

// What names are quoted with in the SQL of a kind of databases.
char QuoteOf(SourceKind kind);

// The name as the server's SQL writes it, each part in `quote`: " of the standard, ` of MySQL.
std::string QuotedName(std::string_view name, char quote);

}  // namespace protium
