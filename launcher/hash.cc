// SPDX-License-Identifier: Apache-2.0
#include "launcher/hash.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

namespace protium::launcher {

Hash::Hash() : state_(XXH3_createState()) {
  if (state_ == nullptr) abort();
  XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_));
}

Hash::~Hash() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

void Hash::Add(const void* bytes, size_t size) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes, size);
}

bool Hash::Is(const char* digits) const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(static_cast<XXH3_state_t*>(state_)));
  char text[2 * sizeof canonical.digest + 1] = "";
  for (size_t i = 0; i < sizeof canonical.digest; ++i) {
    text[2 * i] = "0123456789abcdef"[canonical.digest[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[canonical.digest[i] & 15];
  }
  return strcmp(text, digits) == 0;
}

}  // namespace protium::launcher
