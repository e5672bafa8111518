// SPDX-License-Identifier: Apache-2.0
// XXH3-128 of a stream of bytes, the hash of bundles.
#pragma once

#include <stddef.h>

namespace protium::launcher {

class Hash {
 public:
  Hash();
  Hash(const Hash&) = delete;
  ~Hash();
  void Add(const void* bytes, size_t size);
  // Whether the hash equals these 32 lower-case hex digits.
  bool Is(const char* digits) const;

 private:
  void* state_;
};

}  // namespace protium::launcher
