// SPDX-License-Identifier: Apache-2.0
// Which of the names in a folder are files of a table, here and at object stores.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace protium {

// Whether Spark and Hadoop skip it: _temporary, _SUCCESS, .part.crc. A name with "=" is a partition
// whose column begins with "_", as in Spark.
bool IsHiddenName(std::string_view name);

// Whether it matches one of these patterns, such as PatternsOf() gives for a format.
bool IsLikeOneOf(const std::string& name, const std::vector<std::string>& patterns);

}  // namespace protium
