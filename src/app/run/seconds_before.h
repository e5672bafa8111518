// SPDX-License-Identifier: Apache-2.0
// A run that goes on has taken time already.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/json.h"

namespace protium {

// Seconds since 1970 of "2026-01-31T08:15:00.123Z", or a negative number for what is no time.
double SecondsOf(std::string_view time);

// The "seconds" of the attempts so far: the parts as result.json has them, the total as the events
// tell it, also of attempts that were killed. Empty for a run that has not begun.
Json SecondsBefore(const std::filesystem::path& run);

// Adds what earlier attempts took to `seconds`; the first step was the first attempt's.
void AddSecondsBefore(const Json& before, Json& seconds);

}  // namespace protium
