// SPDX-License-Identifier: Apache-2.0
// Reads SQL by the grammar of Spark 4 (SqlBaseParser.g4) and records edits to its tokens, so that
// DuckDB's parser groups every operation as Spark does. A recursive-descent parser with one
// function for each form, which builds no tree: DuckDB does that from the edited text.
#pragma once

#include <string>
#include <string_view>

#include "base/depth.h"
#include "base/status.h"
#include "sql_text/spelling.h"

namespace protium {

// Reads a SELECT by the precedence of Spark's grammar. Operands that are operations get
// parentheses; words, literals and operators that only Spark spells this way are respelt. What
// Spark's grammar does not allow, or DuckDB's parser has no form for, is refused (kUsage) with its
// position. What tokens do not show, such as whether a column exists, is left to later steps.
//
// Operators, tightest first; those on one line associate to the left:
//   :: [] .     - + ~ (unary)     * / % DIV     + - ||     << >> >>>     &     ^     |
//   = == <> != < <= > >= <=> !< !>
//   BETWEEN IN LIKE ILIKE RLIKE IS (one, never a chain)
//   NOT !     AND     OR
// DuckDB, with PostgreSQL's grammar, has one level for ||, <<, >>, & and |, below + and -.
class SparkReader {
 public:
  // Edits `sql`, which outlives it, from its current token on.
  explicit SparkReader(Spelling& sql) : sql_(sql) {}
  // Reads all of it; call it once. After a refusal the edits are unusable.
  Status Run();

 private:
  // How tightly a term binds, loosest first. Expression() compares these by order.
  enum class Level {
    kOr,
    kAnd,
    kNot,
    kPredicate,
    kComparison,
    kBitOr,
    kBitXor,
    kBitAnd,
    kShift,
    kSum,
    kProduct,
    kUnary,
    kPrimary
  };
  // What was read, from token `first` to `last`, and the level of its loosest operator.
  struct Term {
    size_t first = 0, last = 0;
    Level level = Level::kPrimary;
    // The operator of a chain such as a + b + c, which needs no parentheses.
    std::string_view sign = {};
  };
  struct Infix;
  // What the parentheses belong to: in a call AS is refused, in a window ROWS and RANGE begin a
  // frame.
  enum class Inside { kQuery, kCall, kWindow };

  Status CheckDepth() const;

  // spark_operators.cc
  static const Infix* FindInfix(std::string_view word);
  const Infix* InfixHere() const;
  Result<Term> Expression(Level lowest);
  // An operand of a predicate, valueExpression in Spark's grammar; it may itself be a comparison.
  Result<Term> Value() { return Expression(Level::kComparison); }
  Result<Term> Operand(Level lowest);
  Result<Term> Negated();
  Result<Term> Signed();
  Result<Term> Operation(const Term& left, const Infix& infix);
  Result<Term> Predicate(const Term& left);
  Result<Term> Between(const Term& left);
  Result<Term> Like(const Term& left, bool negated);
  Result<Term> LikeAny(const Term& left, const std::string& form);
  Result<Term> In(const Term& left);
  Result<Term> Is(const Term& left);
  void Enclose(const Term& term);
  Term Until(const Term& left, Level level, std::string_view sign = {}) const;

  // spark_operands.cc
  Result<Term> Primary();
  Result<Term> Postfix(Term term);
  Result<Term> Word();
  Result<Term> Star();
  Result<Term> Texts();
  Result<Term> Case();
  Result<Term> Cast();
  Result<Term> Interval();
  Result<Term> IntervalTo(size_t first, size_t value);
  Result<Term> TypedText();
  Result<Term> Lambda(size_t first);
  void Name();
  void AliasName();

  // spark_calls.cc
  static bool IsReservedCall(std::string_view word);
  Status CheckName() const;
  Result<Term> Call();
  Status WordedCall();
  Status NamedCall();
  Status SpellUnit(size_t first);
  Status SchemaCall();
  Status OrderInside();
  Status Trailers(size_t first, size_t close);
  void MarkGroups(size_t first, size_t close);

  // spark_reader.cc
  static bool IsClause(std::string_view word);
  Status Items(Inside inside);
  Status Parentheses(Inside inside);
  Result<bool> Clause();
  Status RefusePipe() const;
  Status Groups();
  bool IsEnclosed(const Term& term) const;
  bool IsRow(const Term& term) const;
  bool AtQualify() const;
  bool AtTableQuery() const;
  bool AtAliases() const;
  void Aliases();
  void Alias();
  void SpellWindowBy();

  // spark_windows.cc
  Status Over(const std::string& function);
  bool AtFrame() const;
  Status Frame();
  Result<double> Bound();
  bool AtWindowClause() const;
  Status WindowClause();

  // spark_tables.cc
  Status Tables();
  Result<bool> Table(bool enclosed);
  Result<bool> EnclosedTable(bool lateral);
  void MarkLateral(size_t open, size_t close);
  Result<bool> TableAlias();
  bool AtRows() const;
  Status RowList();
  Result<bool> Rows(bool enclosed);
  Status RowsQuery();
  Result<bool> Joined();
  Status Join(size_t kinds);
  bool AtNameOfJoin() const;
  Status View();
  std::string ViewNames(size_t first);
  Status Pivot();
  bool AtBareAlias() const;
  Status Refuse(std::string what, std::string why = {}, std::string fix = {}) const {
    return sql_.Refuse(sql_.at(), std::move(what), std::move(why), std::move(fix));
  }
  std::string Here() const;

  Spelling& sql_;
  int depth_ = 0;
  std::string frame_;  // Of the window read last: its words in capitals; empty if it has none.
};

}  // namespace protium
