// SPDX-License-Identifier: Apache-2.0
// How everything here says that something went wrong: a value, never an exception. A Status is an
// arrow::Status, a Result<T> an arrow::Result<T>. Implemented by the room base.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <string>
#include <string_view>

namespace protium {

using arrow::Status;

template <class T>
using Result = arrow::Result<T>;

// Exit codes of the command; `protium help exit-codes` prints the same list.
enum class Exit : int {
  kDone = 0,
  kFailed = 1,       // The job ran and failed.
  kUsage = 2,        // The request is wrong; nothing was started.
  kInput = 3,        // An input is missing, unreadable or of the wrong shape.
  kEnvironment = 4,  // Port, device, library, permission.
  kRemote = 5,       // Something remote is out of reach or refused.
  kNoRoom = 6,       // Memory or disk.
  kStalled = 7,      // A deadline passed.
  kBug = 70,
  kStopped = 75,  // Stopped on purpose; resume goes on from the last checkpoint.
};

// One cause, told once. `what` says what happened, with the value, lower-case and without a full
// stop; the others are left out when empty.
struct Fault {
  Exit exit = Exit::kFailed;
  std::string what;
  std::string where;  // file:line:column, table and column, rank and log.
  std::string why;
  std::string fix;   // A command or an edit that can be pasted.
  std::string kept;  // What was left untouched or saved.
};

// Wraps `fault` into a status that carries it through every room and process; kBug gets a fix.
Status Fail(Fault fault);

// Gives the fault a status carries; a status without one becomes a fault of its message.
// A plain Invalid, KeyError, TypeError or IndexError is a mistake of ours, kBug; IOError is kInput,
// OutOfMemory and CapacityError kNoRoom, Cancelled kStopped, all others kFailed.
Fault FaultOf(const Status& status);

// Puts "doing: " before what happened, keeping the rest of the fault.
Status Annotate(const Status& status, std::string_view doing);

// Renders the block that goes to stderr, ending with a line break.
std::string Render(const Fault& fault);

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
