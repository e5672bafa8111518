// SPDX-License-Identifier: Apache-2.0
// The names of a SELECT's columns, derived from its text without an engine, for checks that must
// take no time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// The columns of tables by the tables' names in lower case; none where they are not known.
using TableNames = std::map<std::string, std::optional<std::vector<std::string>>>;

// Returns the names in the order of the columns, exactly as the engines give them; none if the text
// alone does not show them, as for a column without a name, SELECT * over a join, or SQL that is
// refused anyway.
std::optional<std::vector<std::string>> ResultNames(std::string_view sql, const TableNames& tables);

}  // namespace protium
