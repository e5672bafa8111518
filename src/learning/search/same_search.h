// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "search/settle.h"

namespace protium {

// Notes in `trials`/search.json what decides the trials of a search. When a run is resumed whose
// trials depend on each other, because the search learns or prunes, its search must be the noted
// one, but may have more or fewer trials: otherwise the fault of Exit::kUsage names what differs.
Status CheckSameSearch(const Search& search, const SettledSearch& settled,
                       const std::filesystem::path& trials, bool resume);

// The dotted paths, below "search", at which what decides two searches differs.
std::vector<std::string> DifferencesOf(const Json& was, const Json& is);

}  // namespace protium
