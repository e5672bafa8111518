// SPDX-License-Identifier: Apache-2.0
// What the prompt handles besides SQL: commands that begin with a backslash, and the words that Tab
// offers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspect/folder_tables.h"
#include "prompt/query.h"
#include "terminal/arguments.h"

namespace protium {

// Whether the first non-blank character is a backslash.
bool IsCommand(std::string_view line);

// Runs \d, \d TABLE or \?, and prints the result; any other command is a fault of Exit::kUsage. \q
// is left to the caller.
Status RunCommand(const std::string& line, const Arguments& arguments, Queries& queries);
bool IsQuit(std::string_view line);

// The words that may complete a query being typed. Reads the tables' folder every time, and each
// small table that the query mentions once.
class Words {
 public:
  explicit Words(Queries& queries) : queries_(queries) {}
  // Returns commands, tables and views, columns of the tables that `query` mentions, functions
  // followed by "(", and keywords; `query` is everything up to the cursor.
  std::vector<std::string> For(const std::string& query);

 private:
  const std::vector<std::string>& ColumnsAt(const TablePlace& place);

  Queries& queries_;
  std::map<std::string, std::vector<std::string>> columns_;
};

}  // namespace protium
