// SPDX-License-Identifier: Apache-2.0
// Sizes as people read them, in units of 1024 like memory and limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// "17 bytes", "64 KiB", "1.9 MiB", "23.5 GiB", "120 GiB": in the largest unit of which there is
// at least one.
std::string BytesText(double bytes);

// Returns "4 GiB", "500 MB" or "1024" as bytes; a plain Invalid for anything else.
Result<int64_t> ReadBytes(const std::string& text);

// The same of the option at `path`, whose mistake it then is: 0 if the text is empty.
Result<int64_t> SizeAt(const std::string& path, const std::string& text);

// Returns the microseconds of "5 minutes", "1 hour", "30 s": a whole number and one of seconds,
// minutes, hours and days, also in the singular and as s, min, h and d; nullopt for anything else
// and for more than a thousand years.
std::optional<int64_t> MicrosOf(std::string_view text);

}  // namespace protium
