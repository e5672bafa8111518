// SPDX-License-Identifier: Apache-2.0
// Clauses: the words and commas between expressions. Clause() knows the few words that need care
// (joins, windows, VALUES, aliases) and skips the others; whatever no clause begins is read as an
// expression (spark_operators.cc, spark_operands.cc). The order of clauses is not checked here:
// DuckDB parses the result and reports it.
#include "sql/spark_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace protium {
namespace {

using Kind = Token::Kind;

// DuckDB's own limit (max_expression_depth); deeper recursion would also outgrow our stack.
constexpr int kDeepest = 1000;

// Words that stand between expressions and are never operands.
constexpr std::string_view kClauses[] = {
    "SELECT",  "DISTINCT",  "ALL",     "FROM",       "WHERE",    "GROUP", "ORDER",  "BY",
    "HAVING",  "LIMIT",     "OFFSET",  "ON",         "USING",    "JOIN",  "INNER",  "OUTER",
    "FULL",    "CROSS",     "NATURAL", "SEMI",       "ANTI",     "UNION", "EXCEPT", "INTERSECT",
    "WITH",    "RECURSIVE", "VALUES",  "PARTITION",  "WHEN",     "THEN",  "ELSE",   "END",
    "FOR",     "PLACING",   "BOTH",    "LEADING",    "TRAILING", "ASC",   "DESC",   "NULLS",
    "LATERAL", "PIVOT",     "UNPIVOT", "TABLESAMPLE"};

// First words of statements that are no queries.
constexpr std::string_view kStatements[] = {
    "ALTER",    "ANALYZE", "ATTACH", "CALL",    "CHECKPOINT", "COPY",   "CREATE",
    "DELETE",   "DETACH",  "DROP",   "EXECUTE", "EXPORT",     "IMPORT", "INSERT",
    "INSTALL",  "LOAD",    "MERGE",  "PRAGMA",  "PREPARE",    "RESET",  "SET",
    "TRUNCATE", "UPDATE",  "USE",    "VACUUM"};

bool IsStatement(std::string_view word) {
  return std::find(std::begin(kStatements), std::end(kStatements), word) != std::end(kStatements);
}

bool IsClause(std::string_view word) {
  return std::find(std::begin(kClauses), std::end(kClauses), word) != std::end(kClauses);
}

}  // namespace

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
      return Refuse("a second statement begins behind the semicolon",
                    "a plan's SQL makes a table from tables and changes nothing",
                    "write one SELECT, without a semicolon");
    }
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

// Reads one clause word with what belongs to it; false where an expression begins.
Result<bool> SparkReader::Clause() {
  if (!sql_.IsKind(Kind::kWord)) return false;
  if (sql_.Is("AS")) {
    sql_.Skip();
    Alias();
    return true;
  }
  if (sql_.Is("MINUS") && sql_.IsOneOf({"SELECT", "(", "ALL", "DISTINCT", "VALUES"}, 1)) {
    sql_.Replace(sql_.at(), sql_.at(), "EXCEPT");
    sql_.Skip();
    return true;
  }
  if (sql_.Is("LEFT") && sql_.IsOneOf({"SEMI", "ANTI"}, 1)) {
    sql_.Replace(sql_.at(), sql_.at() + 1, sql_.Peek(1).word);
    sql_.Skip(2);
    return true;
  }
  const bool sorted = sql_.IsOneOf({"SORT", "DISTRIBUTE", "CLUSTER"}) && sql_.Is("BY", 1);
  if (sorted || (sql_.Is("LATERAL") && sql_.Is("VIEW", 1))) {
    return Refuse(fmt::format("{} {} is not supported by the embedded engine", sql_.Peek().word,
                              sql_.Peek(1).word),
                  "its parser does not accept this clause", sorted ? "use ORDER BY" : "");
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
    return Refuse(
        "QUALIFY is not supported by every engine",
        "Spark reads it from 4.2 on, and not in 4.0 and 4.1",
        "put the window below: SELECT * FROM (SELECT *, row_number() OVER (...) AS n FROM "
        "t)\nWHERE n = 1");
  }
  if (sql_.Is("VALUES")) {
    PT_TRY(Rows());
    return true;
  }
  if (AtNameOfJoin()) return false;
  if (sql_.Is("JOIN")) {
    PT_TRY(Join());
    return true;
  }
  const bool side = sql_.IsOneOf({"LEFT", "RIGHT"}) && sql_.IsOneOf({"JOIN", "OUTER"}, 1);
  if (!side && !IsClause(sql_.Peek().word)) return false;
  sql_.Skip();
  return true;
}

// VALUES (1, 2), (3, 4). Only Spark allows VALUES 1, 2. Where neither a literal nor a parenthesis
// follows, VALUES is a name.
Status SparkReader::Rows() {
  do {
    sql_.Skip();
    if (sql_.IsKind(Kind::kNumber) || sql_.IsKind(Kind::kText)) {
      return Refuse(fmt::format("a row of VALUES has no parentheses at {}", Here()),
                    "the embedded engine's parser does not accept this form",
                    "put each row in parentheses: VALUES (1), (2)");
    }
    if (!sql_.Is("(")) return Status::OK();
    PT_TRY(Expression(Level::kOr).status());
  } while (sql_.Is(","));
  return Status::OK();
}

// Whether QUALIFY begins its clause here; Spark does not reserve it, so that it may be a name, too.
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

// Whether SEMI or ANTI is a name here and no kind of join: Spark reserves neither, DuckDB both.
bool SparkReader::AtNameOfJoin() const {
  if (!sql_.IsOneOf({"SEMI", "ANTI"})) return false;
  const Token& before = sql_.TokenAt(sql_.at() - std::min<size_t>(1, sql_.at()));
  const bool table = before.Is("FROM") || before.Is("JOIN") || before.Is(",");
  return table || !sql_.Is("JOIN", 1);
}

// JOIN, the table after it with its alias, and its condition if it has one. Without a condition
// Spark joins every row with every row, and DuckDB demands ON; CROSS and NATURAL joins have none
// anyway.
Status SparkReader::Join() {
  const auto before = [&](size_t tokens) -> const Token& {
    return sql_.TokenAt(sql_.at() - std::min(tokens, sql_.at()));
  };
  bool all = before(1).Is("CROSS");
  // NATURAL JOIN, NATURAL INNER JOIN, NATURAL LEFT OUTER JOIN.
  for (const size_t tokens : {1, 2, 3}) all = all || before(tokens).Is("NATURAL");
  sql_.Skip();
  if (sql_.Is("LATERAL")) sql_.Skip();
  PT_TRY(Expression(Level::kPrimary).status());
  if (sql_.Is("AS")) {
    sql_.Skip();
    Alias();
  } else if (sql_.IsKind(Kind::kName) || AtBareAlias()) {
    PT_TRY(Primary().status());
  }
  if (sql_.Is("(")) PT_TRY(Parentheses(Inside::kQuery));
  const size_t last = sql_.at() - 1;
  if (!all && !sql_.IsOneOf({"ON", "USING"})) sql_.Surround(last, last, "", " ON true");
  return Status::OK();
}

// Whether the word here is an alias without AS rather than the next clause.
bool SparkReader::AtBareAlias() const {
  if (!sql_.IsKind(Kind::kWord) || IsClause(sql_.Peek().word)) return false;
  const bool side =
      sql_.IsOneOf({"LEFT", "RIGHT"}) && sql_.IsOneOf({"JOIN", "OUTER", "SEMI", "ANTI"}, 1);
  const bool set = sql_.Is("MINUS") && sql_.IsOneOf({"SELECT", "(", "ALL", "DISTINCT"}, 1);
  const bool sorted = sql_.IsOneOf({"SORT", "DISTRIBUTE", "CLUSTER"}) && sql_.Is("BY", 1);
  return !side && !set && !sorted && !AtWindowClause() && !AtQualify();
}

// The name after AS, which may be any word; AS (SELECT ...) of WITH is read like other parentheses.
void SparkReader::Alias() {
  if (!sql_.IsKind(Kind::kWord) && !sql_.IsKind(Kind::kName)) return;
  if (sql_.IsOneOf({"SELECT", "WITH"})) return;
  Name();
}

// Whether ROWS or RANGE begins a window's frame; after BY or a comma it names a column.
bool SparkReader::AtFrame() const {
  if (!sql_.IsOneOf({"ROWS", "RANGE"})) return false;
  const Token& before = sql_.TokenAt(sql_.at() - 1);
  return !before.Is("BY") && !before.Is(",");
}

Status SparkReader::Frame() {
  sql_.Skip();
  const bool between = sql_.Is("BETWEEN");
  if (between) sql_.Skip();
  PT_TRY(Bound());
  if (!between) return Status::OK();
  if (!sql_.Is("AND")) return Refuse("a window's frame has no AND");
  sql_.Skip();
  return Bound();
}

Status SparkReader::Bound() {
  if (sql_.IsOneOf({"UNBOUNDED", "CURRENT"})) {
    sql_.Skip(2);
    return Status::OK();
  }
  PT_LET(const Term term, Value());
  Enclose(term);
  if (!sql_.IsOneOf({"PRECEDING", "FOLLOWING"})) {
    return Refuse("a window's frame has neither PRECEDING nor FOLLOWING");
  }
  sql_.Skip();
  return Status::OK();
}

bool SparkReader::AtWindowClause() const {
  return sql_.Is("WINDOW") && sql_.Is("AS", 2) && sql_.Is("(", 3);
}

// WINDOW w AS (...), v AS (...)
Status SparkReader::WindowClause() {
  do {
    sql_.Skip();
    Name();
    sql_.Skip();
    PT_TRY(Parentheses(Inside::kWindow));
  } while (sql_.Is(",") && sql_.Is("AS", 2) && sql_.Is("(", 3));
  return Status::OK();
}

}  // namespace protium
