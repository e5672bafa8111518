// SPDX-License-Identifier: Apache-2.0
// Calls, and what may follow their parentheses: words that only Spark has within them become
// commas, names or texts that DuckDB's parser accepts.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "sql_text/spark_reader.h"
#include "sql_text/spark_types.h"
#include "sql_words/generated_names.h"
#include "sql_words/json_schema.h"
#include "sql_words/known_functions.h"
#include "sql_words/literals.h"

namespace protium {
namespace {

using Kind = Token::Kind;

std::string Quoted(std::string_view name) { return InQuotes(name, '\"'); }

// Names of functions that DuckDB's grammar reserves or reads as something else, such as a type:
// written in quotes if a parenthesis follows.
constexpr std::string_view kReservedCalls[] = {
    "ANY",       "ARRAY",    "BIGINT",  "BINARY",   "BIT",       "BOOLEAN",   "CHAR",   "CHARACTER",
    "COLLATE",   "COLUMNS",  "DATE",    "DEC",      "DECIMAL",   "DEFAULT",   "DOUBLE", "FLOAT",
    "GLOB",      "INT",      "INTEGER", "INTERVAL", "ISNULL",    "LAMBDA",    "MAP",    "NATIONAL",
    "NCHAR",     "NOTNULL",  "NUMERIC", "OVERLAY",  "PRECISION", "REAL",      "ROW",    "SETOF",
    "SIMILAR",   "SMALLINT", "SOME",    "STRING",   "STRUCT",    "SUMMARIZE", "TABLE",  "TIME",
    "TIMESTAMP", "TINYINT",  "TREAT",   "UNIQUE",   "UNPACK",    "VARCHAR"};

// Functions that take a unit, a bare word, before two values; with two values alone they are
// different functions. Our function of that name counts, or moves by, units.
const char* FindUnitCall(std::string_view word) {
  for (const char* const name : {"TIMESTAMPADD", "DATEADD", "DATE_ADD"}) {
    if (word == name) return "timestampadd";
  }
  for (const char* const name : {"TIMESTAMPDIFF", "DATEDIFF", "DATE_DIFF"}) {
    if (word == name) return "timestampdiff";
  }
  return nullptr;
}

bool IsCountedUnit(std::string_view word) {
  static constexpr std::string_view kUnits[] = {"YEAR",   "QUARTER",     "MONTH",      "WEEK",
                                                "DAY",    "DAYOFYEAR",   "HOUR",       "MINUTE",
                                                "SECOND", "MILLISECOND", "MICROSECOND"};
  return std::ranges::find(kUnits, word) != std::end(kUnits);
}

}  // namespace

bool SparkReader::IsReservedCall(std::string_view word) {
  return std::ranges::find(kReservedCalls, word) != std::end(kReservedCalls);
}

// Later these names mean other forms: to_days() an interval, regexp_full_match() RLIKE. So they are
// refused while the two still differ.
Status SparkReader::CheckName() const {
  const std::string_view text = sql_.TokenText(sql_.at());
  const std::string name =
      Lower(sql_.IsKind(Kind::kName) ? ReadNameLiteral(text) : std::string(text));
  const KnownFunction* const known = FindKnownFunction(name);
  if (known == nullptr || !known->parsed) return Status::OK();
  return Refuse(fmt::format("function \"{}\" is not supported by every engine", name),
                "the embedded engine has it, Spark does not", std::string(known->fix));
}

// A call whose name is at the cursor, with its trailers. DISTINCT, ORDER BY and the like within the
// parentheses are clause words, which Items() reads.
Result<SparkReader::Term> SparkReader::Call() {
  const size_t first = sql_.at();
  const std::string word = sql_.Peek().word;
  PT_TRY(CheckName());
  // DuckDB's parser turns f(*) into f().
  if (word != "COUNT" && sql_.Is("*", 2) && sql_.Is(")", 3)) {
    return Refuse(
        fmt::format("{}(*) is not supported by the embedded engine", sql_.TokenText(first)),
        "its parser takes * in count() alone", "list the columns");
  }
  // EXISTS over a query is an operator, over a list a function.
  const bool query = sql_.IsOneOf({"SELECT", "WITH", "FROM", "VALUES", "("}, 2);
  if (IsReservedCall(word) || (word == "EXISTS" && !query)) {
    sql_.Replace(first, first, Quoted(sql_.TokenText(first)));
    sql_.Skip();
  } else {
    Name();
  }
  // position(a, b) with commas is not in DuckDB's grammar; locate() takes the same arguments.
  if (word == "POSITION") sql_.Replace(first, first, "locate");
  if (word == "POSITION" || word == "OVERLAY" || word == "SUBSTR" || word == "SUBSTRING") {
    PT_TRY(WordedCall());
  } else if (word == "STRUCT") {
    PT_TRY(NamedCall());
  } else if (word == "FROM_JSON") {
    PT_TRY(SchemaCall());
  } else {
    PT_TRY(Parentheses(Inside::kCall));
    PT_TRY(SpellUnit(first));
  }
  const size_t close = sql_.at() - 1;
  if (word == "GROUPING_ID") MarkGroups(first, close);
  const bool joins = word == "LISTAGG" || word == "STRING_AGG";
  if (joins && sql_.Is("WITHIN") && sql_.Is("GROUP", 1)) PT_TRY(OrderInside());
  PT_TRY(Trailers(first, sql_.at() - 1));
  return Term{first, sql_.at() - 1};
}

// datediff(DAY, a, b), whose call was read from `first` on: the unit becomes a text. A column may
// have the name of a unit, so only a call with three arguments certainly has one.
Status SparkReader::SpellUnit(size_t first) {
  const char* const call = FindUnitCall(sql_.TokenAt(first).word);
  if (call == nullptr || !sql_.TokenAt(first + 3).Is(",")) return Status::OK();
  int depth = 0, commas = 0;
  for (size_t place = first + 1; place < sql_.at(); ++place) {
    const Token& token = sql_.TokenAt(place);
    if (token.Is("(") || token.Is("[")) ++depth;
    if (token.Is(")") || token.Is("]")) --depth;
    if (token.Is(",") && depth == 1) ++commas;
  }
  const std::string& unit = sql_.TokenAt(first + 2).word;
  if (commas != 2) return Status::OK();
  if (!IsCountedUnit(unit)) {
    return sql_.Refuse(first + 2,
                       fmt::format("{}() is given {:.60} for a unit", sql_.TokenText(first),
                                   sql_.TokenText(first + 2)),
                       "Spark reads YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, "
                       "MILLISECOND or MICROSECOND there, without quotes",
                       "write such as datediff(DAY, a, b)");
  }
  sql_.Replace(first, first, call);
  sql_.Replace(first + 2, first + 2, "'" + unit + "'");
  return Status::OK();
}

// from_json(text, 'a INT'): the schema becomes a null of the type that it means, and the type's
// name in DuckDB.
Status SparkReader::SchemaCall() {
  const size_t open = sql_.at();
  sql_.Skip();
  PT_TRY(Expression(Level::kOr).status());
  // The schema itself, or schema_of_json() of a text that has it.
  const bool inferred = sql_.Is("SCHEMA_OF_JSON", 1) && sql_.Is("(", 2) && sql_.Is(")", 4);
  const size_t place = sql_.at() + (inferred ? 3 : 1), last = place + (inferred ? 1 : 0);
  const bool text = sql_.Is(",") && sql_.TokenAt(place).kind == Kind::kText;
  std::optional<std::string> schema;
  if (text) schema = ReadTextLiteral(sql_.TokenText(place));
  if (text && inferred) schema = InferJsonSchema(*schema);
  const Token& behind = sql_.TokenAt(last + 1);
  if (!schema || !(behind.Is(",") || behind.Is(")"))) {
    return sql_.Refuse(open, "the schema of from_json() is not text",
                       "the embedded engine has to know it before the query runs",
                       "write it as in from_json(text, 'a INT, b STRING')");
  }
  if (behind.Is(",")) {
    return Refuse("from_json() with options is not supported by every engine",
                  "the embedded engine reads JSON without options alone", "leave the options out");
  }
  const size_t comma = sql_.at();
  sql_.Skip();
  PT_LET(const std::string type, SpellSchema(*schema, sql_));
  const std::string quoted = InQuotes(Dump(Json(type)), '\'');
  sql_.Replace(comma, last, fmt::format(", CAST(NULL AS {}), {}", type, quoted));
  sql_.Skip(last + 2 - sql_.at());
  return Status::OK();
}

// listagg(a) WITHIN GROUP (ORDER BY b) becomes listagg(a ORDER BY b).
Status SparkReader::OrderInside() {
  const size_t close = sql_.at() - 1;
  sql_.Skip(2);
  if (!sql_.Is("(")) return Refuse("WITHIN GROUP has no ORDER BY in parentheses");
  sql_.Replace(close, sql_.at(), " ");
  return Parentheses(Inside::kQuery);
}

// See generated_names.h.
void SparkReader::MarkGroups(size_t first, size_t close) {
  int depth = 0, commas = 0;
  for (size_t place = first + 1; place < close; ++place) {
    const Token& token = sql_.TokenAt(place);
    if (token.Is("(")) ++depth;
    if (token.Is(")")) --depth;
    if (depth == 1 && token.Is(",")) ++commas;
  }
  if (commas > 0) return;
  sql_.Surround(close, close, (close == first + 2 ? "" : ", ") + std::string(kAllGroups), "");
}

// overlay(a PLACING b FROM c FOR d), position(a IN b): these words become commas.
Status SparkReader::WordedCall() {
  const size_t open = sql_.at();
  sql_.Skip();
  while (!sql_.IsKind(Kind::kEnd) && !sql_.Is(")")) {
    PT_TRY(Value().status());
    if (sql_.IsOneOf({"PLACING", "FROM", "FOR", "IN"})) sql_.Replace(sql_.at(), sql_.at(), ",");
    if (!sql_.Is(")")) sql_.Skip();
  }
  if (!sql_.Is(")")) return sql_.Refuse(open, "a parenthesis is never closed");
  sql_.Skip();
  return Status::OK();
}

// struct(a AS b, c) becomes struct(b := a, c), as DuckDB names arguments.
Status SparkReader::NamedCall() {
  const size_t open = sql_.at();
  sql_.Skip();
  while (!sql_.IsKind(Kind::kEnd) && !sql_.Is(")")) {
    PT_LET(const Term value, Expression(Level::kOr));
    if (sql_.Is("AS")) {
      const std::string_view text = sql_.TokenText(sql_.at() + 1);
      const bool quoted = sql_.IsKind(Kind::kName, 1);
      const std::string name = quoted ? ReadNameLiteral(text) : std::string(text);
      sql_.Surround(value.first, value.last, Quoted(name) + " := ", "");
      sql_.Replace(sql_.at(), sql_.at() + 1, "");
      sql_.Skip(2);
    }
    if (!sql_.Is(")")) sql_.Skip();
  }
  if (!sql_.Is(")")) return sql_.Refuse(open, "a parenthesis is never closed");
  sql_.Skip();
  return Status::OK();
}

// What may follow a call whose name is at `first` and whose parenthesis closes at `close`: WITHIN
// GROUP, FILTER, IGNORE NULLS, OVER. DuckDB requires IGNORE NULLS within the parentheses, and
// RESPECT NULLS is the default of both.
Status SparkReader::Trailers(size_t first, size_t close) {
  if (sql_.Is("WITHIN") && sql_.Is("GROUP", 1)) {
    sql_.Skip(2);
    PT_TRY(Parentheses(Inside::kQuery));
  }
  if (sql_.Is("FILTER") && sql_.Is("(", 1)) {
    sql_.Skip();
    PT_TRY(Parentheses(Inside::kQuery));
  }
  if (sql_.IsOneOf({"IGNORE", "RESPECT"}) && sql_.Is("NULLS", 1)) {
    if (sql_.Is("IGNORE")) sql_.Surround(close, close, " IGNORE NULLS", "");
    sql_.Replace(sql_.at(), sql_.at() + 1, "");
    sql_.Skip(2);
  }
  if (!sql_.Is("OVER")) return Status::OK();
  // Macros, which cannot be window functions.
  const Token& name = sql_.TokenAt(first);
  if (name.Is("ANY") || name.Is("SOME")) sql_.Replace(first, first, "bool_or");
  if (name.Is("EVERY")) sql_.Replace(first, first, "bool_and");
  return Over(Lower(sql_.TokenText(first)));
}

}  // namespace protium
