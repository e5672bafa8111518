// SPDX-License-Identifier: Apache-2.0
// Where a text of SQL has score('MODEL', rows) among its tables.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// A call, by the bytes of the text that it stands in.
struct ScoreCall {
  size_t begin = 0, end = 0;
  std::string model;  // As written between the quotes.
  // "SELECT ..." of the rows. What the text names by WITH before the call, and the rows read, is
  // named here again.
  std::string rows;
};

// In their order. A use of the name that is no table, or no such call, is a fault of Exit::kUsage.
Result<std::vector<ScoreCall>> FindScoreCalls(const std::string& text);

}  // namespace protium
