// SPDX-License-Identifier: Apache-2.0
// Spark's expressions, read by the precedence of its grammar (SqlBaseParser.g4 of Spark 4). A
// reader by recursive descent, one function a form; it works on tokens and writes edits beside
// them.
#pragma once

#include <string>
#include <string_view>

#include "base/depth.h"
#include "base/status.h"
#include "sql/spelling.h"

namespace protium {

// Reads a SELECT by the precedence of Spark's grammar and writes it so that DuckDB reads the same:
// operands that are operations are put in parentheses; words, literals and operators that only
// Spark writes so are spelt. What Spark's grammar does not allow, and what DuckDB's parser has no
// words for, is refused (kUsage) with its place.
//
// The tightest first; all of one line group from the left:
//   :: [] .     - + ~ (unary)     * / % DIV     + - ||     << >> >>>     &     ^     |
//   = == <> != < <= > >= <=> !< !>
//   BETWEEN IN LIKE ILIKE RLIKE IS (one, never a chain)
//   NOT !     AND     OR
class SparkReader {
 public:
  explicit SparkReader(Spelling& sql) : sql_(sql) {}
  Status Run();

 private:
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
  // What was read from token `first` to `last`, and what holds it together.
  struct Term {
    size_t first = 0, last = 0;
    Level level = Level::kPrimary;
    std::string_view sign = {};  // Of a chain that needs no parentheses: a + b + c.
  };
  struct Infix;
  enum class Inside { kQuery, kCall, kWindow };

  Status CheckDepth() const;

  // spark_operators.cc
  static const Infix* FindInfix(std::string_view word);
  const Infix* InfixHere() const;
  Result<Term> Expression(Level lowest);
  // An operand: above comparisons.
  Result<Term> Value() { return Expression(Level::kComparison); }
  Result<Term> Operand(Level lowest);
  Result<Term> Negated();
  Result<Term> Signed();
  Result<Term> Operation(const Term& left, const Infix& infix);
  Result<Term> Predicate(const Term& left);
  Result<Term> Between(const Term& left);
  Result<Term> Like(const Term& left, bool negated);
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
  Result<Term> TypedText();
  Result<Term> Lambda(size_t first);
  Result<Term> Call();
  Status WordedCall();
  Status NamedCall();
  Status Trailers(size_t close);
  void Name();

  // spark_reader.cc
  Status Items(Inside inside);
  Status Parentheses(Inside inside);
  Result<bool> Clause();
  bool AtFrame() const;
  Status Frame();
  Status Bound();
  bool AtWindowClause() const;
  Status WindowClause();
  Status Rows();
  bool AtNameOfJoin() const;
  Status Join();
  bool AtBareAlias() const;
  void Alias();
  Status Refuse(std::string what, std::string why = {}, std::string fix = {}) const {
    return sql_.Refuse(sql_.at(), std::move(what), std::move(why), std::move(fix));
  }
  std::string Here() const;

  Spelling& sql_;
  int depth_ = 0;
};

}  // namespace protium
