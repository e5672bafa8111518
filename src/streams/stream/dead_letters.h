// SPDX-License-Identifier: Apache-2.0
// Where dead letters of a stream are kept: a file of JSON lines for each batch that has any,
// {"place", "reason", "text"}, or with "hex" in place of "text" for bytes that are not UTF-8. A
// batch that is made again writes the same file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/status.h"
#include "flow/flow.h"

namespace protium {

// `folder` is made if it is missing.
Status WriteDeadLetters(const std::filesystem::path& folder, int64_t batch,
                        const std::vector<DeadLetter>& letters);

}  // namespace protium
