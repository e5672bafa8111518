// SPDX-License-Identifier: Apache-2.0
// Sizes as people read them, in units of 1024 like memory and limits.
#pragma once

#include <string>
#include <string_view>

namespace protium {

// "17 bytes", "64 KiB", "1.9 MiB", "23.5 GiB", "120 GiB": in the largest unit of which there is
// at least one.
std::string BytesText(double bytes);

// Returns the microseconds of "5 minutes", "1 hour", "30 s": a whole number and one of seconds,
// minutes, hours and days, also in the singular and as s, min, h and d; nullopt for anything else
// and for more than a thousand years.
std::optional<int64_t> MicrosOf(std::string_view text);

}  // namespace protium
