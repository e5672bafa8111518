// SPDX-License-Identifier: Apache-2.0
// Parses the long message of a failed Spark job: which task failed where, and what ended it. The
// server has this only as text (DAGScheduler and TaskSetManager write it).
#pragma once

#include <string>
#include <string_view>

namespace protium::connect {

struct JobFailure {
  // The exception that ended the task, without its class name and stack.
  std::string text;
  std::string where;  // "task 1 of stage 15 on 10.0.0.7 (executor 3)"; may be empty.
  // The text is the worker's own.
  bool from_worker = false;
  bool crashed = false;  // A worker ended without giving a reason.
};

// Returns an empty `text` for any other kind of message.
JobFailure ReadJobFailure(std::string_view message);

// Returns a PythonException's message without what Spark puts around the worker's text.
std::string_view WorkerPart(std::string_view message);

// Removes "[ERROR_CLASS] " at the front and " SQLSTATE: 42703; line 1 pos 7" at the end.
std::string_view Bare(std::string_view text);

}  // namespace protium::connect
