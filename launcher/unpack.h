// SPDX-License-Identifier: Apache-2.0
// Unpacking a bundle, with every hash checked on the way.
#pragma once

#include "launcher/manifest.h"

namespace protium::launcher {

// A bundle's file, open behind its manifest, which was checked.
struct BundleFile {
  int fd = -1;
  Manifest manifest;
};

// False: it is damaged, and `why` says how. `fd` stays the caller's; the manifest is to be freed.
bool OpenBundleFile(int fd, const char* hash, BundleFile* bundle, Text* why);

// kDamaged: no other place would help. kNotWritten: another place may.
enum class Unpacked { kWhole, kDamaged, kNotWritten };

// Writes the bundle's files and its manifest into the empty folder `folder`. If it fails, `why`
// says what went wrong, and the folder is left as it is, for the caller to remove.
Unpacked Unpack(const BundleFile& bundle, int folder, Text* why);

}  // namespace protium::launcher
