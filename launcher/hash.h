// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

namespace protium::launcher {

// XXH3-128 of a stream of bytes.
class Hash {
 public:
  Hash();
  Hash(const Hash&) = delete;
  ~Hash();
  void Add(const void* bytes, size_t size);
  // Whether it is the one that `digits` stand for.
  bool Is(const char* digits) const;

 private:
  void* state_;
};

}  // namespace protium::launcher
