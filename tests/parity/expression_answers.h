// SPDX-License-Identifier: Apache-2.0
// The answers of engines to expressions, and how two answers compare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "expressions.h"
#include "tables.h"

namespace protium {

// The rows that expressions are evaluated on: those of a table, or the result of a SELECT.
struct AskedRows {
  std::string table = "typed";
  std::string from = "typed";  // As written after FROM.
};

// Spark's name of the type and the value's text in every row, in the order of the ids, joined by
// "|"; or "!fails", or "!refused" and what is refused.
struct Answered {
  Expression asked;
  std::string answer;
};

// Evaluates many in one SELECT; fewer if one fails.
Result<std::vector<Answered>> Ask(Engine& engine, const Tables& tables,
                                  const std::vector<Expression>& asked, const AskedRows& rows = {});

enum class Verdict {
  kAlike,    // Doubles may be written with more digits: Java did so before its release 19.
  kRefused,  // By the local engine, by name.
  kFails,    // Only on the local engine: it may evaluate what Spark leaves out.
  kAnswers,  // Only on the local engine: it may leave out what Spark evaluates.
  kDifferent,
};

Verdict Compare(const std::string& spark, const std::string& ours);

// One line per answer: "row" or "total", the expression and the answer, separated by tabs.
Result<std::vector<Answered>> ReadAnswers(const std::filesystem::path& path);
std::string WriteAnswers(const std::vector<Answered>& answers);

}  // namespace protium
