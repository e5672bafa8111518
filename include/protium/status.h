// SPDX-License-Identifier: Apache-2.0
// Errors are values, never exceptions: a Status is an arrow::Status, a Result<T> an
// arrow::Result<T>. An error that a user can cause is a Fault inside the status, which carries the
// exit code and the parts of the message across rooms, processes and hosts. Implemented by the room
// base.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <string>
#include <string_view>

namespace protium {

using arrow::Status;

template <class T>
using Result = arrow::Result<T>;

// Exit codes of the command; `protium help exit-codes` prints the same list. 70 is EX_SOFTWARE and
// 75 EX_TEMPFAIL of sysexits.h.
enum class Exit : int {
  kDone = 0,
  kFailed = 1,       // The job ran and failed.
  kUsage = 2,        // The request is wrong; nothing was started.
  kInput = 3,        // An input is missing, unreadable or of the wrong shape.
  kEnvironment = 4,  // Port, device, library, permission.
  kRemote = 5,       // Something remote is out of reach or refused.
  kNoRoom = 6,       // Memory or disk.
  kStalled = 7,      // A deadline passed.
  kBug = 70,         // A bug of ours; please report it.
  kStopped = 75,     // Stopped on purpose; resume continues from the last checkpoint.
};

// One cause, reported once. `what` says what happened, with the value, in lower case and without a
// full stop; the other parts are optional and not printed when empty. Fail() shortens a text of
// more than 1500 bytes in the middle.
struct Fault {
  Exit exit = Exit::kFailed;
  std::string what;
  std::string where;  // file:line:column, table and column, or rank and log.
  std::string why;
  std::string fix;   // What to do next: a command or an edit, ready to paste.
  std::string kept;  // What was left untouched, or saved.
};

// Wraps `fault` in a status. A kBug without a fix gets one that asks for a report.
Status Fail(Fault fault);

// Returns the fault inside a status that is not OK. A plain status, such as one from Arrow itself,
// becomes a fault with its message: Invalid, KeyError, TypeError and IndexError are bugs of ours
// and kBug (what users cause is always a Fault); IOError is kInput, OutOfMemory and CapacityError
// kNoRoom, Cancelled kStopped, all others kFailed.
Fault FaultOf(const Status& status);

// Puts "doing: " in front of `what` and keeps the rest of the fault. OK stays OK.
Status Annotate(const Status& status, std::string_view doing);

// The message as printed on stderr: "error: ..." and one indented line per part. Ends with a line
// break.
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

// Declares `decl` from the value of the Result `expr`, or returns early with its status. It is more
// than one statement: use braces after an `if`, and at most one per source line.
#define PT_LET(decl, expr) PT_LET_(PT_CONCAT(pt_result_, __LINE__), decl, expr)
#define PT_LET_(result, decl, expr) \
  auto&& result = (expr);           \
  if (!result.ok()) [[unlikely]]    \
    return result.status();         \
  decl = std::move(result).MoveValueUnsafe()
