// SPDX-License-Identifier: Apache-2.0
// report.html: the screens of one run in one file. It contains the page's own script and the API's
// responses about the run, so it opens anywhere, without a server and without a network.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// Returns the text of the file, for a run in any state. Omits responses of more than 1 MiB, and the
// report says which. Fails for a folder that is not a run.
Result<std::string> MakeReport(const std::filesystem::path& run);

}  // namespace protium
