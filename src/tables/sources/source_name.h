// SPDX-License-Identifier: Apache-2.0
// The names of tables in databases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace protium {

// Splits a qualified name at its dots: "shop.orders" is {"shop", "orders"}. A part in double quotes
// may hold dots, and two quotes in it mean one.
std::vector<std::string> NameParts(std::string_view name);

}  // namespace protium
