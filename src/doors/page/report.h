// SPDX-License-Identifier: Apache-2.0
// report.html: the screens of one run in one file. It holds the page's own script and what the API
// answers about the run, so it opens without a server and without a network, anywhere.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// The text of the file, for a run in any state. A response of more than 1 MiB is left out, and the
// report says which. Fails for a folder that is no run.
Result<std::string> MakeReport(const std::filesystem::path& run);

}  // namespace protium
