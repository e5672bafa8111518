// SPDX-License-Identifier: Apache-2.0
#include "launcher/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/hash.h"

namespace protium::launcher {
namespace {

constexpr char kNameLetters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";

// Reads a line from left to right; every step fails if the text is not as expected. The text ends
// with a zero, so no step can run past it.
struct Cursor {
  const char* at;

  bool Literal(const char* text) {
    if (!StartsWith(at, text)) return false;
    at += strlen(text);
    return true;
  }

  bool Number(int64_t* value) {
    size_t digits = strspn(at, "0123456789");
    // Twelve digits cannot overflow, even when added up.
    if (digits == 0 || digits > 12) return false;
    *value = 0;
    for (size_t i = 0; i < digits; ++i) *value = *value * 10 + (*at++ - '0');
    return true;
  }

  // Reads a word of `letters`, followed by the character `end`.
  bool Word(const char* letters, char end, char* into, size_t room) {
    size_t size = strspn(at, letters);
    if (size == 0 || size >= room || at[size] != end) return false;
    memcpy(into, at, size);
    into[size] = 0;
    at += size + 1;
    return true;
  }
};

bool ReadFile(Cursor* line, File* file) {
  file->is_program = StartsWith(line->at, "x ");
  if (!line->Literal(file->is_program ? "x " : "f ") || !line->Number(&file->size) ||
      !line->Literal(" ") || !line->Word("0123456789abcdef", ' ', file->hash, sizeof file->hash) ||
      strlen(file->hash) != kHashDigits) {
    return false;
  }
  const char* folder = StartsWith(line->at, "bin/") ? "bin/" : "lib/";
  if (!line->Literal(folder) || line->at[0] == '.') return false;
  size_t prefix = strlen(folder);
  memcpy(file->name, folder, prefix);
  return line->Word(kNameLetters, '\n', file->name + prefix, sizeof file->name - prefix);
}

bool ReadHead(Manifest* manifest) {
  Cursor line{manifest->text};
  if (!line.Literal("protium bundle 1\ncpu ")) return false;
  if (*line.at != '\n' && !line.Word("abcdefghijklmnopqrstuvwxyz0123456789.- ", '\n', manifest->cpu,
                                     sizeof manifest->cpu - 1)) {
    return false;
  }
  if (manifest->cpu[0] == 0) ++line.at;
  if (!line.Literal("total ") || !line.Number(&manifest->total) || !line.Literal("\n")) {
    return false;
  }
  manifest->files = line.at - manifest->text;
  return manifest->total <= kMaxBundleBytes;
}

bool Check(Manifest* manifest) {
  if (strlen(manifest->text) != static_cast<size_t>(manifest->size) || !ReadHead(manifest)) {
    return false;
  }
  int64_t sum = 0;
  Cursor line{manifest->text + manifest->files};
  while (*line.at != 0) {
    File file;
    if (!ReadFile(&line, &file) || file.size > kMaxBundleBytes) return false;
    sum += file.size;
    if (sum > manifest->total) return false;
  }
  return sum == manifest->total;
}

// __builtin_cpu_supports takes literals only.
bool Has(const char* feature) {
#define PT_FEATURE(name) \
  if (strcmp(feature, name) == 0) return __builtin_cpu_supports(name)
  PT_FEATURE("sse3");
  PT_FEATURE("ssse3");
  PT_FEATURE("sse4.1");
  PT_FEATURE("sse4.2");
  PT_FEATURE("popcnt");
  PT_FEATURE("avx");
  PT_FEATURE("avx2");
  PT_FEATURE("fma");
  PT_FEATURE("bmi");
  PT_FEATURE("bmi2");
  PT_FEATURE("avx512f");
  PT_FEATURE("avx512bw");
  PT_FEATURE("avx512cd");
  PT_FEATURE("avx512dq");
  PT_FEATURE("avx512vl");
#undef PT_FEATURE
  return false;
}

}  // namespace

bool ReadManifest(int fd, int64_t size, const char* hash, Manifest* manifest) {
  if (size <= 0 || size > kMaxBundleListBytes) return false;
  *manifest = {.text = static_cast<char*>(calloc(size + 1, 1)), .size = size};
  if (manifest->text == nullptr) return false;
  int64_t filled = 0;
  while (filled < size) {
    ssize_t got = read(fd, manifest->text + filled, size - filled);
    if (got <= 0) return Free(manifest), false;
    filled += got;
  }
  Hash computed;
  computed.Add(manifest->text, size);
  if (computed.Is(hash) && Check(manifest)) return true;
  Free(manifest);
  return false;
}

void Free(Manifest* manifest) {
  free(manifest->text);
  manifest->text = nullptr;
}

bool NextFile(const Manifest& manifest, int64_t* next, File* file) {
  Cursor line{manifest.text + *next};
  if (*line.at == 0 || !ReadFile(&line, file)) return false;
  *next = line.at - manifest.text;
  return true;
}

Text MissingFeatures(const Manifest& manifest) {
  Text missing;
  char features[sizeof manifest.cpu];
  strcpy(features, manifest.cpu);
  char* rest = nullptr;
  for (char* name = strtok_r(features, " ", &rest); name; name = strtok_r(nullptr, " ", &rest)) {
    if (!Has(name)) Append(&missing, " %s", name);
  }
  return missing;
}

}  // namespace protium::launcher
