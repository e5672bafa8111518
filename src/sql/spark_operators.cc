// SPDX-License-Identifier: Apache-2.0
// Operators, by precedence climbing: Expression(lowest) reads an operand and then all operators
// that bind at least as tightly as `lowest`, each with an operand that binds tighter.
#include <fmt/format.h>

#include <algorithm>

#include "sql/literals.h"
#include "sql/spark_reader.h"

namespace protium {

// An operator between two operands, and how DuckDB writes it; empty: the same.
struct SparkReader::Infix {
  std::string_view word;
  Level level;
  std::string_view spelt = {};
  std::string_view call = {};  // The function that stands for it in DuckDB.
  bool chains = false;         // a + b + c reads the same in DuckDB.
};

// A row: the word, how tightly it binds, what DuckDB writes for it or which function stands for it
// (each empty where it stays), and whether DuckDB groups a chain of it as Spark does, from the
// left.
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
    if (sql_.IsOneOf({"!", "~", "|>"})) {
      return Refuse(fmt::format("Spark reads no \"{}\" after an operand", sql_.Peek().word), "",
                    sql_.Is("!")   ? "use NOT"
                    : sql_.Is("~") ? "use RLIKE"
                                   : "");
    }
    const Infix* const infix = InfixHere();
    if (infix == nullptr || infix->level < lowest) return left;
    const bool again = left.level == Level::kPredicate && infix->level == Level::kPredicate;
    if (left.level < infix->level || again) {
      return Refuse(fmt::format("Spark reads no \"{}\" after a predicate", sql_.Peek().word), "",
                    "put the predicate before it in parentheses");
    }
    PT_LET(left, infix->level == Level::kPredicate ? Predicate(left) : Operation(left, *infix));
  }
}

Result<SparkReader::Term> SparkReader::Operand(Level lowest) {
  const Deeper deeper(depth_);
  PT_TRY(CheckDepth());
  if (sql_.IsOneOf({"NOT", "!"})) {
    if (lowest <= Level::kNot) return Negated();
    return Refuse(fmt::format("Spark reads no \"{}\" after an operator", sql_.Peek().word), "",
                  "put what it negates in parentheses with it");
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

// A minus belongs to the number after it, as in -9223372036854775808.
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
  // A tree that DuckDB writes as text again would have it as ~(a) + b, which is ~((a) + b); and of
  // -(3) its parser makes a number, which it is not in Spark.
  sql_.Replace(term.first, term.first, minus ? "\"-\"" : "\"~\"");
  sql_.Surround(operand.first, operand.last, "(", ")");
  return Until(term, Level::kPrimary);
}

Result<SparkReader::Term> SparkReader::Operation(const Term& left, const Infix& infix) {
  const size_t sign = sql_.at();
  sql_.Skip();
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
    return Refuse(fmt::format("{} {} is not known to the embedded engine", name, sql_.Peek().word),
                  "its parser has no such form",
                  fmt::format("write x {0}{1} 'a' {2} x {0}{1} 'b'", negated ? "NOT " : "", name,
                              sql_.Is("ALL") ? "AND" : "OR"));
  }
  PT_LET(const Term pattern, Value());
  Enclose(pattern);
  if (sql_.Is("ESCAPE")) {
    sql_.Skip();
    PT_TRY(Primary().status());
  }
  return Until(left, Level::kPredicate);
}

Result<SparkReader::Term> SparkReader::In(const Term& left) {
  sql_.Skip();
  if (!sql_.Is("(")) return Refuse("IN has no list in parentheses");
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
    return Refuse(fmt::format("Spark reads no IS before {}", Here()), "",
                  "use IS [NOT] NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
  }
  sql_.Skip(2);
  PT_LET(const Term right, Value());
  Enclose(right);
  return Until(left, Level::kPredicate);
}

}  // namespace protium
