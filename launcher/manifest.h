// SPDX-License-Identifier: Apache-2.0
// A bundle's list of files (spark/ship/bundle_format.h), believed only as far as it was checked.
#pragma once

#include <stdint.h>

#include "launcher/text.h"
#include "spark/ship/bundle_format.h"

namespace protium::launcher {

struct Manifest {
  char* text = nullptr;  // Of `size` bytes, by malloc.
  int64_t size = 0;
  char cpu[512] = "";  // Names of features, each followed by a space.
  int64_t total = 0;   // Of all files, in bytes.
  int64_t files = 0;   // Where their lines begin.
};

struct File {
  bool is_program = false;
  int64_t size = 0;
  char hash[kHashDigits + 1] = "";
  char name[kMaxBundleName + 1] = "";
};

// Reads `size` bytes at the current place of `fd` whose hash must be `hash`, and checks every line.
// False: the manifest is damaged or is another one.
bool ReadManifest(int fd, int64_t size, const char* hash, Manifest* manifest);
void Free(Manifest* manifest);

// The file whose line starts at *next, which moves to the following one; false after the last.
bool NextFile(const Manifest& manifest, int64_t* next, File* file);

// Features that this processor lacks, with a space before each; empty when it has all.
Text MissingFeatures(const Manifest& manifest);

}  // namespace protium::launcher
