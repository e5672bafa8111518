// SPDX-License-Identifier: Apache-2.0
// The file that a stage was placed with, such as the net of net_features.
#pragma once

#include <string>

#include "base/status.h"

namespace protium {

// Refuses (kInput) the file of a stage whose SHA-256 is not the one that it learned. `what`: "net".
Status CheckStageFile(const std::string& what, const std::string& stage, const std::string& file,
                      const std::string& sha256, const std::string& learned);

}  // namespace protium
