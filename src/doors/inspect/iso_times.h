// SPDX-License-Identifier: Apache-2.0
// Times of ISO 8601 that the CSV reader leaves as texts: those with an offset or with nanoseconds.
#pragma once

#include <string_view>

namespace protium {

// Whether this is a date and a time of day such as "2024-02-16T00:36:02+02:00" or
// "2024-03-10 20:49:05.581068243", as to_timestamp() reads them without a pattern.
bool IsIsoTime(std::string_view text);

}  // namespace protium
