// SPDX-License-Identifier: Apache-2.0
// Adds to the Status and Result of the public headers.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "protium/status.h"

// Ends the process if `condition` does not hold, which only a bug of ours can cause.
#define PT_CHECK(condition)                                                                     \
  do {                                                                                          \
    if (!(condition)) [[unlikely]] {                                                            \
      std::fprintf(stderr, "bug: %s does not hold at %s:%d\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                             \
    }                                                                                           \
  } while (false)
