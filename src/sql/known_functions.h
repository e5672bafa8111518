// SPDX-License-Identifier: Apache-2.0
// What is known of the functions that SQL text may call: do DuckDB, with our macros, and Spark mean
// the same? That is a claim of each row, held by tests/parity/functions.csv.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

enum class Meaning {
  kSame,
  kNotExact,  // The same up to what `reason` says.
  kRefused,   // Different, or on one engine only, for `reason`.
};

struct KnownFunction {
  std::string_view name;  // Lower-case; operators by their sign.
  Meaning meaning = Meaning::kSame;
  std::string_view reason;
  std::string_view fix;
  bool composed = false;  // Made of several of DuckDB's, which cannot stand over a window.
};

// Gives nullptr for a name that is not in the table. Macros of the prelude are kSame.
const KnownFunction* FindKnownFunction(std::string_view name);

std::vector<std::string> KnownFunctionNames();

}  // namespace protium
