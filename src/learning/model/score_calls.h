// SPDX-License-Identifier: Apache-2.0
// Finds the calls score('MODEL', rows) among the tables of a SQL text.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// A call, with its byte positions in the text.
struct ScoreCall {
  size_t begin = 0, end = 0;
  std::string model;  // As written between the quotes.
  // "SELECT ..." for the rows. Repeats those WITH definitions of the text before the call that the
  // rows read.
  std::string rows;
};

// Returns the calls in order. Fails with Exit::kUsage if the name is used other than as a table, or
// not as such a call.
Result<std::vector<ScoreCall>> FindScoreCalls(const std::string& text);

}  // namespace protium
