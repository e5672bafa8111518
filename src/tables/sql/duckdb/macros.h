// SPDX-License-Identifier: Apache-2.0
// What DuckDB computes otherwise than Spark, or lacks: a macro for each such function of
// sql_words/functions, by the same themes. What has no row here is Spark's already. Three habits of
// the bodies:
//   - Macros have no variable arguments, so there is one overload for each number of arguments.
//   - A macro is expanded before types are known, so a branch for another type must still bind:
//     CASE WHEN typeof(x) = 'DOUBLE' THEN ceil(TRY_CAST(x AS DOUBLE)) ... END.
//   - CASE evaluates only the branch that is taken, so error('...') in another one does no harm.
// system.main.f is DuckDB's own f, which a macro of that name hides.
#pragma once

#include <span>
#include <string_view>

namespace protium {

// CREATE MACRO <name> <body>.
struct Macro {
  std::string_view name;
  std::string_view body;  // "(a, b) AS ..., (a, b, c) AS ..."

  // Whether its first body is more than one call, which takes no OVER, FILTER or DISTINCT.
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
std::span<const Macro> Pieces();  // pt_..., of which the others are made, and which rules call.
std::span<const Macro> Text();

}  // namespace macros
}  // namespace protium
