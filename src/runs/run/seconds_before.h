// SPDX-License-Identifier: Apache-2.0
// Reads the time that earlier commands spent on a run, so that a resumed run reports its whole
// cost.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/json.h"

namespace protium {

// "2026-01-31T08:15:00.123Z" as seconds since 1970; negative for anything else.
double ParseSeconds(std::string_view time);

// The "seconds" of the commands so far: the parts from result.json, the total from the times of the
// events, which also cover killed commands. Empty for a run without events.
Json SecondsBefore(const std::filesystem::path& run);

// Adds the time of earlier commands to `seconds`. "first_step" stays that of the first command: it
// says how long the user waited for training to begin.
void AddSecondsBefore(const Json& before, Json& seconds);

}  // namespace protium
