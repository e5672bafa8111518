// SPDX-License-Identifier: Apache-2.0
#include "sql_text/spark_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "sql_words/literals.h"

namespace protium {
namespace {

// Spark's names of types without parameters, and DuckDB's. All three kinds of TIMESTAMP become the
// one without a zone: sessions of both engines run in UTC, where they are the same. Only text that
// names a zone is read differently, so a cast to TIMESTAMP_NTZ is written with kLocalTimestamp,
// which CastRule replaces.
constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"BOOLEAN", "BOOLEAN"},
                                                                    {"TINYINT", "TINYINT"},
                                                                    {"BYTE", "TINYINT"},
                                                                    {"SMALLINT", "SMALLINT"},
                                                                    {"SHORT", "SMALLINT"},
                                                                    {"INT", "INT"},
                                                                    {"INTEGER", "INTEGER"},
                                                                    {"BIGINT", "BIGINT"},
                                                                    {"LONG", "BIGINT"},
                                                                    {"FLOAT", "FLOAT"},
                                                                    {"REAL", "REAL"},
                                                                    {"DOUBLE", "DOUBLE"},
                                                                    {"DATE", "DATE"},
                                                                    {"STRING", "STRING"},
                                                                    {"BINARY", "BLOB"},
                                                                    {"TIMESTAMP", "TIMESTAMP"},
                                                                    {"TIMESTAMP_NTZ", "TIMESTAMP"},
                                                                    {"TIMESTAMP_LTZ", "TIMESTAMP"},
                                                                    {"VARCHAR", "VARCHAR"},
                                                                    {"CHAR", "VARCHAR"},
                                                                    {"CHARACTER", "VARCHAR"}};

constexpr std::string_view kLocalTimestamp = "TIMESTAMP_S";

// The most types within one type: more would overflow the stack.
constexpr int kDeepest = 1000;

class TypeReader {
 public:
  explicit TypeReader(Spelling& sql, bool colons = true) : sql_(sql), colons_(colons) {}

  Result<std::string> Read() {
    if (depth_ == kDeepest) return sql_.Refuse(sql_.at(), "a type is nested too deep");
    ++depth_;
    Result<std::string> type = ReadOne();
    --depth_;
    return type;
  }

 private:
  Result<std::string> ReadOne() {
    if (sql_.Is("ARRAY")) return ReadArray();
    if (sql_.Is("MAP")) return ReadMap();
    if (sql_.Is("STRUCT")) return ReadStruct();
    if (sql_.IsOneOf({"DECIMAL", "DEC", "NUMERIC"})) return ReadDecimal();
    const std::string word = sql_.Peek().word;
    const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const auto& type) { return type.first == word; });
    if (known == std::end(kTypes)) return RefuseType();
    const std::string_view text = sql_.TokenText(sql_.at());
    sql_.Skip();
    // TIMESTAMP WITHOUT TIME ZONE.
    if (word == "TIMESTAMP" && sql_.Is("WITHOUT")) sql_.Skip(3);
    if (word == "TIMESTAMP_NTZ" && depth_ == 1) return std::string(kLocalTimestamp);
    // A cast to VARCHAR(n) or CHAR(n) retains the whole text: in Spark lengths apply only to
    // columns of tables.
    if (known->second == "VARCHAR" && sql_.Is("(")) sql_.Skip(3);
    return std::string(known->first == known->second ? text : known->second);
  }

  Status RefuseType() const {
    const std::string name(sql_.TokenText(sql_.at()));
    return sql_.Refuse(
        sql_.at(), fmt::format("Spark has no type \"{:.60}\"", name), "",
        Upper(name) == "TEXT" ? "use STRING" : "use STRING, BIGINT, DOUBLE, DATE, TIMESTAMP ...");
  }

  Status Expect(std::string_view sign) {
    if (!sql_.Is(sign)) {
      return sql_.Refuse(sql_.at(), fmt::format("\"{}\" is missing in a type", sign));
    }
    sql_.Skip();
    return Status::OK();
  }

  // Takes one ">". The lexer reads the end of array<array<int>> as the single token >>, so the rest
  // of such a token is counted in open_.
  Status Close() {
    if (open_ > 0) {
      --open_;
      return Status::OK();
    }
    if (!sql_.IsOneOf({">", ">>", ">>>"})) return Expect(">");
    open_ = static_cast<int>(sql_.Peek().size) - 1;
    sql_.Skip();
    return Status::OK();
  }

  Result<std::string> ReadArray() {
    sql_.Skip();
    PT_TRY(Expect("<"));
    PT_LET(const std::string item, Read());
    PT_TRY(Close());
    return item + "[]";
  }

  Result<std::string> ReadMap() {
    sql_.Skip();
    PT_TRY(Expect("<"));
    PT_LET(const std::string key, Read());
    PT_TRY(Expect(","));
    PT_LET(const std::string value, Read());
    PT_TRY(Close());
    return fmt::format("MAP({}, {})", key, value);
  }

  Result<std::string> ReadStruct() {
    sql_.Skip();
    PT_TRY(Expect("<"));
    std::string fields;
    while (true) {
      const std::string_view text = sql_.TokenText(sql_.at());
      const std::string name =
          sql_.IsKind(Token::Kind::kName) ? ReadNameLiteral(text) : std::string(text);
      sql_.Skip();
      if (sql_.Is(":") && (colons_ || depth_ > 1)) sql_.Skip();
      PT_LET(const std::string type, Read());
      if (sql_.Is("NOT") && sql_.Is("NULL", 1)) sql_.Skip(2);
      if (sql_.Is("COMMENT") && sql_.IsKind(Token::Kind::kText, 1)) sql_.Skip(2);
      fields += (fields.empty() ? "" : ", ") + InQuotes(name, '\"') + " " + type;
      if (open_ > 0 || !sql_.Is(",")) break;
      sql_.Skip();
    }
    PT_TRY(Close());
    return "STRUCT(" + fields + ")";
  }

  Result<std::string> ReadDecimal() {
    sql_.Skip();
    // Spark's default (DecimalType.USER_DEFAULT); DuckDB's is DECIMAL(18, 3).
    if (!sql_.Is("(")) return std::string("DECIMAL(10, 0)");
    sql_.Skip();
    std::string precision(sql_.TokenText(sql_.at())), scale = "0";
    sql_.Skip();
    if (sql_.Is(",")) {
      sql_.Skip();
      scale = sql_.TokenText(sql_.at());
      sql_.Skip();
    }
    PT_TRY(Expect(")"));
    return fmt::format("DECIMAL({}, {})", precision, scale);
  }

  Spelling& sql_;
  bool colons_;    // Whether the outermost struct may have colons behind names.
  int depth_ = 0;  // Types around the one being read.
  int open_ = 0;   // How many > of a >> or >>> token are left.
};

}  // namespace

Result<std::string> SpellSchema(const std::string& schema, const Spelling& sql) {
  const size_t first = schema.find_first_not_of(" \t\r\n");
  const std::string start = Upper(first == std::string::npos ? "" : schema.substr(first, 7));
  const bool type =
      start.starts_with("STRUCT<") || start.starts_with("ARRAY<") || start.starts_with("MAP<");
  const std::string text = type ? schema : "STRUCT<" + schema + ">";
  Spelling tokens(text);
  const auto spelt = tokens.Check().ok() ? TypeReader(tokens, type).Read() : Status::Invalid("");
  if (spelt.ok() && tokens.IsKind(Token::Kind::kEnd)) return spelt;
  return sql.Refuse(
      sql.at(), fmt::format("\"{:.80}\" is not a schema", schema),
      spelt.ok() || FaultOf(spelt.status()).what.empty() ? "" : FaultOf(spelt.status()).what,
      "write names and types of Spark's, as in 'a INT, b ARRAY<STRING>'");
}

Status SpellType(Spelling& sql) {
  const size_t first = sql.at();
  PT_LET(std::string type, TypeReader(sql).Read());
  if (sql.Is("COLLATE")) return sql.Refuse(sql.at(), "collations differ between the engines");
  const size_t last = sql.at() - 1;
  if (last > first || sql.TokenText(first) != type) sql.Replace(first, last, std::move(type));
  return Status::OK();
}

}  // namespace protium
