// SPDX-License-Identifier: Apache-2.0
// Files that stages read, such as the net of net_features: below the folder of the tables when a
// pipeline is placed, inside the model once it is saved.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "protium/stage_options.h"

namespace protium {

// Makes their paths absolute.
std::vector<StageOptions> WithFilesBelow(std::vector<StageOptions> stages,
                                         const std::filesystem::path& base);

// Adds each to `others`, the files of a model folder by name, and names it in the options so.
std::vector<StageOptions> WithFilesKept(std::vector<StageOptions> stages,
                                        std::map<std::string, std::filesystem::path>& others);

// The reverse: names that `others` has become its paths.
std::vector<StageOptions> WithFilesFound(
    std::vector<StageOptions> stages, const std::map<std::string, std::filesystem::path>& others);

}  // namespace protium
