// SPDX-License-Identifier: Apache-2.0
// What calls mean by the types of their arguments: one rule a family of functions, by name. What
// needs no rule is typed by its row in the tables of functions. To add a rule: a line below, one in
// the table of calls.cc, and cases in tests/parity/expressions.tsv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/types/typer.h"

namespace protium {

struct TypedCall {
  Typer& typer;
  Json& node;  // A FUNCTION or a WINDOW, whose arguments are typed and spelled by now.
  std::string name;
  std::vector<SqlType> types;

  Json& argument(size_t i) { return node["children"][i]; }
  void CoerceTo(size_t i, const SqlType& type);
  // Casts all arguments from the `first` on.
  void CoerceAll(const SqlType& type, size_t first = 0);
  // Casts the result, which DuckDB computes in another type.
  void CastResult(const SqlType& type);
  Status Refuse(std::string what, std::string why, std::string fix) const;
};

// Gives the type of the call, whose node it may replace.
using CallRule = Result<SqlType> (*)(TypedCall& call);

// nullptr for a function without a rule.
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
Result<SqlType> TypeExploded(TypedCall& call);  // explode explode_outer
Result<SqlType> TypeSequence(TypedCall& call);
Result<SqlType> TypeBySignature(TypedCall& call);  // All else: see signatures.cc.

// `first` operation `second` in decimals: DuckDB's own operators know other types of result.
Json DecimalCall(char operation, Json first, Json second, const SqlType& result);

}  // namespace protium
