// SPDX-License-Identifier: Apache-2.0
// Clauses: the words and commas between expressions. Clause() knows the few words that need care
// (joins, windows, VALUES, aliases) and skips the others; whatever begins no clause is read as an
// expression (spark_operators.cc, spark_operands.cc). The order of clauses is not checked here:
// DuckDB parses the result and reports it.
#include "sql_text/spark_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sql_words/generated_names.h"
#include "sql_words/literals.h"

namespace protium {
namespace {

using Kind = Token::Kind;

// DuckDB's own limit (max_expression_depth); deeper recursion would also outgrow our stack.
constexpr int kDeepest = 1000;

// Words between expressions that are never operands.
constexpr std::string_view kClauses[] = {
    "SELECT",  "DISTINCT",  "ALL",     "FROM",       "WHERE",    "GROUP", "ORDER",  "BY",
    "HAVING",  "LIMIT",     "OFFSET",  "ON",         "USING",    "JOIN",  "INNER",  "OUTER",
    "FULL",    "CROSS",     "NATURAL", "SEMI",       "ANTI",     "UNION", "EXCEPT", "INTERSECT",
    "WITH",    "RECURSIVE", "VALUES",  "PARTITION",  "WHEN",     "THEN",  "ELSE",   "END",
    "FOR",     "PLACING",   "BOTH",    "LEADING",    "TRAILING", "ASC",   "DESC",   "NULLS",
    "LATERAL", "PIVOT",     "UNPIVOT", "TABLESAMPLE"};

// First words of statements that are not queries.
constexpr std::string_view kStatements[] = {
    "ALTER",    "ANALYZE", "ATTACH", "CALL",    "CHECKPOINT", "COPY",   "CREATE",
    "DELETE",   "DETACH",  "DROP",   "EXECUTE", "EXPORT",     "IMPORT", "INSERT",
    "INSTALL",  "LOAD",    "MERGE",  "PRAGMA",  "PREPARE",    "RESET",  "SET",
    "TRUNCATE", "UPDATE",  "USE",    "VACUUM"};

bool IsStatement(std::string_view word) {
  return std::find(std::begin(kStatements), std::end(kStatements), word) != std::end(kStatements);
}

}  // namespace

bool SparkReader::IsClause(std::string_view word) {
  return std::find(std::begin(kClauses), std::end(kClauses), word) != std::end(kClauses);
}

Status SparkReader::Run() {
  // Most of these words may also name a function or a column: load(...), set.x.
  const bool called = sql_.IsKind(Token::Kind::kSign, 1);
  if (IsStatement(sql_.Peek().word) && !called) {
    return Refuse("the SQL text is not a SELECT",
                  "a plan's SQL makes a table from tables and changes nothing");
  }
  while (!sql_.IsKind(Kind::kEnd)) {
    PT_TRY(Items(Inside::kQuery));
    sql_.Skip();  // An unmatched ")" or "]": DuckDB's parser reports it.
  }
  return Status::OK();
}

Status SparkReader::CheckDepth() const {
  if (depth_ <= kDeepest) return Status::OK();
  return Refuse("the SQL text is nested too deep", "one part is inside hundreds of others",
                "name parts of it with WITH");
}

// Reads everything up to the end of these parentheses, or of the text.
Status SparkReader::Items(Inside inside) {
  const Deeper deeper(depth_);
  PT_TRY(CheckDepth());
  while (!sql_.IsKind(Kind::kEnd) && !sql_.IsOneOf({")", "]"})) {
    if (sql_.Is(";") && IsStatement(sql_.Peek(1).word)) {
      return Refuse("there is a second statement after the semicolon",
                    "a plan's SQL makes a table from tables and changes nothing",
                    "write one SELECT, without a semicolon");
    }
    if (sql_.Is("|>")) return RefusePipe();
    if (sql_.IsOneOf({",", ";", "=>"})) {
      sql_.Skip();
      continue;
    }
    if (inside == Inside::kCall && sql_.Is("AS")) {
      return Refuse("a name with AS inside a call",
                    "the embedded engine's parser does not accept this form",
                    "use named_struct('name', value)");
    }
    if (inside == Inside::kWindow && AtFrame()) {
      PT_TRY(Frame());
      continue;
    }
    // Elsewhere FROM is a word of a call: extract(YEAR FROM d).
    if (inside == Inside::kQuery && sql_.Is("FROM")) {
      PT_TRY(Tables());
      continue;
    }
    if (inside == Inside::kWindow && sql_.Is("BY", 1)) SpellWindowBy();
    PT_LET(const bool clause, Clause());
    if (!clause) PT_TRY(Expression(Level::kOr).status());
  }
  return Status::OK();
}

Status SparkReader::Parentheses(Inside inside) {
  const size_t open = sql_.at();
  sql_.Skip();
  const bool query = sql_.IsOneOf({"SELECT", "WITH", "FROM", "VALUES"});
  PT_TRY(Items(query ? Inside::kQuery : inside));
  if (!sql_.Is(")")) return sql_.Refuse(open, "a parenthesis is never closed");
  sql_.Skip();
  return Status::OK();
}

Status SparkReader::RefusePipe() const {
  return Refuse("the pipe |> is not supported by the embedded engine",
                "its parser does not accept this form",
                "write each step as a SELECT from the one before it, named by WITH");
}

// Reads one clause word with what belongs to it; false if an expression begins here.
Result<bool> SparkReader::Clause() {
  if (!sql_.IsKind(Kind::kWord)) return false;
  if (sql_.Is("AS")) {
    if (AtAliases()) {
      Aliases();
      return true;
    }
    sql_.Skip();
    Alias();
    return true;
  }
  if (sql_.Is("GROUP") && sql_.Is("BY", 1)) {
    PT_TRY(Groups());
    return true;
  }
  if (sql_.IsOneOf({"LIMIT", "OFFSET"}) && sql_.Is("NULL", 1)) {
    return Refuse("a number of rows is NULL", "Spark takes whole numbers of 32 bits",
                  "write LIMIT 10, or LIMIT ALL");
  }
  if (AtTableQuery()) {
    sql_.Replace(sql_.at(), sql_.at(), "FROM");
    PT_TRY(Tables());
    return true;
  }
  if (sql_.Is("MINUS") && sql_.IsOneOf({"SELECT", "(", "ALL", "DISTINCT", "VALUES"}, 1)) {
    sql_.Replace(sql_.at(), sql_.at(), "EXCEPT");
    sql_.Skip();
    return true;
  }
  const bool sorted = sql_.IsOneOf({"SORT", "DISTRIBUTE", "CLUSTER"}) && sql_.Is("BY", 1);
  if (sorted) {
    return Refuse(fmt::format("{} {} is not supported by the embedded engine", sql_.Peek().word,
                              sql_.Peek(1).word),
                  "its parser does not accept this clause", "use ORDER BY");
  }
  if (sql_.Is("TABLESAMPLE") || (sql_.Is("USING") && sql_.Is("SAMPLE", 1))) {
    return Refuse("a sample depends on the engine", "every engine draws in its own way",
                  "use a split with a seed");
  }
  if (AtWindowClause()) {
    PT_TRY(WindowClause());
    return true;
  }
  if (AtQualify()) {
    sql_.Skip();
    return true;
  }
  if (AtRows()) {
    PT_TRY(RowsQuery());
    return true;
  }
  if (AtNameOfJoin()) return false;
  PT_LET(const bool joined, Joined());
  if (joined) return true;
  const bool side = sql_.IsOneOf({"LEFT", "RIGHT"}) && sql_.IsOneOf({"JOIN", "OUTER"}, 1);
  if (!side && !IsClause(sql_.Peek().word)) return false;
  sql_.Skip();
  return true;
}

// Whether QUALIFY begins its clause here; Spark does not reserve it, so it may also be a name.
bool SparkReader::AtQualify() const {
  static constexpr std::string_view kOperators[] = {
      "AND", "OR",     "BETWEEN", "IN",  "IS",   "LIKE",  "ILIKE", "RLIKE", "REGEXP",
      "DIV", "ESCAPE", "AS",      "ASC", "DESC", "NULLS", "NOT",   "CASE",  "EXISTS"};
  const auto is_operator = [](const Token& token) {
    return std::ranges::find(kOperators, std::string_view(token.word)) != std::end(kOperators);
  };
  if (!sql_.Is("QUALIFY") || sql_.at() == 0) return false;
  const Token &before = sql_.TokenAt(sql_.at() - 1), &after = sql_.Peek(1);
  const bool ends = before.Is(")") || before.Is("]") || before.Is("END") ||
                    before.kind == Kind::kName || before.kind == Kind::kText ||
                    before.kind == Kind::kNumber ||
                    (before.kind == Kind::kWord && !IsClause(before.word) && !is_operator(before));
  const bool begins = after.Is("(") || after.Is("NOT") || after.Is("CASE") || after.Is("EXISTS") ||
                      after.kind == Kind::kName || after.kind == Kind::kNumber ||
                      (after.kind == Kind::kWord && !IsClause(after.word) && !is_operator(after));
  return ends && begins;
}

// TABLE t as a query, which returns all of the table.
bool SparkReader::AtTableQuery() const {
  const bool named = sql_.IsKind(Kind::kWord, 1) || sql_.IsKind(Kind::kName, 1);
  if (!sql_.Is("TABLE") || !named || sql_.IsOneOf({"AS", "FROM"}, 1)) return false;
  if (sql_.at() == 0) return true;
  const Token& before = sql_.TokenAt(sql_.at() - 1);
  return before.Is("(") || before.Is("ALL") || before.Is("UNION") || before.Is("EXCEPT") ||
         before.Is("INTERSECT") || before.Is(")");
}

// Whether the parenthesis with which it begins closes at its end.
bool SparkReader::IsEnclosed(const Term& term) const {
  int depth = 0;
  for (size_t place = term.first; place <= term.last; ++place) {
    const Token& token = sql_.TokenAt(place);
    if (token.Is("(")) ++depth;
    if (token.Is(")")) --depth;
    if (depth == 0) return place > term.first && place == term.last;
  }
  return false;
}

// Whether it is (a, b), with a comma outside all other parentheses.
bool SparkReader::IsRow(const Term& term) const {
  int depth = 0;
  bool commas = false;
  for (size_t place = term.first; place <= term.last; ++place) {
    const Token& token = sql_.TokenAt(place);
    if (token.Is("(") || token.Is("[")) ++depth;
    if (token.Is(")") || token.Is("]")) --depth;
    commas = commas || (depth == 1 && token.Is(","));
  }
  return commas && IsEnclosed(term);
}

// GROUP BY a, b [WITH ROLLUP | WITH CUBE | GROUPING SETS (...)]: DuckDB accepts these only before
// their columns, ROLLUP (a, b).
Status SparkReader::Groups() {
  sql_.Skip(2);
  if (sql_.Is("ALL")) return Status::OK();
  const size_t first = sql_.at();
  while (true) {
    if (sql_.Is("(") && sql_.Is(")", 1)) {
      return Refuse("GROUP BY has parentheses with nothing in them", "Spark does not accept it",
                    "leave GROUP BY out, or write GROUPING SETS (())");
    }
    if (sql_.Is("GROUPING") && sql_.Is("SETS", 1)) {
      sql_.Skip(2);
      PT_TRY(Parentheses(Inside::kQuery));
    } else {
      PT_LET(const Term key, Expression(Level::kOr));
      if (IsRow(key)) {
        return sql_.Refuse(key.first, "GROUP BY has several columns in parentheses",
                           "Spark groups by a structure of them, of which it shows no column",
                           "leave the parentheses out");
      }
    }
    if (!sql_.Is(",")) break;
    sql_.Skip();
  }
  const size_t last = sql_.at() - 1;
  if (sql_.Is("WITH") && sql_.IsOneOf({"ROLLUP", "CUBE"}, 1)) {
    sql_.Surround(first, last, sql_.Peek(1).word + " (", ")");
    sql_.Replace(sql_.at(), sql_.at() + 1, "");
    sql_.Skip(2);
  } else if (sql_.Is("GROUPING") && sql_.Is("SETS", 1)) {
    sql_.Replace(first, last, "");
    sql_.Skip(2);
    return Parentheses(Inside::kQuery);
  }
  return Status::OK();
}

// DISTRIBUTE BY, CLUSTER BY and SORT BY within a window.
void SparkReader::SpellWindowBy() {
  if (sql_.IsOneOf({"DISTRIBUTE", "CLUSTER"})) sql_.Replace(sql_.at(), sql_.at(), "PARTITION");
  if (sql_.Is("SORT")) sql_.Replace(sql_.at(), sql_.at(), "ORDER");
  if (sql_.IsOneOf({"DISTRIBUTE", "CLUSTER", "SORT"})) sql_.Skip(2);
}

// Whether AS is followed by several names, as in explode(map) AS (k, v).
bool SparkReader::AtAliases() const {
  if (!sql_.Is("(", 1)) return false;
  for (size_t ahead = 2;; ahead += 2) {
    const bool name = sql_.IsKind(Kind::kWord, ahead) || sql_.IsKind(Kind::kName, ahead);
    if (!name) return false;
    if (!sql_.Is(",", ahead + 1)) return sql_.Is(")", ahead + 1);
  }
}

// See generated_names.h.
void SparkReader::Aliases() {
  const size_t first = sql_.at();
  std::vector<std::string> names;
  for (sql_.Skip(2);; sql_.Skip(2)) {
    const std::string_view text = sql_.TokenText(sql_.at());
    names.push_back(sql_.IsKind(Kind::kName) ? ReadNameLiteral(text) : std::string(text));
    if (!sql_.Is(",", 1)) break;
  }
  sql_.Replace(first, sql_.at() + 1, "AS " + InQuotes(JoinGeneratedNames(names), '\"'));
  sql_.Skip(2);
}

// The name after AS, which may be any word; AS (SELECT ...) of WITH is read like other parentheses.
void SparkReader::Alias() {
  if (!sql_.IsKind(Kind::kWord) && !sql_.IsKind(Kind::kName)) return;
  if (sql_.IsOneOf({"SELECT", "WITH"})) return;
  Name();
}

}  // namespace protium
