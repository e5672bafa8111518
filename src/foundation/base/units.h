// SPDX-License-Identifier: Apache-2.0
// Sizes as people read them, in units of 1024 like memory and limits.
#pragma once

#include <string>

namespace protium {

// "17 bytes", "64 KiB", "1.9 MiB", "23.5 GiB", "120 GiB": in the largest unit of which there is
// at least one.
std::string BytesText(double bytes);

}  // namespace protium
