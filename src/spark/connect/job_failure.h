// SPDX-License-Identifier: Apache-2.0
// What the long message of a failed Spark job says, apart.
#pragma once

#include <string>
#include <string_view>

namespace protium::connect {

struct JobFailure {
  std::string text;          // Of the exception that ended the task, without its class and stack.
  std::string where;         // "task 1 of stage 15 on 10.0.0.7 (executor 3)"; may be empty.
  bool from_worker = false;  // The worker itself said the text.
  bool crashed = false;      // A worker ended without a word.
};

// Empty text when the message is not of that kind.
JobFailure ReadJobFailure(std::string_view message);

// The message of a PythonException without what Spark puts around the worker's own text.
std::string_view WorkerPart(std::string_view message);

// Without "[ERROR_CLASS] " in front and " SQLSTATE: 42703; line 1 pos 7" at the end.
std::string_view Bare(std::string_view text);

std::string_view Trimmed(std::string_view text);

}  // namespace protium::connect
