// SPDX-License-Identifier: Apache-2.0
// A bundle's list of files (spark_worker/bundle_format.h). Nothing in it is trusted before its hash
// and every line are checked: names cannot leave the bundle's folder, and sizes add up to the
// total.
#pragma once

#include <stdint.h>

#include "launcher/text.h"
#include "spark_worker/bundle_format.h"

namespace protium::launcher {

struct Manifest {
  char* text = nullptr;  // `size` bytes and a zero, from malloc; see Free().
  int64_t size = 0;
  // Names of features, separated by spaces.
  char cpu[512] = "";
  // Bytes of all files, unpacked.
  int64_t total = 0;
  // Offset of the first file's line.
  int64_t files = 0;
};

// One line of the list.
struct File {
  bool is_program = false;
  int64_t size = 0;
  char hash[kHashDigits + 1] = "";
  char name[kMaxBundleName + 1] = "";
};

// Reads `size` bytes at the current offset of `fd`, whose hash must be `hash`, and checks every
// line. False: the manifest is damaged or is a different one; nothing is left to free.
bool ReadManifest(int fd, int64_t size, const char* hash, Manifest* manifest);
void Free(Manifest* manifest);

// Reads the file whose line starts at *next and advances *next to the following line; false after
// the last.
bool NextFile(const Manifest& manifest, int64_t* next, File* file);

// Features that this processor lacks, each after a space; empty if it has them all.
Text MissingFeatures(const Manifest& manifest);

}  // namespace protium::launcher
