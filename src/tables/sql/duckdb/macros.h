// SPDX-License-Identifier: Apache-2.0
// Macros for what DuckDB lacks or computes differently from Spark, one for each such function of
// sql_words/functions, in the same themes. A function without a row here already behaves as in
// Spark. Three conventions of the bodies:
//   - Macros have no variable arguments, so there is one overload for each number of arguments.
//   - A macro is expanded before types are known, so a branch for another type must still bind:
//     CASE WHEN typeof(x) = 'DOUBLE' THEN ceil(TRY_CAST(x AS DOUBLE)) ... END.
//   - CASE evaluates only the branch that is taken, so error('...') in another one is harmless.
// system.main.f is DuckDB's own f, which a macro of that name hides.
#pragma once

#include <span>
#include <string_view>

namespace protium {

// CREATE MACRO <name> <body>.
struct Macro {
  std::string_view name;
  std::string_view body;  // "(a, b) AS ..., (a, b, c) AS ..."

  // Whether its first body is more than a single call, so that it takes no OVER, FILTER or
  // DISTINCT.
  constexpr bool IsComposed() const {
    const size_t begin = body.find(" AS ") + 4;
    return body.substr(begin).starts_with("CASE") || body.substr(begin).starts_with("coalesce");
  }
};

namespace macros {

std::span<const Macro> Aggregates();
std::span<const Macro> Conditions();
std::span<const Macro> Dates();
std::span<const Macro> JsonTexts();
std::span<const Macro> Lists();
std::span<const Macro> Numbers();
std::span<const Macro> Operators();
std::span<const Macro> Patterns();
std::span<const Macro> Pieces();  // pt_..., used by the other macros and by rules.
std::span<const Macro> Text();

}  // namespace macros
}  // namespace protium
