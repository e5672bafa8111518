// SPDX-License-Identifier: Apache-2.0
// What the house adds to the door's Status and Result.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "protium/status.h"

// Ends the process when `condition`, which only a bug of ours can break, does not hold.
#define PT_CHECK(condition)                                                                     \
  do {                                                                                          \
    if (!(condition)) [[unlikely]] {                                                            \
      std::fprintf(stderr, "bug: %s does not hold at %s:%d\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                             \
    }                                                                                           \
  } while (false)
