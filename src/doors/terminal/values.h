// SPDX-License-Identifier: Apache-2.0
// JSON values as text for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace protium {

// Writes a value as people do: floats with five digits (Figure()), whole numbers in groups of
// three, text without quotes, lists with commas; empty for null.
std::string Shown(const Json& value);

// A table cell; for text of several lines, such as SQL, only its length. "-" for null.
std::string ValueText(const Json& value);

// Returns the leaves of a tree by dotted path, in order; a list of plain values is one leaf.
std::vector<std::pair<std::string, Json>> Leaves(const Json& tree);

}  // namespace protium
