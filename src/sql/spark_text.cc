// SPDX-License-Identifier: Apache-2.0
#include "sql/spark_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/fault.h"

namespace protium {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string Upper(std::string_view word) {
  std::string upper(word);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return upper;
}

template <size_t N>
bool In(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Types that Spark also takes as functions.
constexpr std::array<std::string_view, 11> kTypes = {"BIGINT", "INT",       "SMALLINT", "TINYINT",
                                                     "DOUBLE", "FLOAT",     "STRING",   "BOOLEAN",
                                                     "DATE",   "TIMESTAMP", "CHAR"};

// Names in Spark that DuckDB's grammar keeps for itself.
constexpr std::array<std::string_view, 20> kReserved = {
    "AT",      "ASOF",   "POSITIONAL", "GENERATED", "FREEZE",    "OUT",       "INOUT",
    "SETOF",   "SHOW",   "PLACING",    "SUMMARIZE", "DO",        "ANALYSE",   "VARIADIC",
    "QUALIFY", "LAMBDA", "DEFERRABLE", "INITIALLY", "SYMMETRIC", "ASYMMETRIC"};

class Rewriting {
 public:
  explicit Rewriting(const std::string& sql) : sql_(sql) {}

  Result<DuckText> Run() {
    while (at_ < sql_.size()) PT_TRY(Token());
    return std::move(out_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }
  bool Starts(std::string_view token) const {
    return std::string_view(sql_).substr(at_).starts_with(token);
  }

  void Copy(size_t count) {
    out_.text.append(sql_, at_, count);
    at_ += count;
  }

  // Puts `text` in the place of the next `count` characters.
  void Replace(size_t count, std::string_view text) {
    out_.marks.emplace_back(out_.text.size(), at_);
    out_.text += text;
    at_ += count;
    out_.marks.emplace_back(out_.text.size(), at_);
  }

  Status Token() {
    const char c = Peek();
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      Copy(1);
      return Status::OK();
    }
    if (Starts("--")) return Skip("\n");
    if (Starts("/*")) return Skip("*/");
    const char raw = (c == 'r' || c == 'R') ? Peek(1) : '\0';
    if (c == '\'' || raw == '\'') return Text(raw == '\'');
    if (c == '"') return Name('"');
    if (c == '`') return Name('`');
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)) && !operand_)) return Number();
    if (IsWord(c)) return Word();
    return Operator();
  }

  Status Skip(std::string_view until) {
    const size_t end = sql_.find(until, at_);
    Copy(end == std::string::npos ? sql_.size() - at_ : end + until.size() - at_);
    return Status::OK();
  }

  Status Name(char quote) {
    size_t end = at_ + 1;
    std::string name = "\"";
    for (; end < sql_.size(); ++end) {
      if (sql_[end] == quote && (end + 1 >= sql_.size() || sql_[end + 1] != quote)) break;
      if (sql_[end] == quote) ++end;
      name.append(sql_[end] == '"' ? 2 : 1, sql_[end]);
    }
    if (end >= sql_.size()) return Unclosed("name");
    const size_t count = end + 1 - at_;
    if (quote == '"') {
      Copy(count);
    } else {
      Replace(count, name + "\"");
    }
    Done(true);
    return Status::OK();
  }

  Status Text(bool raw) {
    size_t end = at_ + (raw ? 2 : 1);
    std::string text = "'";
    while (end < sql_.size()) {
      if (sql_[end] == '\'' && end + 1 < sql_.size() && sql_[end + 1] == '\'') {
        text += "''";
        end += 2;
      } else if (sql_[end] == '\'') {
        break;
      } else if (sql_[end] == '\\' && !raw && end + 1 < sql_.size()) {
        Escape(end, text);
      } else {
        text += sql_[end++];
      }
    }
    if (end >= sql_.size()) return Unclosed("text");
    text += "'";
    const size_t count = end + 1 - at_;
    if (sql_.compare(at_, count, text) == 0) {
      Copy(count);
    } else {
      Replace(count, text);
    }
    Done(true);
    return Status::OK();
  }

  // \% and \_ stay for LIKE; an escape that is none stands for its character.
  void Escape(size_t& at, std::string& text) const {
    static constexpr std::string_view kFrom = "ntrb0Z", kTo("\n\t\r\b\0\x1a", 6);
    const char c = sql_[at + 1];
    at += 2;
    if (c == 'u' && at + 4 <= sql_.size() && Code(sql_.substr(at, 4), text)) {
      at += 4;
    } else if (const size_t known = kFrom.find(c); known != std::string_view::npos) {
      text += kTo[known];
    } else if (c == '%' || c == '_') {
      text += '\\';
      text += c;
    } else {
      text += c == '\'' ? "''" : std::string(1, c);
    }
  }

  static bool Code(const std::string& digits, std::string& text) {
    if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return false;
    const auto code = static_cast<uint32_t>(std::stoul(digits, nullptr, 16));
    if (code < 0x80) {
      text.append(code == '\'' ? 2 : 1, static_cast<char>(code));
    } else if (code < 0x800) {
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      text += static_cast<char>(0xe0 | code >> 12);
      text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
    return true;
  }

  Status Number() {
    size_t end = at_;
    const auto digits = [&] {
      while (end < sql_.size() && IsDigit(sql_[end])) ++end;
    };
    digits();
    if (end < sql_.size() && sql_[end] == '.') {
      ++end;
      digits();
    }
    if (end < sql_.size() && (sql_[end] == 'e' || sql_[end] == 'E')) {
      const size_t sign = end + 1 < sql_.size() && (sql_[end + 1] == '-' || sql_[end + 1] == '+');
      if (end + 1 + sign < sql_.size() && IsDigit(sql_[end + 1 + sign])) {
        end += 1 + sign;
        digits();
      }
    }
    const std::string number = sql_.substr(at_, end - at_);
    size_t tail = end;
    while (tail < sql_.size() && IsWord(sql_[tail])) ++tail;
    Suffix(number, Upper(std::string_view(sql_).substr(end, tail - end)), tail - at_);
    Done(true);
    return Status::OK();
  }

  void Suffix(const std::string& number, const std::string& suffix, size_t count) {
    static constexpr std::pair<std::string_view, std::string_view> kSuffixes[] = {
        {"D", "DOUBLE"}, {"F", "FLOAT"}, {"L", "BIGINT"}, {"S", "SMALLINT"}, {"Y", "TINYINT"}};
    for (const auto& [letter, type] : kSuffixes) {
      if (letter == suffix) return Replace(count, fmt::format("CAST('{}' AS {})", number, type));
    }
    if (suffix == "BD") return Replace(count, number);
    Copy(count);
  }

  // The word that follows `count` characters on, in capitals, and where it ends.
  std::pair<std::string, size_t> NextWord(size_t count) const {
    size_t start = at_ + count;
    while (start < sql_.size() && (sql_[start] == ' ' || sql_[start] == '\n')) ++start;
    size_t end = start;
    while (end < sql_.size() && IsWord(sql_[end])) ++end;
    return {Upper(std::string_view(sql_).substr(start, end - start)), end - at_};
  }

  Status Word() {
    size_t count = 0;
    while (at_ + count < sql_.size() && IsWord(sql_[at_ + count])) ++count;
    const std::string word = Upper(std::string_view(sql_).substr(at_, count));
    size_t after = at_ + count;
    while (after < sql_.size() && sql_[after] == ' ') ++after;
    const bool called = after < sql_.size() && sql_[after] == '(';
    const auto [next, next_end] = NextWord(count);
    if (word == "REGEXP_FULL_MATCH" && called) return Refuse("regexp_full_match", "regexp_like");
    const bool as = last_ == "AS";
    last_ = word;
    if ((word == "RLIKE" || word == "REGEXP") && !called && operand_) {
      return Infix(count, "~");
    }
    if (word == "NOT" && (next == "RLIKE" || next == "REGEXP") && operand_) {
      return Infix(next_end, "!~");
    }
    if (word == "DIV" && operand_) return Infix(count, "//");
    if (word == "LEFT" && (next == "SEMI" || next == "ANTI")) return Infix(next_end, next);
    if (word == "TIMESTAMP_NTZ" || word == "TIMESTAMP_LTZ") {
      Replace(count, "TIMESTAMP");
    } else if ((In(kTypes, word) && called && !as) || (In(kReserved, word) && !called)) {
      Replace(count, "\"" + sql_.substr(at_, count) + "\"");
    } else {
      Copy(count);
    }
    operand_ = !IsKeyword(word);
    return Status::OK();
  }

  // After these words an operand is still to come.
  static bool IsKeyword(std::string_view word) {
    static constexpr std::array<std::string_view, 22> kWords = {
        "SELECT", "WHERE",  "AND", "OR",    "NOT",     "ON",   "BY",   "WHEN",
        "THEN",   "ELSE",   "IN",  "CASE",  "LIKE",    "AS",   "FROM", "DISTINCT",
        "JOIN",   "HAVING", "IS",  "ILIKE", "BETWEEN", "LIMIT"};
    return In(kWords, word);
  }

  Status Infix(size_t count, std::string_view text) {
    Replace(count, text);
    operand_ = false;
    return Status::OK();
  }

  Status Operator() {
    if (Starts("<=>")) return Infix(3, " IS NOT DISTINCT FROM ");
    for (const std::string_view foreign : {"//", "**", "!~", "^@", "->>", "->", "@>", "<@"}) {
      if (Starts(foreign)) return Refuse(foreign, "");
    }
    if (Peek() == '~' && operand_) return Refuse("~", "RLIKE");
    const char c = Peek();
    Copy(1);
    Done(c == ')' || c == ']');
    return Status::OK();
  }

  void Done(bool operand) {
    operand_ = operand;
    last_.clear();
  }

  Status Unclosed(std::string_view what) const {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("a {} in quotes is never closed", what),
                 .where = PlaceIn(sql_, at_)});
  }

  Status Refuse(std::string_view token, std::string_view instead) const {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" is not the same on every engine", token),
                 .where = PlaceIn(sql_, at_),
                 .why = "the embedded engine has it, Spark has not",
                 .fix = instead.empty() ? "" : fmt::format("use {}", instead)});
  }

  const std::string& sql_;
  DuckText out_;
  size_t at_ = 0;
  bool operand_ = false;  // Whether an operand has just ended, so that an operator may follow.
  std::string last_;      // The last token, if it was a word, in capitals.
};

}  // namespace

size_t DuckText::Origin(size_t offset) const {
  size_t here = 0, there = 0;
  for (const auto& [at, origin] : marks) {
    if (at > offset) break;
    here = at;
    there = origin;
  }
  return there + (offset - here);
}

Result<DuckText> FromSpark(const std::string& sql) { return Rewriting(sql).Run(); }

std::string PlaceIn(const std::string& sql, size_t offset) {
  const std::string_view before(sql.data(), std::min(offset, sql.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t start = before.rfind('\n');
  const size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("the SQL text, line {}, column {}", line, column);
}

}  // namespace protium
