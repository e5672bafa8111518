// SPDX-License-Identifier: Apache-2.0
// Takes the long message of a failed Spark job apart: which task failed where, and what ended it.
// The server knows that only as text (DAGScheduler and TaskSetManager write it).
#pragma once

#include <string>
#include <string_view>

namespace protium::connect {

struct JobFailure {
  // Of the exception that ended the task, without its class name and stack.
  std::string text;
  std::string where;  // "task 1 of stage 15 on 10.0.0.7 (executor 3)"; may be empty.
  // The text is the worker's own.
  bool from_worker = false;
  bool crashed = false;  // A worker ended without saying why.
};

// `text` is empty for a message of any other kind.
JobFailure ReadJobFailure(std::string_view message);

// The message of a PythonException without what Spark puts around the worker's text.
std::string_view WorkerPart(std::string_view message);

// Without "[ERROR_CLASS] " at the front and " SQLSTATE: 42703; line 1 pos 7" at the end.
std::string_view Bare(std::string_view text);

}  // namespace protium::connect
