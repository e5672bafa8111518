// SPDX-License-Identifier: Apache-2.0
// Operands: names, literals, casts, CASE, intervals, lambdas, and what may follow them. Calls are
// in spark_calls.cc. Each function reads one form from the current token on, leaves the cursor
// after it, and returns the tokens that it read as a Term.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sql_text/interval_literal.h"
#include "sql_text/spark_reader.h"
#include "sql_text/spark_types.h"
#include "sql_words/literals.h"

namespace protium {
namespace {

using Kind = Token::Kind;

template <size_t N>
bool IsAmong(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string Quoted(std::string_view name) { return InQuotes(name, '\"'); }

// Words that are plain names in Spark and reserved in DuckDB's grammar: written in quotes.
constexpr std::string_view kNames[] = {
    "ANALYSE",      "ANALYZE",    "ANTI",      "ANY",           "ARRAY",
    "ASOF",         "ASYMMETRIC", "AT",        "AUTHORIZATION", "BINARY",
    "CHECK",        "COLLATE",    "COLLATION", "COLUMN",        "COLUMNS",
    "CONCURRENTLY", "CONSTRAINT", "CREATE",    "DEFAULT",       "DEFERRABLE",
    "DESCRIBE",     "DO",         "FETCH",     "FOREIGN",       "FREEZE",
    "GENERATED",    "GLOB",       "INITIALLY", "INOUT",         "INTO",
    "ISNULL",       "LAMBDA",     "LEFT",      "MAP",           "NOTNULL",
    "ONLY",         "OUT",        "OVERLAPS",  "PIVOT_LONGER",  "PIVOT_WIDER",
    "PLACING",      "POSITIONAL", "PRIMARY",   "QUALIFY",       "REFERENCES",
    "RETURNING",    "RIGHT",      "SEMI",      "SETOF",         "SHOW",
    "SIMILAR",      "SOME",       "STRUCT",    "SUMMARIZE",     "SYMMETRIC",
    "TABLE",        "TO",         "TRY_CAST",  "UNIQUE",        "UNPACK",
    "VARIADIC",     "VERBOSE"};

// Words that form one literal with the text after them: DATE '2013-12-31', X'1F'.
constexpr std::string_view kTextTypes[] = {"DATE",          "TIMESTAMP", "TIMESTAMP_NTZ",
                                           "TIMESTAMP_LTZ", "TIME",      "X"};

// Operators: an operand is missing before them.
constexpr std::string_view kNoOperands[] = {"AND",   "OR",    "BETWEEN", "IN",  "IS",    "LIKE",
                                            "ILIKE", "RLIKE", "REGEXP",  "DIV", "ESCAPE"};

// A unit of an interval in the singular or plural: YEAR, YEARS.
bool IsUnit(const Token& token) {
  static constexpr std::string_view kUnits[] = {"YEAR",        "QUARTER",     "MONTH",     "WEEK",
                                                "DAY",         "HOUR",        "MINUTE",    "SECOND",
                                                "MILLISECOND", "MICROSECOND", "NANOSECOND"};
  std::string_view word = token.word;
  if (word.ends_with('S')) word.remove_suffix(1);
  return IsAmong(kUnits, word);
}

}  // namespace

std::string SparkReader::Here() const {
  if (sql_.IsKind(Kind::kEnd)) return "the end";
  return fmt::format("\"{:.60}\"", sql_.TokenText(sql_.at()));
}

Result<SparkReader::Term> SparkReader::Primary() {
  const size_t first = sql_.at();
  if (sql_.IsKind(Kind::kText)) return Texts();
  if (sql_.IsKind(Kind::kWord)) return Word();
  if (sql_.IsKind(Kind::kName)) {
    if (sql_.Is("->", 1)) return Lambda(first);
    if (sql_.Is("(", 1)) return Call();
    Name();
    return Term{first, first};
  }
  if (sql_.IsKind(Kind::kNumber)) {
    // A sign before it has already been read (Signed).
    PT_LET(std::string spelt, DuckNumber("", sql_.TokenText(first)));
    if (spelt != sql_.TokenText(first)) sql_.Replace(first, first, std::move(spelt));
    sql_.Skip();
    return Term{first, first};
  }
  if (sql_.Is("*")) return Star();
  if (!sql_.Is("(")) return Refuse(fmt::format("Spark expects an operand at {}", Here()));
  PT_TRY(Parentheses(Inside::kQuery));
  return sql_.Is("->") ? Lambda(first) : Result<Term>(Term{first, sql_.at() - 1});
}

Result<SparkReader::Term> SparkReader::Postfix(Term term) {
  const auto enclosed = [&] {
    Enclose(term);
    return Term{term.first, sql_.at() - 1};
  };
  while (true) {
    if (sql_.Is(".")) {
      sql_.Skip();
      if (sql_.Is("*")) return Star().Map([&](const Term&) { return enclosed(); });
      if (sql_.Is("(", 1)) {
        PT_TRY(Call().status());
      } else {
        Name();
      }
    } else if (sql_.Is("[")) {
      sql_.Skip();
      PT_TRY(Items(Inside::kQuery));
      if (!sql_.Is("]")) return Refuse(fmt::format("Spark expects a subscript at {}", Here()));
      sql_.Skip();
    } else if (sql_.Is("::")) {
      sql_.Skip();
      PT_TRY(SpellType(sql_));
    } else if (sql_.IsOneOf({"COLLATE", ":"})) {
      // Collations, and fields of JSON (a:b): each engine has its own rules for both.
      return Refuse(fmt::format("{} is not the same on every engine", Here()));
    } else {
      return term;
    }
    term = enclosed();
  }
}

Result<SparkReader::Term> SparkReader::Word() {
  const size_t first = sql_.at();
  const std::string word = sql_.Peek().word;
  const bool called = sql_.Is("(", 1), text = sql_.IsKind(Kind::kText, 1);
  if (IsAmong(kNoOperands, word) && !called) {
    return Refuse(fmt::format("Spark expects an operand at {}", Here()));
  }
  if (word == "CASE") return Case();
  if ((word == "CAST" || word == "TRY_CAST") && called) return Cast();
  // Otherwise INTERVAL is a name: SELECT interval FROM t.
  const bool value = text || sql_.IsKind(Kind::kNumber, 1) || sql_.IsOneOf({"-", "+"}, 1);
  if (word == "INTERVAL" && value) return Interval();
  if (text && IsAmong(kTextTypes, word)) return TypedText();
  // e'...' and b'...' are literals in DuckDB; Spark has no such prefix except r.
  if (text && sql_.Touches(first)) {
    return Refuse(fmt::format("Spark has no literal {}'...'", sql_.TokenText(first)));
  }
  if (sql_.Is("->", 1)) return Lambda(first);
  if (called) return Call();
  if (IsAmong(kNames, word) || IsDigit(word[0])) {
    sql_.Replace(first, first, Quoted(sql_.TokenText(first)));
  }
  sql_.Skip();
  return Term{first, first};
}

// Reads the name of a column, field, function or window; its quotes become DuckDB's.
void SparkReader::Name() {
  const size_t place = sql_.at();
  const std::string_view text = sql_.TokenText(place);
  if (sql_.IsKind(Kind::kName)) {
    std::string spelt = Quoted(ReadNameLiteral(text));
    if (spelt != text) sql_.Replace(place, place, std::move(spelt));
  } else if (sql_.IsKind(Kind::kWord) && IsDigit(text[0])) {
    sql_.Replace(place, place, Quoted(text));
  }
  sql_.Skip();
}

// The name of a table, view or pivot, in quotes if DuckDB's grammar reserves it.
void SparkReader::AliasName() {
  const std::string word = sql_.Peek().word;
  const bool reserved = IsAmong(kNames, word) || (IsReservedCall(word) && sql_.Is("(", 1));
  if (!sql_.IsKind(Kind::kWord) || !reserved) return Name();
  sql_.Replace(sql_.at(), sql_.at(), Quoted(sql_.TokenText(sql_.at())));
  sql_.Skip();
}

// * EXCEPT (a, b), which DuckDB calls EXCLUDE. Before a query, EXCEPT is the operation on two
// SELECTs.
Result<SparkReader::Term> SparkReader::Star() {
  const size_t first = sql_.at();
  sql_.Skip();
  if (sql_.Is("EXCEPT") && sql_.Is("(", 1) && !sql_.IsOneOf({"SELECT", "WITH", "("}, 2)) {
    sql_.Replace(sql_.at(), sql_.at(), "EXCLUDE");
    sql_.Skip();
    PT_TRY(Parentheses(Inside::kQuery));
  }
  return Term{first, sql_.at() - 1};
}

// Adjacent texts are joined, as in Spark; DuckDB does so only across lines.
Result<SparkReader::Term> SparkReader::Texts() {
  const size_t first = sql_.at();
  std::string text;
  for (; sql_.IsKind(Kind::kText); sql_.Skip()) text += ReadTextLiteral(sql_.TokenText(sql_.at()));
  const size_t last = sql_.at() - 1;
  std::string spelt = DuckTextLiteral(text);
  if (last > first || spelt != sql_.TokenText(first)) sql_.Replace(first, last, std::move(spelt));
  return Term{first, last};
}

Result<SparkReader::Term> SparkReader::Case() {
  const size_t first = sql_.at();
  sql_.Skip();
  while (!sql_.Is("END")) {
    if (sql_.IsOneOf({"WHEN", "THEN", "ELSE"})) {
      sql_.Skip();
      continue;
    }
    if (sql_.IsKind(Kind::kEnd)) return sql_.Refuse(first, "CASE has no END");
    PT_TRY(Expression(Level::kOr).status());
  }
  sql_.Skip();
  return Term{first, sql_.at() - 1};
}

Result<SparkReader::Term> SparkReader::Cast() {
  const size_t first = sql_.at();
  sql_.Skip(2);
  PT_TRY(Expression(Level::kOr).status());
  if (!sql_.Is("AS")) return Refuse(fmt::format("a cast has no AS before {}", Here()));
  sql_.Skip();
  PT_TRY(SpellType(sql_));
  if (!sql_.Is(")")) return Refuse(fmt::format("a cast does not end before {}", Here()));
  sql_.Skip();
  return Term{first, sql_.at() - 1};
}

// INTERVAL 1 DAY -2 HOURS becomes a sum of intervals of one unit each, the only form with a number
// that DuckDB reads. A sign or a fraction goes into a text: INTERVAL '-2' HOURS.
Result<SparkReader::Term> SparkReader::Interval() {
  const Term whole{.first = sql_.at()};
  sql_.Skip();
  size_t parts = 0;
  while (true) {
    const size_t first = sql_.at();
    const bool sign = sql_.IsOneOf({"-", "+"});
    if (sign && !sql_.IsKind(Kind::kNumber, 1) && !sql_.IsKind(Kind::kText, 1)) break;
    const size_t value = first + (sign ? 1 : 0);
    const bool text = sql_.TokenAt(value).kind == Kind::kText;
    if (!text && sql_.TokenAt(value).kind != Kind::kNumber) break;
    if (!IsUnit(sql_.TokenAt(value + 1))) {
      // After the first part, a number without a unit belongs to what follows the interval: + 1.
      if (parts > 0) break;
      sql_.Skip();  // INTERVAL '1 day 2 hours'
      return Term{whole.first, sql_.at() - 1};
    }
    if (sql_.TokenAt(value + 1).Is("QUARTER") || sql_.TokenAt(value + 1).Is("QUARTERS")) {
      return Refuse("an interval in quarters is not supported", "Spark does not read this unit",
                    "write INTERVAL 3 MONTHS");
    }
    if (sql_.TokenAt(value + 2).Is("TO")) {
      if (parts == 0) return IntervalTo(whole.first, value);
      return Refuse("an interval from one unit TO another follows another interval",
                    "Spark reads it alone",
                    "add them: INTERVAL 1 DAY + INTERVAL '2:3' HOUR TO MINUTE");
    }
    if (parts++ > 0) sql_.Surround(first, first, "+ INTERVAL ", "");
    const std::string number =
        text ? ReadTextLiteral(sql_.TokenText(value)) : std::string(sql_.TokenText(value));
    const bool minus = sql_.TokenAt(first).Is("-");
    if (sign || (!text && number.find('.') != std::string::npos)) {
      sql_.Replace(first, value, fmt::format("'{}{}'", minus ? "-" : "", number));
    }
    sql_.Skip(value + 2 - first);
  }
  if (parts > 1) sql_.Surround(whole.first, sql_.at() - 1, "(", ")");
  return Term{whole.first, sql_.at() - 1};
}

// INTERVAL '1 02:03' DAY TO MINUTE, whose text is the token `value`.
Result<SparkReader::Term> SparkReader::IntervalTo(size_t first, size_t value) {
  const auto unit = [&](size_t place) {
    std::string word = sql_.TokenAt(place).word;
    if (word.ends_with('S')) word.pop_back();
    return word;
  };
  const bool text = sql_.TokenAt(value).kind == Kind::kText;
  const std::string given = text ? ReadTextLiteral(sql_.TokenText(value)) : "";
  const bool minus = sql_.TokenAt(value - 1).Is("-");
  const auto spelt = DuckInterval(given, unit(value + 1), unit(value + 3), minus);
  if (!spelt) {
    return sql_.Refuse(
        value, fmt::format("Spark reads no interval from {:.60}", sql_.TokenText(value)),
        fmt::format("it is to be of units from {} to {}", unit(value + 1), unit(value + 3)),
        "write INTERVAL '1-2' YEAR TO MONTH, or '1 02:03:04' DAY TO SECOND");
  }
  sql_.Replace(first, value + 3, fmt::format("CAST('{}' AS INTERVAL)", *spelt));
  sql_.Skip(value + 4 - sql_.at());
  return Term{first, value + 3};
}

// DATE '2013-12-31', X'1F'
Result<SparkReader::Term> SparkReader::TypedText() {
  const size_t first = sql_.at();
  const std::string text = ReadTextLiteral(sql_.TokenText(first + 1));
  // Hexadecimal digits, two per byte; an odd number of them gets a leading zero, as in Spark.
  if (sql_.Is("X")) {
    std::string bytes = text.size() % 2 == 0 ? "" : "0";
    bytes += text;
    if (bytes.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
      return Refuse("a literal X'...' holds something other than hexadecimal digits");
    }
    sql_.Replace(first, first + 1, fmt::format("binary_literal('{}')", bytes));
  } else {
    // Times have no zone here: see spark_types.cc.
    if (sql_.Is("TIMESTAMP_NTZ")) {
      sql_.Replace(first, first, "TIMESTAMP_S");
    } else if (sql_.Is("TIMESTAMP_LTZ")) {
      sql_.Replace(first, first, "TIMESTAMP");
    }
    std::string spelt = InQuotes(text, '\'');
    if (spelt != sql_.TokenText(first + 1)) sql_.Replace(first + 1, first + 1, std::move(spelt));
  }
  sql_.Skip(2);
  return Term{first, first + 1};
}

// x -> body or (x, y) -> body, which DuckDB writes as lambda x, y: body. The parameters begin at
// `first`; the cursor is at the arrow, or at the single parameter before it.
Result<SparkReader::Term> SparkReader::Lambda(size_t first) {
  if (!sql_.Is("->")) sql_.Skip();
  const size_t arrow = sql_.at();
  std::string names;
  for (size_t place = first; place < arrow; ++place) {
    const Token& token = sql_.TokenAt(place);
    if (token.kind != Kind::kWord && token.kind != Kind::kName) continue;
    const std::string_view text = sql_.TokenText(place);
    names += (names.empty() ? "" : ", ") +
             (token.kind == Kind::kName ? Quoted(ReadNameLiteral(text)) : std::string(text));
  }
  sql_.Replace(first, arrow, "lambda " + names + ":");
  sql_.Skip();
  PT_TRY(Expression(Level::kOr).status());
  return Term{first, sql_.at() - 1, Level::kOr};
}

}  // namespace protium
