// SPDX-License-Identifier: Apache-2.0
// What calls mean by the types of their arguments: one rule for each family of functions, found by
// name. Functions without a rule are typed by their row in sql/functions. To add a rule: a line
// below, one in the table of calls.cc, and cases in tests/parity/expressions.tsv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/types/typer.h"

namespace protium {

// A call on its way through a rule. The node and the typer outlive it.
struct TypedCall {
  Typer& typer;
  Json& node;  // A FUNCTION or WINDOW; its arguments are rewritten.
  std::string name;
  // Of the arguments. Kept in step with the casts below.
  std::vector<SqlType> types;

  Json& argument(size_t i) { return node["children"][i]; }
  // Casts argument `i`, where it has another known type.
  void CoerceTo(size_t i, const SqlType& type);
  // Casts all arguments from `first` on.
  void CoerceAll(const SqlType& type, size_t first = 0);
  // Puts a cast around the whole call, where DuckDB returns another type than Spark. `node` is the
  // cast afterwards.
  void CastResult(const SqlType& type);
  // A fault (kUsage) at the place of the call.
  Status Refuse(std::string what, std::string why, std::string fix) const;
};

// Returns the type of the call. A rule may replace the node; unknown leaves it to DuckDB.
using CallRule = Result<SqlType> (*)(TypedCall& call);

// Finds the rule of a function by its name in lower case; nullptr if it has none.
CallRule FindCallRule(std::string_view name);

// The rules, by file.
Result<SqlType> TypeSum(TypedCall& call);       // + -, of dates, too; with one argument, as is abs
Result<SqlType> TypeProduct(TypedCall& call);   // * / % mod pmod try_divide
Result<SqlType> TypeTried(TypedCall& call);     // try_add try_subtract try_multiply try_mod
Result<SqlType> TypeDivision(TypedCall& call);  // div
Result<SqlType> TypeBits(TypedCall& call);      // & | ^ << >> ~
Result<SqlType> TypeRounded(TypedCall& call);   // round bround
Result<SqlType> TypeWhole(TypedCall& call);     // floor ceil
Result<SqlType> TypeTotal(TypedCall& call);     // sum
Result<SqlType> TypeMean(TypedCall& call);      // avg
Result<SqlType> TypeJoinedText(TypedCall& call);  // || concat concat_ws
Result<SqlType> TypeChoice(TypedCall& call);      // if nvl greatest ...
Result<SqlType> TypeNullIf(TypedCall& call);
Result<SqlType> TypeCastCall(TypedCall& call);  // pt_to_bigint and its kind
Result<SqlType> TypeLiteral(TypedCall& call);   // pt_literal_bigint, which is 7L
Result<SqlType> TypeTypeOf(TypedCall& call);
Result<SqlType> TypeArray(TypedCall& call);
Result<SqlType> TypeElement(TypedCall& call);  // l[i] m[k]
Result<SqlType> TypeReversed(TypedCall& call);
Result<SqlType> TypeNested(TypedCall& call);  // explode and its kind within an expression
Result<SqlType> TypeSequence(TypedCall& call);
Result<SqlType> TypeBySignature(TypedCall& call);  // The others: see signatures.cc.

// A call of pt_decimal_<scale>('<operation>', first, second), which computes exactly and rounds
// once, to the scale of `result`. Operations: + - * / %, p for pmod, d for div, and r e f c for
// round, bround, floor and ceil to `second` digits (local/functions/decimal_arithmetic.h).
Json DecimalCall(char operation, Json first, Json second, const SqlType& result);

}  // namespace protium
