// SPDX-License-Identifier: Apache-2.0
// Whether the run in a folder works on another machine, and the folder is a copy of it.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// Notes beside the folder of a copy when its run last gave a sign of life, as TimeText() of the
// other machine.
Status NoteElsewhere(const std::filesystem::path& run, const std::string& time);
Status ForgetElsewhere(const std::filesystem::path& run);

// Whether such a sign is less than a minute old, by the clocks of both machines.
bool WorksElsewhere(const std::filesystem::path& run);

}  // namespace protium
