// SPDX-License-Identifier: Apache-2.0
// How every room says that something went wrong: a value, never an exception.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdio>
#include <cstdlib>

namespace protium {

using arrow::Status;

template <class T>
using Result = arrow::Result<T>;

}  // namespace protium

#define PT_CONCAT_(a, b) a##b
#define PT_CONCAT(a, b) PT_CONCAT_(a, b)

// Returns early with the status of `expr` unless it is OK. `expr` may be a Status or a Result.
#define PT_TRY(expr)                                     \
  do {                                                   \
    ::arrow::Status pt_status = ::arrow::ToStatus(expr); \
    if (!pt_status.ok()) [[unlikely]]                    \
      return pt_status;                                  \
  } while (false)

// Declares `decl` from the value of the Result `expr`, or returns early with its status.
#define PT_LET(decl, expr) PT_LET_(PT_CONCAT(pt_result_, __LINE__), decl, expr)
#define PT_LET_(result, decl, expr) \
  auto&& result = (expr);           \
  if (!result.ok()) [[unlikely]]    \
    return result.status();         \
  decl = std::move(result).MoveValueUnsafe()

// Ends the process when `condition`, which only a bug of ours can break, does not hold.
#define PT_CHECK(condition)                                                                     \
  do {                                                                                          \
    if (!(condition)) [[unlikely]] {                                                            \
      std::fprintf(stderr, "bug: %s does not hold at %s:%d\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                             \
    }                                                                                           \
  } while (false)
