// SPDX-License-Identifier: Apache-2.0
// Questions to which every engine must give the same answer: cases/<name>.sql, one per file.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plan/node.h"
#include "tables.h"

namespace protium {

// The folder of cases, answers and tables.
inline const std::filesystem::path kFolder = PROTIUM_PARITY_FOLDER;

using MakeCase = std::function<Plan(const Tables&)>;

// The content of the comments at the top of a file.
struct Case {
  std::string name;
  MakeCase plan;
  bool ordered = false;            // -- ordered: the order of the rows is part of the answer.
  std::vector<std::string> fails;  // -- fails: a|b: every engine fails, naming one of these.
  std::string refused;             // -- refused: x: the local engine refuses, naming x.
};

// In the order of their names.
Result<std::vector<Case>> ReadCases(const std::filesystem::path& folder);

// Cases whose files say "-- built in code": plans of verbs and expressions. Their SQL is the same
// question in the form that Spark gets.
const std::map<std::string, MakeCase>& CodedCases();

}  // namespace protium
