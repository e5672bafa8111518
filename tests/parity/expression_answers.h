// SPDX-License-Identifier: Apache-2.0
// What engines answer to expressions, and how two answers compare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "expressions.h"
#include "tables.h"

namespace protium {

// The rows that expressions are asked of: those of a table, or what a SELECT makes of them.
struct AskedRows {
  std::string table = "typed";
  std::string from = "typed";  // As a FROM takes it.
};

// An answer is Spark's name of the type and the value's text in every row, in the order of the ids,
// put together with "|"; or "!fails", or "!refused" and what is refused.
struct Answered {
  Expression asked;
  std::string answer;
};

// Asks in one SELECT for many; for fewer where one fails.
Result<std::vector<Answered>> Ask(Engine& engine, const Tables& tables,
                                  const std::vector<Expression>& asked, const AskedRows& rows = {});

enum class Verdict {
  kAlike,    // Doubles may be written with more digits: Java did so before its release 19.
  kRefused,  // By the local engine, by name.
  kFails,    // At the local engine alone: it may evaluate what Spark leaves out.
  kAnswers,  // At the local engine alone: it may leave out what Spark evaluates.
  kDifferent,
};

Verdict Compare(const std::string& spark, const std::string& ours);

// One line an answer: "row" or "total", the expression and the answer, between tabs.
Result<std::vector<Answered>> ReadAnswers(const std::filesystem::path& path);
std::string WriteAnswers(const std::vector<Answered>& answers);

}  // namespace protium
