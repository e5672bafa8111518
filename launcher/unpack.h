// SPDX-License-Identifier: Apache-2.0
// Unpacks a bundle and checks every hash on the way.
#pragma once

#include "launcher/manifest.h"

namespace protium::launcher {

// A bundle's file, open just behind its manifest, which has been checked.
struct BundleFile {
  int fd = -1;
  Manifest manifest;
};

// Opens it. False: it is damaged, and `why` says how. `fd` stays the caller's; the caller frees the
// manifest.
bool OpenBundleFile(int fd, const char* hash, BundleFile* bundle, Text* why);

// kDamaged: another folder would not help. kNotWritten: another folder may.
enum class Unpacked { kWhole, kDamaged, kNotWritten };

// Writes the bundle's files and its manifest into the empty folder `folder`. If it fails, `why`
// gives the reason, and the folder is left as it is for the caller to remove.
Unpacked Unpack(const BundleFile& bundle, int folder, Text* why);

}  // namespace protium::launcher
