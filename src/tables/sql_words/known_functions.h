// SPDX-License-Identifier: Apache-2.0
// What is known about the functions that SQL text may call: whether DuckDB, with our macros, and
// Spark compute the same. Each row is a claim, tested by tests/parity/functions.csv.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// What a call of the function is worth on the other engine.
enum class Meaning {
  kSame,
  kNotExact,  // The same except for what `reason` says; noted in the plan.
  kRefused,   // Different or on one engine only; `reason` says why.
};

// All texts are constants of the tables in sql_words/functions.
struct KnownFunction {
  std::string_view name;  // In lower case; operators by their sign.
  Meaning meaning = Meaning::kSame;
  // For messages: why it is not the same, and what to write instead; "" if there is nothing to say.
  std::string_view reason;
  std::string_view fix;
  // What DuckDB's parser makes of another form, such as an interval: users must not call it.
  bool parsed = false;
};

// Finds a function by its name in lower case; nullptr for unknown names and for the pieces (pt_...)
// of macros, which users must not call. A function that a macro makes behave as in Spark is kSame.
const KnownFunction* FindKnownFunction(std::string_view name);

// The functions of a theme ("dates"), sorted by name.
struct FunctionTheme {
  std::string_view name;
  std::vector<const KnownFunction*> functions;
};

// All of them, including refused ones, but not the pieces (pt_...) and what only the parser calls.
std::vector<FunctionTheme> KnownFunctions();

// The names to suggest for a misspelt one: those that are not refused.
std::vector<std::string> KnownFunctionNames();

}  // namespace protium
