// SPDX-License-Identifier: Apache-2.0
// The trials that a search is told to begin with (SearchOptions::first): known good options, such
// as those of a job that has no search.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "protium/search.h"
#include "search/tpe.h"

namespace protium {

// Whether `value` is one that the dimension can have.
bool Holds(const Dimension& dimension, const Json& value);

// Returns the values of each, flat by path, real ones with six digits as all of a search have;
// tables below a path count as paths of their own. A fault of Exit::kUsage below `path` if one
// names what is not in the space, or lies outside of it, if it names an option of some kinds and
// not its kind, or if the method does not draw its trials.
Result<std::vector<Json>> ReadFirst(const SearchOptions& options,
                                    std::span<const Condition> conditions, const std::string& path);

}  // namespace protium
