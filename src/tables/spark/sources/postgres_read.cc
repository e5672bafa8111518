// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "connect/types.h"
#include "sources/source_name.h"
#include "spark/sources/table_read.h"

namespace protium {
namespace {

// Tables of more pages are read by several tasks: 8 KiB a page.
constexpr int64_t kPagesPerPart = 2000;
constexpr int64_t kMostParts = 32;

std::string Name(const std::string& name) { return InQuotes(name, '"'); }

std::string Qualified(const std::string& table) {
  std::string text;
  for (const std::string& part : NameParts(table)) text += (text.empty() ? "" : ".") + Name(part);
  return text;
}

// A type as the server's catalogue has it.
struct PostgresType {
  std::string name;      // "numeric", "uuid"; without digits in parentheses.
  std::string kind;      // pg_type.typtype: b, c(omposite), d(omain), e(num), r(ange) ...
  std::string category;  // pg_type.typcategory: A(rray), G(eometric), ...
  int64_t digits = -1;   // pg_attribute.atttypmod.
};

bool IsWhole(const PostgresType& type) {
  return type.name == "smallint" || type.name == "integer" || type.name == "bigint";
}

// The digits of a query's column in the catalogue's form. A number without any is delivered with 38
// and 18, and with the driver's own answer, 0.
int64_t DigitsOf(const arrow::Schema& delivered, const std::string& column) {
  const auto field = delivered.GetFieldByName(column);
  if (field == nullptr || field->type()->id() != arrow::Type::DECIMAL128) return -1;
  const auto& type = static_cast<const arrow::DecimalType&>(*field->type());
  if (type.scale() == 18 && connect::NoteOf(*field, "scale") != "18") return -1;
  return (int64_t{type.precision()} << 16) + type.scale() + 4;
}

// The words of DuckDB for a span of time: "1 year 2 months 3 days 04:05:06.5".
std::string SpanText(const std::string& x) {
  std::string parts;
  for (const char* unit : {"year", "month", "day"}) {
    const std::string number = fmt::format("extract({} FROM {})::int", unit, x);
    parts += fmt::format(
        "CASE {0} WHEN 0 THEN NULL WHEN 1 THEN '1 {1}' WHEN -1 THEN '-1 {1}' ELSE {0} || ' {1}s' "
        "END, ",
        number, unit);
  }
  parts += fmt::format(
      "nullif(make_interval(hours => extract(hour FROM {0})::int, mins => extract(minute FROM "
      "{0})::int, secs => extract(second FROM {0})::float8)::text, '00:00:00')",
      x);
  return fmt::format(
      "CASE WHEN {} IS NULL THEN NULL ELSE coalesce(nullif(concat_ws(' ', {}), ''), '00:00:00') "
      "END",
      x, parts);
}

// Texts compare byte by byte, as they do here, whatever the database's own order is.
ColumnRead AsText(const std::string& column, const std::string& text) {
  return {column, text + " COLLATE \"C\"", "STRING"};
}

Result<ColumnRead> Decimals(const Source& source, const std::string& column, int64_t digits) {
  if (digits < 0) return ColumnRead{column, Name(column) + "::float8", "DOUBLE"};
  const int64_t precision = ((digits - 4) >> 16) & 0xffff;
  const int64_t scale = (((digits - 4) & 0x7ff) ^ 1024) - 1024;
  if (precision > 38 || scale < 0 || scale > precision) {
    return NoColumn(source, column, fmt::format("numeric({},{})", precision, scale));
  }
  return ColumnRead{column, Name(column), fmt::format("DECIMAL({},{})", precision, scale)};
}

Result<ColumnRead> ReadColumn(const Source& source, const std::string& column,
                              const PostgresType& type) {
  static const std::vector<std::array<std::string, 3>> kPlain = {
      {"smallint", "", "SMALLINT"},
      {"integer", "", "INT"},
      {"bigint", "", "BIGINT"},
      {"oid", "::int8", "BIGINT"},
      {"real", "", "FLOAT"},
      {"double precision", "", "DOUBLE"},
      {"boolean", "", "BOOLEAN"},
      {"date", "", "DATE"},
      {"bytea", "", "BINARY"},
      {"timestamp without time zone", "", "TIMESTAMP_NTZ"},
      {"timestamp with time zone", "", "TIMESTAMP"}};
  const std::string name = Name(column);
  for (const auto& [known, cast, spark] : kPlain) {
    if (type.name == known) return ColumnRead{column, name + cast, spark};
  }
  if (type.name == "numeric") return Decimals(source, column, type.digits);
  if (type.name == "interval") return AsText(column, "(" + SpanText(name) + ")");
  if (type.kind == "c" || type.category == "G") return NoColumn(source, column, type.name);
  return AsText(column, name + "::text");
}

Result<ColumnRead> ReadArray(const Source& source, const std::string& column,
                             const PostgresType& items, bool flat) {
  static const std::vector<std::array<std::string, 3>> kPlain = {
      {"smallint", "", "SMALLINT"},
      {"integer", "", "INT"},
      {"bigint", "", "BIGINT"},
      {"real", "", "FLOAT"},
      {"double precision", "", "DOUBLE"},
      {"boolean", "", "BOOLEAN"},
      {"date", "", "DATE"},
      {"text", "", "STRING"},
      {"character varying", "::text[]", "STRING"},
      {"uuid", "::text[]", "STRING"}};
  const std::string name = Name(column);
  for (const auto& [known, cast, spark] : kPlain) {
    if (flat && items.name == known) {
      return ColumnRead{column, name + cast, "ARRAY<" + spark + ">"};
    }
  }
  if (flat && items.name == "numeric" && items.digits < 0) {
    return ColumnRead{column, name + "::float8[]", "ARRAY<DOUBLE>"};
  }
  return NoColumn(source, column, items.name + (flat ? "[]" : "[][]"));
}

// The columns of a table, or of a query, as rows (number, name, type, digits, dimensions, key).
std::string ColumnsOfTable(const Source& source) {
  return fmt::format(
      "SELECT a.attnum::int AS n, a.attname::text AS name, a.atttypid AS typ, a.atttypmod AS "
      "digits, a.attndims AS dims, coalesce((SELECT i.indisprimary FROM pg_index i WHERE "
      "i.indrelid = a.attrelid AND i.indisprimary AND i.indnatts = 1 AND i.indkey[0] = a.attnum), "
      "false) AS key, c.relpages AS pages FROM pg_attribute a JOIN pg_class c ON c.oid = "
      "a.attrelid WHERE a.attrelid = to_regclass({}) AND a.attnum > 0 AND NOT a.attisdropped",
      SqlText(Qualified(source.table)));
}

// Without running the query: what it gives is joined to nothing. Its columns are of the types below
// domains, as the server tells a client.
std::string ColumnsOfQuery(const Source& source, const std::vector<std::string>& names) {
  std::string values;
  for (size_t i = 0; i < names.size(); ++i) {
    values += fmt::format("{}({}, {}, pg_typeof(q.{})::oid)", i == 0 ? "" : ", ", i + 1,
                          SqlText(names[i]), Name(names[i]));
  }
  return fmt::format(
      "SELECT v.n, v.name::text AS name, coalesce(nullif(d.typbasetype, 0), v.typ) AS typ, -1 AS "
      "digits, 0 AS dims, false AS key, 0 AS pages FROM (SELECT 1 AS one) o LEFT JOIN {} q ON "
      "false CROSS JOIN LATERAL (VALUES {}) v(n, name, typ) JOIN pg_type d ON d.oid = v.typ",
      Nested(source.query), values);
}

std::string WithTypes(const std::string& columns) {
  return "SELECT v.n::text AS n, v.name, format_type(t.oid, NULL) AS type, t.typtype::text AS "
         "kind, t.typcategory::text AS category, v.digits::text AS digits, "
         "coalesce(format_type(nullif(e.oid, 0), NULL), '') AS items, greatest(v.dims, 1)::text AS "
         "dims, v.key::text AS key, v.pages::text AS pages FROM (" +
         columns +
         ") v JOIN pg_type t ON t.oid = v.typ LEFT JOIN pg_type e ON e.oid = t.typelem AND "
         "t.typcategory = 'A'";
}

Status Divide(const Source& source, const AskedDatabase& database, int64_t pages,
              TableRead& table) {
  const int64_t parts = std::min(pages / kPagesPerPart + 1, kMostParts);
  if (table.key.empty() || parts < 2) return Status::OK();
  PT_LET(const TextRows bounds,
         database.ask(fmt::format("SELECT min({0})::text AS first, max({0})::text AS last FROM {1}",
                                  Name(table.key), Qualified(source.table))));
  if (bounds.size() != 1 || !bounds[0][0]) return Status::OK();
  table.first = NumberIn(bounds[0][0]);
  table.last = NumberIn(bounds[0][1]);
  table.parts = static_cast<int32_t>(parts);
  return Status::OK();
}

}  // namespace

Result<TableRead> ReadPostgres(const Source& source, const AskedDatabase& database) {
  const bool query = !source.query.empty();
  SchemaPtr delivered;
  if (query) {
    PT_LET(delivered, database.describe(source.query));
  }
  const std::string columns =
      query ? ColumnsOfQuery(source, delivered->field_names()) : ColumnsOfTable(source);
  PT_LET(TextRows rows, database.ask(WithTypes(columns)));
  if (rows.empty()) return NoTable(source);
  std::ranges::sort(rows, {}, [](const auto& row) { return NumberIn(row[0]); });
  TableRead table{.from = query ? Nested(source.query) + " q" : Qualified(source.table)};
  for (const auto& row : rows) {
    const std::string name = row[1].value_or("");
    PostgresType type{.name = row[2].value_or(""),
                      .kind = row[3].value_or(""),
                      .category = row[4].value_or(""),
                      .digits = NumberIn(row[5])};
    if (query) type.digits = DigitsOf(*delivered, name);
    // The embedded engine knows it as a number in tables only.
    if (query && type.name == "oid") type.name = "text";
    const PostgresType items{.name = row[6].value_or(""), .digits = type.digits};
    PT_LET(ColumnRead column, type.category == "A" ? ReadArray(source, name, items, row[7] == "1")
                                                   : ReadColumn(source, name, type));
    column.read += " AS " + Name(name);
    table.columns.push_back(std::move(column));
    if (row[8] == "true" && IsWhole(type)) table.key = name;
  }
  PT_TRY(Divide(source, database, NumberIn(rows[0][9]), table));
  return table;
}

}  // namespace protium
