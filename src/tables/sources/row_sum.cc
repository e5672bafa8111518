// SPDX-License-Identifier: Apache-2.0
#include "sources/row_sum.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include "base/fault.h"
#include "base/text.h"
#include "sources/source.h"
#include "sources/source_name.h"

namespace protium {
namespace {

// The table, or the query without what would end it in the middle of ours.
std::string RowsOf(const Source& source) {
  if (!source.table.empty()) return QuotedName(source.table, QuoteOf(source.kind)) + " AS pt";
  std::string query(Trimmed(source.query, " \t\r\n;"));
  return "(" + query + "\n) AS pt";
}

// PostgreSQL has hashes for numbers, times and bytes; all else is hashed as text, byte by byte.
bool IsHashedAsItIs(const arrow::DataType& type) {
  return arrow::is_numeric(type.id()) || arrow::is_decimal(type.id()) ||
         arrow::is_temporal(type.id()) || type.id() == arrow::Type::BOOL ||
         type.id() == arrow::Type::BINARY;
}

// With a seed, 0 and NULL have different hashes. The hash of a record is linear in those of its
// values: were it not hashed once more, the sum would miss values that move between rows.
std::string PostgresSum(const arrow::Schema& schema, const std::string& rows) {
  std::string values;
  for (const auto& field : schema.fields()) {
    const std::string column = "pt." + InQuotes(field->name(), '"');
    values += values.empty() ? "" : ", ";
    values += IsHashedAsItIs(*field->type())
                  ? column
                  : fmt::format("CAST({} AS text) COLLATE \"C\"", column);
  }
  return fmt::format(
      "SELECT CAST(coalesce(sum(hashint8extended(hash_record_extended(ROW({}), 42), 42)), 0) AS "
      "text) AS summed FROM {}",
      values, rows);
}

// Floats have few digits as texts, doubles all of them.
std::string MysqlSum(const arrow::Schema& schema, const std::string& rows) {
  std::string values;
  for (const auto& field : schema.fields()) {
    const bool single = field->type()->id() == arrow::Type::FLOAT;
    values += fmt::format(", coalesce(crc32(pt.{}{}), 'NULL')", InQuotes(field->name(), '`'),
                          single ? " + 0e0" : "");
  }
  return fmt::format(
      "SELECT CAST(coalesce(sum(CAST(conv(left(md5(concat_ws(','{})), 15), 16, 10) AS UNSIGNED)), "
      "0) AS CHAR) AS summed FROM {}",
      values, rows);
}

std::string_view WordOf(std::string_view sum) { return sum.substr(0, sum.find(' ') + 1); }

}  // namespace

std::string CountQuery(const Source& source) {
  return "SELECT count(*) AS counted FROM " + RowsOf(source);
}

std::string SumQuery(const Source& source, const arrow::Schema& schema) {
  PT_CHECK(RowOf(source.kind).server);
  return source.kind == SourceKind::kMysql ? MysqlSum(schema, RowsOf(source))
                                           : PostgresSum(schema, RowsOf(source));
}

std::string_view SumWord(SourceKind kind) {
  return kind == SourceKind::kMysql ? "md5" : "hash_record";
}

bool AreOfOneKind(std::string_view sum, std::string_view other) {
  return !sum.empty() && !other.empty() && WordOf(sum) == WordOf(other);
}

}  // namespace protium
