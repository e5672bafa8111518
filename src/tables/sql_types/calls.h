// SPDX-License-Identifier: Apache-2.0
// What calls mean, depending on the types of their arguments: one rule for each family of
// functions, found by name. Functions without a rule are typed by their row in sql_words/functions.
// To add a rule, add a line below, one in the table of calls.cc, and cases in
// tests/parity/expressions.tsv.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql_types/typer.h"

namespace protium {

// A call while a rule handles it. The node and the typer outlive it.
struct TypedCall {
  Typer& typer;
  Json& node;  // A FUNCTION or WINDOW; its arguments are rewritten.
  std::string name;
  // The types of the arguments; the casts below update them.
  std::vector<SqlType> types;

  // Whether the type of any argument is unknown.
  bool AnyUnknown() const {
    return std::find(types.begin(), types.end(), SqlType{}) != types.end();
  }
  // Whether an argument is a constant NULL: for a NULL that is a list or a map, DuckDB's functions
  // return an INTEGER, whatever its elements are.
  bool AnyNullConstant() const;
  Json& argument(size_t i) { return node["children"][i]; }
  // Casts argument `i`, if its type is known and different.
  void CoerceTo(size_t i, const SqlType& type);
  // Casts all arguments from `first` on.
  void CoerceAll(const SqlType& type, size_t first = 0);
  // Puts a cast around the whole call where DuckDB returns another type than Spark. Afterwards
  // `node` is the cast.
  void CastResult(const SqlType& type);
  // Spark's names of the types of the arguments, for messages.
  std::string TypeNames() const;
  // Makes a fault (kUsage) at the position of the call.
  Status Refuse(std::string what, std::string why, std::string fix) const;
};

// Returns the type of the call; unknown leaves it to DuckDB. A rule may replace the node.
using CallRule = Result<SqlType> (*)(TypedCall& call);

// Finds the rule of a function by its name in lower case; nullptr if it has none.
CallRule FindCallRule(std::string_view name);

// The rules, by file.
Result<SqlType> TypeSum(TypedCall& call);       // + -, also of dates; with one argument, as is abs
Result<SqlType> TypeInterval(TypedCall& call);  // + - * / with a time or an interval
Result<SqlType> TypeUnits(TypedCall& call);     // INTERVAL 1 DAY: to_days and the like
Result<SqlType> TypeDatePart(TypedCall& call);  // extract()
Result<SqlType> TypeMadeTime(TypedCall& call);  // make_timestamp and the like
Result<SqlType> TypeProduct(TypedCall& call);   // * / % mod pmod try_divide
Result<SqlType> TypeTried(TypedCall& call);     // try_add try_subtract try_multiply try_mod
Result<SqlType> TypeReadNumber(TypedCall& call);   // to_number try_to_number
Result<SqlType> TypeWriteNumber(TypedCall& call);  // to_char to_varchar
Result<SqlType> TypeDivision(TypedCall& call);     // div
Result<SqlType> TypeBits(TypedCall& call);         // & | ^ << >> ~
Result<SqlType> TypeRounded(TypedCall& call);      // round bround
Result<SqlType> TypeWhole(TypedCall& call);        // floor ceil
Result<SqlType> TypeTotal(TypedCall& call);        // sum try_sum
Result<SqlType> TypeMoment(TypedCall& call);       // var_pop corr regr_slope ...
Result<SqlType> TypeMean(TypedCall& call);         // avg try_avg
Result<SqlType> TypePercentile(TypedCall& call);   // percentile percentile_approx
Result<SqlType> TypeJoinedText(TypedCall& call);   // || concat
Result<SqlType> TypeChoice(TypedCall& call);       // if nvl greatest ...
Result<SqlType> TypeConcatWs(TypedCall& call);
Result<SqlType> TypeDistinctEstimate(TypedCall& call);  // approx_count_distinct
Result<SqlType> TypeElt(TypedCall& call);
Result<SqlType> TypeFormatNumber(TypedCall& call);
Result<SqlType> TypeFormatString(TypedCall& call);  // format_string printf
Result<SqlType> TypeFromJson(TypedCall& call);
Result<SqlType> TypeHash(TypedCall& call);  // hash xxhash64
Result<SqlType> TypeHex(TypedCall& call);
Result<SqlType> TypeListagg(TypedCall& call);  // listagg string_agg
Result<SqlType> TypeSchemaOfJson(TypedCall& call);
Result<SqlType> TypeTextOrBytes(TypedCall& call);  // length left substring ...
Result<SqlType> TypeToJson(TypedCall& call);
Result<SqlType> TypeNullIf(TypedCall& call);
Result<SqlType> TypeCastCall(TypedCall& call);  // pt_to_bigint and the like
Result<SqlType> TypeLiteral(TypedCall& call);   // pt_literal_bigint, which is 7L
Result<SqlType> TypeTypeOf(TypedCall& call);
Result<SqlType> TypeArray(TypedCall& call);
Result<SqlType> TypeNested(TypedCall& call);   // Most functions of lists and maps.
Result<SqlType> TypeElement(TypedCall& call);  // l[i] m[k] element_at try_element_at
Result<SqlType> TypeMapOf(TypedCall& call);    // map
Result<SqlType> TypeStructPack(TypedCall& call);
Result<SqlType> TypeRow(TypedCall& call);
Result<SqlType> TypeStructField(TypedCall& call);    // struct_extract
Result<SqlType> TypeTransformed(TypedCall& call);    // list_transform
Result<SqlType> TypeFiltered(TypedCall& call);       // list_filter
Result<SqlType> TypeReduced(TypedCall& call);        // list_reduce
Result<SqlType> TypeListCondition(TypedCall& call);  // pt_any_true pt_all_true
Result<SqlType> TypeArraysZip(TypedCall& call);
Result<SqlType> TypeCollected(TypedCall& call);  // list, from collect_list and collect_set
Result<SqlType> TypeExtreme(TypedCall& call);    // max min
Result<SqlType> TypeExtremeBy(TypedCall& call);  // max_by min_by
Result<SqlType> TypeReversed(TypedCall& call);
Result<SqlType> TypeGenerator(TypedCall& call);  // explode and the like within an expression
Result<SqlType> TypeSequence(TypedCall& call);
Result<SqlType> TypeBySignature(TypedCall& call);  // All others: see signatures.cc.

// Refuses a call because two parts of a list or map have no common type.
Status RefuseParts(const TypedCall& call, const SqlType& part, const SqlType& other);
// Refuses an aggregate that the embedded engine computes only for groups.
Status RefuseWindow(const TypedCall& call);

// Returns the type of concat() or || of nothing but binary; nothing for other arguments.
std::optional<SqlType> JoinBytes(TypedCall& call);

// Writes a call of pt_decimal_<scale>('<operation>', first, second), which computes exactly and
// rounds once, to the scale of `result`. Operations: + - * / %, p for pmod, d for div, and r e f c
// for round, bround, floor and ceil to `second` digits (java/decimal_arithmetic.h). With `tried`,
// overflow and division by zero give NULL.
Json DecimalCall(char operation, Json first, Json second, const SqlType& result,
                 bool tried = false);

}  // namespace protium
