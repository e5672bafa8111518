// SPDX-License-Identifier: Apache-2.0
// Values of JSON as text for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace protium {

// A value as people write it: floats with five digits, whole numbers in groups of three, text
// without quotes, lists with commas; empty for null.
std::string Shown(const Json& value);

// A cell of a table; text of several lines, such as SQL, only as its length. "-" for null.
std::string ValueText(const Json& value);

// The leaves of a tree by dotted path, in order; a list of plain values is one leaf.
std::vector<std::pair<std::string, Json>> Leaves(const Json& tree);

}  // namespace protium
