// SPDX-License-Identifier: Apache-2.0
// FROM: tables and what may replace them, joins, views and pivots. Spark joins from left to right,
// even what commas separate, whereas DuckDB joins that last; VALUES, functions that make rows and
// LATERAL VIEW, which Spark accepts as tables, become subqueries.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sql_text/spark_reader.h"
#include "sql_words/generated_names.h"
#include "sql_words/literals.h"

namespace protium {
namespace {

using Kind = Token::Kind;

// Functions that make rows and that DuckDB does not accept as tables.
constexpr std::string_view kGenerators[] = {"EXPLODE",      "EXPLODE_OUTER",    "INLINE",
                                            "INLINE_OUTER", "JSON_TUPLE",       "JSON_TUPLE",
                                            "POSEXPLODE",   "POSEXPLODE_OUTER", "STACK"};

bool MakesRows(std::string_view word) {
  return std::ranges::find(kGenerators, word) != std::end(kGenerators);
}

std::string Quoted(std::string_view name) { return InQuotes(name, '\"'); }

}  // namespace

// From FROM on to the next clause.
Status SparkReader::Tables() {
  sql_.Skip();
  std::vector<size_t> commas;
  PT_TRY(Table(/*enclosed=*/false).status());
  while (true) {
    if (sql_.Is(",")) {
      commas.push_back(sql_.at());
      sql_.Skip();
      PT_TRY(Table(/*enclosed=*/false).status());
      continue;
    }
    PT_LET(const bool joined, Joined());
    if (!joined) return Status::OK();
    for (const size_t comma : commas) sql_.Replace(comma, comma, " CROSS JOIN ");
    commas.clear();
  }
}

// A join, view or pivot behind the tables read so far; false if there is none.
Result<bool> SparkReader::Joined() {
  if (sql_.IsOneOf({"PIVOT", "UNPIVOT"}) && sql_.IsOneOf({"(", "INCLUDE", "EXCLUDE"}, 1)) {
    PT_TRY(Pivot());
    return true;
  }
  if (sql_.Is("LATERAL") && sql_.Is("VIEW", 1)) {
    PT_TRY(View());
    return true;
  }
  size_t kinds = 0;
  while (sql_.IsOneOf(
      {"NATURAL", "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "OUTER", "SEMI", "ANTI"}, kinds)) {
    ++kinds;
  }
  if (!sql_.Is("JOIN", kinds)) return false;
  PT_TRY(Join(kinds));
  return true;
}

// A table with its alias. True if it is a query in parentheses without one. VALUES that are alone
// within parentheses, `enclosed`, need none of their own.
Result<bool> SparkReader::Table(bool enclosed) {
  const Deeper deeper(depth_);
  PT_TRY(CheckDepth());
  const bool lateral = sql_.Is("LATERAL") && !sql_.Is("VIEW", 1);
  if (lateral) sql_.Skip();
  if (AtRows()) return Rows(enclosed);
  if (sql_.Is("(")) return EnclosedTable(lateral);
  const size_t first = sql_.at();
  PT_TRY(Expression(Level::kPrimary).status());
  const bool made = MakesRows(sql_.TokenAt(first).word) && sql_.TokenAt(first + 1).Is("(");
  if (made) sql_.Surround(first, sql_.at() - 1, "(SELECT ", ")");
  PT_LET(const bool named, TableAlias());
  return made && !named;
}

// (SELECT ...), (VALUES ...), (t), (t JOIN u). DuckDB accepts no table in parentheses that is
// neither a query nor a join, and no alias of a join, which therefore becomes a query.
Result<bool> SparkReader::EnclosedTable(bool lateral) {
  const size_t open = sql_.at();
  if (sql_.IsOneOf({"SELECT", "WITH", "FROM", "TABLE"}, 1)) {
    PT_TRY(Parentheses(Inside::kQuery));
    if (lateral) MarkLateral(open, sql_.at() - 1);
    return TableAlias().Map([](bool named) { return !named; });
  }
  sql_.Skip();
  PT_LET(bool query, Table(/*enclosed=*/true));
  bool joined = false;
  while (true) {
    PT_LET(const bool more, Joined());
    if (!more) break;
    joined = true;
  }
  query = query && !joined;
  if (!sql_.Is(")")) {  // (SELECT 1) UNION ...
    PT_TRY(Items(Inside::kQuery));
    query = true;
  }
  if (!sql_.Is(")")) return sql_.Refuse(open, "a parenthesis is never closed");
  const size_t close = sql_.at();
  sql_.Skip();
  if (query && lateral) MarkLateral(open, close);
  PT_LET(const bool named, TableAlias());
  if (query) return !named;
  if (named) {
    sql_.Surround(open + 1, close - 1, "SELECT * FROM ", "");
  } else if (!joined) {
    sql_.Replace(open, open, " ");
    sql_.Replace(close, close, " ");
  }
  return false;
}

void SparkReader::MarkLateral(size_t open, size_t close) {
  sql_.Surround(open + 1, close - 1, "SELECT * FROM (", fmt::format(") AS {}", kLateralQuery));
}

// Whether VALUES begins rows here rather than being a name.
bool SparkReader::AtRows() const {
  if (!sql_.Is("VALUES")) return false;
  if (sql_.Is("(", 1) || sql_.IsKind(Kind::kNumber, 1) || sql_.IsKind(Kind::kText, 1)) return true;
  if (!sql_.IsKind(Kind::kWord, 1) || sql_.IsOneOf({"IN", "AND", "OR", "NOT", "ON", "AS"}, 1)) {
    return false;
  }
  const bool constant = sql_.IsOneOf({"NULL", "TRUE", "FALSE", "CURRENT_DATE"}, 1);
  return constant || sql_.Is("(", 2) || sql_.IsKind(Kind::kText, 2);
}

// VALUES 1, (2, 'a'): a row of one column needs no parentheses in Spark.
Status SparkReader::RowList() {
  do {
    sql_.Skip();
    const size_t first = sql_.at();
    PT_TRY(Expression(Level::kOr).status());
    const Term row{first, sql_.at() - 1};
    const bool enclosed = IsEnclosed(row);
    const Term value = enclosed ? Term{first + 1, row.last - 1} : row;
    const bool structure = sql_.TokenAt(value.first).Is("STRUCT");
    if (!IsRow(row) && (IsRow(value) || (structure && sql_.TokenAt(value.first + 1).Is("(")))) {
      return sql_.Refuse(first, "a row of VALUES is a structure",
                         "Spark makes columns of its fields",
                         "write the fields as columns, or make the structure in a SELECT");
    }
    if (!enclosed) sql_.Surround(row.first, row.last, "(", ")");
  } while (sql_.Is(","));
  return Status::OK();
}

// VALUES as a table.
Result<bool> SparkReader::Rows(bool enclosed) {
  const size_t first = sql_.at();
  PT_TRY(RowList());
  const bool alone = enclosed && sql_.Is(")");
  if (!alone) sql_.Surround(first, sql_.at() - 1, "(", ")");
  return TableAlias().Map([](bool named) { return !named; });
}

// VALUES as a query, which may have an alias, too.
Status SparkReader::RowsQuery() {
  const size_t first = sql_.at();
  PT_TRY(RowList());
  const size_t last = sql_.at() - 1;
  PT_LET(const bool named, TableAlias());
  if (named) sql_.Surround(first, last, "SELECT * FROM (", ")");
  return Status::OK();
}

// [AS] name [(columns)]; false if none is written.
Result<bool> SparkReader::TableAlias() {
  if (sql_.Is("TABLESAMPLE"))
    return Refuse("a sample depends on the engine", "every engine draws in its own way",
                  "use a split with a seed");
  if (sql_.Is("AS") && sql_.Is("(", 1)) {  // AS is itself the name.
    sql_.Replace(sql_.at(), sql_.at(), " AS \"as\"");
    sql_.Skip();
  } else if (sql_.Is("AS")) {
    sql_.Skip();
    AliasName();
  } else if (sql_.IsKind(Kind::kName) || AtBareAlias()) {
    AliasName();
  } else {
    return false;
  }
  if (sql_.Is("(")) PT_TRY(Parentheses(Inside::kQuery));
  return true;
}

// Whether SEMI or ANTI is a name here and not a kind of join: Spark reserves neither, DuckDB both.
bool SparkReader::AtNameOfJoin() const {
  return sql_.IsOneOf({"SEMI", "ANTI"}) && !sql_.Is("JOIN", 1);
}

// A join whose JOIN is `kinds` words further: the table after it with its alias, and its condition
// if it has one. Without a condition Spark joins every row with every row, and DuckDB demands ON;
// CROSS and NATURAL joins have none.
Status SparkReader::Join(size_t kinds) {
  const size_t first = sql_.at();
  bool cross = false, all = false;
  for (size_t i = 0; i < kinds; ++i) {
    cross = cross || sql_.Is("CROSS", i);
    all = all || sql_.IsOneOf({"CROSS", "NATURAL"}, i);
    if (sql_.Is("LEFT", i) && sql_.IsOneOf({"SEMI", "ANTI"}, i + 1)) {
      sql_.Replace(first + i, first + i + 1, sql_.Peek(i + 1).word);
    }
  }
  const bool outer = sql_.IsOneOf({"LEFT", "OUTER"}) || sql_.IsOneOf({"LEFT", "OUTER"}, 1);
  sql_.Skip(kinds + 1);
  if (outer && sql_.Is("LATERAL") && MakesRows(sql_.Peek(1).word)) {
    return Refuse("a function that makes rows is joined by LEFT JOIN",
                  "Spark leaves out the rows of which it makes none",
                  "use LATERAL VIEW OUTER explode(list) t AS x");
  }
  PT_TRY(Table(/*enclosed=*/false).status());
  const size_t last = sql_.at() - 1;
  if (sql_.Is("ON")) {
    if (cross) sql_.Replace(first, first, "INNER");
    sql_.Skip();
    return Expression(Level::kOr).status();
  }
  if (sql_.Is("USING") && sql_.Is("(", 1)) {
    sql_.Skip();
    return Parentheses(Inside::kQuery);
  }
  if (!all) sql_.Surround(last, last, "", " ON true");
  return Status::OK();
}

// LATERAL VIEW [OUTER] f(x) [name] [AS a, b]: joins each row with the rows that f makes of it.
Status SparkReader::View() {
  const size_t first = sql_.at();
  const bool outer = sql_.Is("OUTER", 2);
  sql_.Skip(outer ? 3 : 2);
  const size_t call = sql_.at();
  if (!sql_.Is("(", 1)) return Refuse("LATERAL VIEW has no function");
  PT_TRY(Call().status());
  const size_t close = sql_.at() - 1;
  const std::string word = sql_.TokenAt(call).word;
  if (!MakesRows(word)) {
    return sql_.Refuse(call, "LATERAL VIEW is given a function that makes no rows",
                       "it takes explode, posexplode, inline, stack and json_tuple", "");
  }
  const bool widened = outer && MakesRows(word + "_OUTER");
  sql_.Replace(first, call - 1, "CROSS JOIN LATERAL (SELECT");
  if (widened) sql_.Replace(call, call, word + "_outer");
  const size_t after = sql_.at();
  const std::string alias = ViewNames(first);
  if (sql_.at() == after) {
    sql_.Surround(close, close, "", ") AS " + alias);
  } else {
    sql_.Replace(after, sql_.at() - 1, ") AS " + alias);
  }
  return Status::OK();
}

// The names behind LATERAL VIEW as an alias for DuckDB: "e"("a", "b").
std::string SparkReader::ViewNames(size_t first) {
  const auto name = [&] {
    const std::string_view text = sql_.TokenText(sql_.at());
    const bool quoted = sql_.IsKind(Kind::kName);
    sql_.Skip();
    return Quoted(quoted ? ReadNameLiteral(text) : std::string(text));
  };
  const auto at_name = [&] { return sql_.IsKind(Kind::kName) || AtBareAlias(); };
  std::string alias = fmt::format("pt_view_{}", first), columns;
  if (!sql_.Is("AS") && at_name()) alias = name();
  if (sql_.Is("AS")) sql_.Skip();
  while (at_name()) {
    columns += (columns.empty() ? "" : ", ") + name();
    if (!sql_.Is(",")) break;
    sql_.Skip();
  }
  return columns.empty() ? alias : fmt::format("{}({})", alias, columns);
}

// PIVOT (...) and UNPIVOT [INCLUDE NULLS] (...), which DuckDB parses the same way
// (sql_types/pivots.cc).
Status SparkReader::Pivot() {
  sql_.Skip();
  if (sql_.IsOneOf({"INCLUDE", "EXCLUDE"}) && sql_.Is("NULLS", 1)) sql_.Skip(2);
  if (!sql_.Is("(")) return Refuse(fmt::format("a pivot has no parentheses at {}", Here()));
  PT_TRY(Parentheses(Inside::kQuery));
  return TableAlias().status();
}

// Whether the current word is an alias without AS rather than the next clause.
bool SparkReader::AtBareAlias() const {
  if (!sql_.IsKind(Kind::kWord) || IsClause(sql_.Peek().word)) return false;
  const bool side =
      sql_.IsOneOf({"LEFT", "RIGHT"}) && sql_.IsOneOf({"JOIN", "OUTER", "SEMI", "ANTI"}, 1);
  const bool set = sql_.Is("MINUS") && sql_.IsOneOf({"SELECT", "(", "ALL", "DISTINCT"}, 1);
  const bool sorted = sql_.IsOneOf({"SORT", "DISTRIBUTE", "CLUSTER"}) && sql_.Is("BY", 1);
  return !side && !set && !sorted && !AtWindowClause() && !AtQualify();
}

}  // namespace protium
