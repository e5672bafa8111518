// SPDX-License-Identifier: Apache-2.0
// Which builds of libraries this process runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// The build ids (lower-case hexadecimal, .note.gnu.build-id) of the loaded libraries whose file
// names begin with one of `names`, by file name without the version behind ".so"; empty for one
// without an id. A change of the program's code changes its id.
std::map<std::string, std::string> LoadedBuilds(const std::vector<std::string_view>& names);

}  // namespace protium
