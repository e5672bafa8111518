// SPDX-License-Identifier: Apache-2.0
// Operators, by precedence climbing: Expression(lowest) reads an operand, and then every operator
// that binds at least as tightly as `lowest`, each with a right operand that binds more tightly
// than itself. An operand that is itself an operation is enclosed in parentheses, whatever DuckDB's
// precedence, unless it begins a chain of one operator that both engines group from the left.
#include <fmt/format.h>

#include <algorithm>

#include "sql_text/spark_reader.h"
#include "sql_words/literals.h"

namespace protium {

// An operator between two operands.
struct SparkReader::Infix {
  std::string_view word;
  Level level;
  std::string_view spelt = {};
  std::string_view call = {};  // A function to call instead of it.
  bool chains = false;         // a + b + c reads the same in DuckDB.
};

// One row each: the word, its level, DuckDB's spelling, the function to call instead (empty if the
// word stays), and whether DuckDB groups a chain of it from the left, as Spark does.
const SparkReader::Infix* SparkReader::FindInfix(std::string_view word) {
  using enum Level;
  static constexpr Infix kInfixes[] = {
      {"OR", kOr, "", "", true},
      {"AND", kAnd, "", "", true},
      {"BETWEEN", kPredicate},
      {"IN", kPredicate},
      {"LIKE", kPredicate},
      {"ILIKE", kPredicate},
      {"RLIKE", kPredicate},
      {"REGEXP", kPredicate},
      {"IS", kPredicate},
      {"=", kComparison},
      {"==", kComparison, "="},
      {"<>", kComparison},
      {"!=", kComparison},
      {"<", kComparison},
      {"<=", kComparison},
      {"!>", kComparison, "<="},
      {">", kComparison},
      {">=", kComparison},
      {"!<", kComparison, ">="},
      {"<=>", kComparison, "IS NOT DISTINCT FROM"},
      {"|", kBitOr},
      {"^", kBitXor},
      {"&", kBitAnd},
      {"<<", kShift, "", "shiftleft"},
      {">>", kShift, "", "shiftright"},
      {">>>", kShift, "", "shiftrightunsigned"},
      {"+", kSum, "", "", true},
      {"-", kSum, "", "", true},
      {"||", kSum, "", "", true},
      {"*", kProduct, "", "", true},
      {"/", kProduct},
      {"%", kProduct},
      {"DIV", kProduct, "//"},
  };
  const auto* found = std::find_if(std::begin(kInfixes), std::end(kInfixes),
                                   [&](const Infix& infix) { return infix.word == word; });
  return found == std::end(kInfixes) ? nullptr : found;
}

// The operator at this position, also after NOT (a NOT IN b); IS has its NOT after it.
const SparkReader::Infix* SparkReader::InfixHere() const {
  const bool negated = sql_.Is("NOT");
  const Infix* const infix = FindInfix(sql_.Peek(negated ? 1 : 0).word);
  const bool takes_not =
      infix != nullptr && infix->level == Level::kPredicate && infix->word != "IS";
  return negated && !takes_not ? nullptr : infix;
}

SparkReader::Term SparkReader::Until(const Term& left, Level level, std::string_view sign) const {
  return {left.first, sql_.at() - 1, level, sign};
}

void SparkReader::Enclose(const Term& term) {
  if (term.level != Level::kPrimary) sql_.Surround(term.first, term.last, "(", ")");
}

Result<SparkReader::Term> SparkReader::Expression(Level lowest) {
  PT_LET(Term left, Operand(lowest));
  while (true) {
    if (sql_.Is("|>")) return RefusePipe();
    if (sql_.IsOneOf({"!", "~"})) {
      return Refuse(fmt::format("Spark does not accept \"{}\" after an operand", sql_.Peek().word),
                    "", sql_.Is("!") ? "use NOT" : "use RLIKE");
    }
    const Infix* const infix = InfixHere();
    if (infix == nullptr || infix->level < lowest) return left;
    // A looser term cannot be the left operand of a tighter operator: NOT a + b negates a sum, and
    // a IS NULL + 1 is an error in Spark's grammar.
    const bool again = left.level == Level::kPredicate && infix->level == Level::kPredicate;
    if (left.level < infix->level || again) {
      return Refuse(fmt::format("Spark does not accept \"{}\" after a predicate", sql_.Peek().word),
                    "", "put the predicate before it in parentheses");
    }
    PT_LET(left, infix->level == Level::kPredicate ? Predicate(left) : Operation(left, *infix));
  }
}

Result<SparkReader::Term> SparkReader::Operand(Level lowest) {
  const Deeper deeper(depth_);
  PT_TRY(CheckDepth());
  if (sql_.IsOneOf({"NOT", "!"})) {
    // NOT after an operator, as in a = NOT b, is not an operand in Spark's grammar.
    if (lowest <= Level::kNot) return Negated();
    return Refuse(fmt::format("Spark does not accept \"{}\" after an operator", sql_.Peek().word),
                  "", "put what it negates in parentheses with it");
  }
  if (sql_.IsOneOf({"-", "+", "~"})) return Signed();
  PT_LET(const Term term, Primary());
  return Postfix(term);
}

Result<SparkReader::Term> SparkReader::Negated() {
  const Term negation{.first = sql_.at()};
  if (sql_.Is("!")) sql_.Replace(sql_.at(), sql_.at(), "NOT");
  sql_.Skip();
  PT_LET(const Term operand, Expression(Level::kNot));
  Enclose(operand);
  return Until(negation, Level::kNot);
}

// A minus before a number is part of the literal, as in Spark: -9223372036854775808 has no positive
// counterpart of its type.
Result<SparkReader::Term> SparkReader::Signed() {
  const Term term{.first = sql_.at()};
  if (sql_.Is("-") && sql_.IsKind(Token::Kind::kNumber, 1)) {
    const std::string_view number = sql_.TokenText(sql_.at() + 1);
    PT_LET(std::string spelt, DuckNumber("-", number));
    const bool call = spelt.ends_with(')');
    if (spelt.substr(1) != number) sql_.Replace(term.first, term.first + 1, std::move(spelt));
    sql_.Skip(2);
    return Postfix(Until(term, call ? Level::kPrimary : Level::kUnary));
  }
  const bool plus = sql_.Is("+");
  const bool minus = sql_.Is("-");
  sql_.Skip();
  PT_LET(const Term operand, Expression(Level::kUnary));
  if (plus) {
    Enclose(operand);
    return Until(term, Level::kUnary);
  }
  // Written as calls of the functions named - and ~: json_deserialize_sql would write ~(a) + b
  // without parentheses, and DuckDB would parse that as ~(a + b). Also, DuckDB's parser folds -(3)
  // into a literal, which it is not in Spark.
  sql_.Replace(term.first, term.first, minus ? "\"-\"" : "\"~\"");
  sql_.Surround(operand.first, operand.last, "(", ")");
  return Until(term, Level::kPrimary);
}

Result<SparkReader::Term> SparkReader::Operation(const Term& left, const Infix& infix) {
  const size_t sign = sql_.at();
  sql_.Skip();
  const bool query = sql_.Is("(", 1) && sql_.IsOneOf({"SELECT", "WITH", "FROM", "VALUES"}, 2);
  if (query && sql_.IsOneOf({"ALL", "ANY", "SOME"})) {
    return Refuse(fmt::format("a comparison with {} (a query)", sql_.Peek().word),
                  "Spark does not accept it", "compare with (SELECT max(x) ...), or use IN");
  }
  PT_LET(const Term right, Expression(static_cast<Level>(static_cast<int>(infix.level) + 1)));
  if (!infix.call.empty()) {
    sql_.Surround(left.first, right.last, fmt::format("{}(", infix.call), ")");
    sql_.Replace(sign, sign, ",");
    return Until(left, Level::kPrimary);
  }
  if (!infix.spelt.empty()) sql_.Replace(sign, sign, std::string(infix.spelt));
  if (!infix.chains || left.sign != infix.word) Enclose(left);
  Enclose(right);
  return Until(left, infix.level, infix.word);
}

Result<SparkReader::Term> SparkReader::Predicate(const Term& left) {
  const size_t first = sql_.at();
  Enclose(left);
  const bool negated = sql_.Is("NOT");
  if (negated) sql_.Skip();
  if (sql_.Is("BETWEEN")) return Between(left);
  if (sql_.Is("IN")) return In(left);
  if (sql_.Is("IS")) return Is(left);
  if (!sql_.IsOneOf({"RLIKE", "REGEXP"})) return Like(left, negated);
  // DuckDB's parser turns ~ and !~ into calls of regexp_full_match: see
  // sql_words/functions/patterns.cc.
  sql_.Replace(first, sql_.at(), negated ? "!~" : "~");
  sql_.Skip();
  PT_LET(const Term pattern, Value());
  Enclose(pattern);
  return Until(left, Level::kPredicate);
}

Result<SparkReader::Term> SparkReader::Between(const Term& left) {
  sql_.Skip();
  PT_LET(const Term lower, Value());
  Enclose(lower);
  if (!sql_.Is("AND")) return Refuse("BETWEEN has no AND");
  sql_.Skip();
  PT_LET(const Term upper, Value());
  Enclose(upper);
  return Until(left, Level::kPredicate);
}

Result<SparkReader::Term> SparkReader::Like(const Term& left, bool negated) {
  const std::string name = sql_.Peek().word;
  sql_.Skip();
  if (sql_.IsOneOf({"ANY", "SOME", "ALL"})) {
    return LikeAny(left, fmt::format("{}{} {}", negated ? "NOT " : "", name, sql_.Peek().word));
  }
  PT_LET(const Term pattern, Value());
  Enclose(pattern);
  if (sql_.Is("ESCAPE")) {
    sql_.Skip();
    PT_TRY(Primary().status());
  }
  return Until(left, Level::kPredicate);
}

// x LIKE ANY (a, b), whose operator is `form` and whose ANY is at the cursor, becomes a call: see
// LikeAnyRule.
Result<SparkReader::Term> SparkReader::LikeAny(const Term& left, const std::string& form) {
  sql_.Skip();
  if (!sql_.Is("(") || sql_.IsOneOf({")", "SELECT", "WITH"}, 1)) {
    return Refuse(fmt::format("{} has no list of patterns in parentheses", form));
  }
  sql_.Replace(left.last + 1, sql_.at(), ",");
  PT_TRY(Parentheses(Inside::kCall));
  sql_.Surround(left.first, left.last, fmt::format("like_any('{}', ", form), "");
  return Until(left, Level::kPrimary);
}

Result<SparkReader::Term> SparkReader::In(const Term& left) {
  sql_.Skip();
  if (!sql_.Is("(")) return Refuse("IN has no list in parentheses");
  if (sql_.Is("VALUES", 1)) {
    return Refuse("IN is given rows of VALUES", "Spark takes a list or a query",
                  "write IN (1, 2), or IN (SELECT * FROM VALUES 1, 2)");
  }
  PT_TRY(Parentheses(Inside::kQuery));
  return Until(left, Level::kPredicate);
}

Result<SparkReader::Term> SparkReader::Is(const Term& left) {
  sql_.Skip();
  if (sql_.Is("NOT")) sql_.Skip();
  if (sql_.IsOneOf({"NULL", "TRUE", "FALSE", "UNKNOWN"})) {
    sql_.Skip();
    return Until(left, Level::kPredicate);
  }
  if (!sql_.Is("DISTINCT") || !sql_.Is("FROM", 1)) {
    return Refuse(fmt::format("Spark does not accept IS before {}", Here()), "",
                  "use IS [NOT] NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
  }
  sql_.Skip(2);
  PT_LET(const Term right, Value());
  Enclose(right);
  return Until(left, Level::kPredicate);
}

}  // namespace protium
