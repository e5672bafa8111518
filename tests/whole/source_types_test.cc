// SPDX-License-Identifier: Apache-2.0
// The table of types in docs/sources.md, column by column, on real databases; and sheets and lakes.
#include <gtest/gtest.h>

#include "whole/database_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

struct TypedColumn {
  const char* name;
  const char* declared;
  const char* value;    // In the database's SQL.
  const char* type;     // As Protium shows it.
  const char* becomes;  // As JSON.
};

std::string TypesSql(const std::vector<TypedColumn>& columns) {
  std::string declared, values;
  for (const TypedColumn& each : columns) {
    declared += fmt::format("{}{} {}", declared.empty() ? "" : ", ", each.name, each.declared);
    values += fmt::format("{}{}", values.empty() ? "" : ", ", each.value);
  }
  return "CREATE TABLE kinds (" + declared + "); INSERT INTO kinds VALUES (" + values + ");";
}

void ExpectTypes(const OwnJob& own, const std::string& place,
                 const std::vector<TypedColumn>& columns) {
  std::vector<std::string> words = {"sql",   "SELECT * FROM kinds", place, "--table", "kinds",
                                    "--json"};
  if (!fs::exists(place)) words.push_back("--password-env=SHOP_PASSWORD");
  const Outcome rows = RunWithPassword(own, kCanary, words);
  ASSERT_EQ(rows.exit, 0) << rows.err;
  ASSERT_EQ(rows.json["columns"].size(), columns.size()) << rows.out;
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(rows.json["columns"][i]["name"], columns[i].name);
    EXPECT_EQ(rows.json["columns"][i]["type"], std::string(columns[i].type)) << columns[i].declared;
    EXPECT_EQ(rows.json["rows"][0][i].dump(), columns[i].becomes) << columns[i].declared;
  }
}

const std::vector<TypedColumn> kPostgres = {
    {"a", "smallint", "-7", "int16", "-7"},
    {"b", "integer", "7", "int32", "7"},
    {"c", "bigint", "9007199254740993", "int64", "9007199254740993"},
    {"d", "oid", "26", "int64", "26"},
    {"e", "real", "1.5", "float32", "1.5"},
    {"f", "double precision", "0.1", "float64", "0.1"},
    {"g", "numeric", "2.5", "float64", "2.5"},
    {"h", "numeric(38,10)", "1234567890123456789012345678.0123456789", "decimal(38,10)",
     "\"1234567890123456789012345678.0123456789\""},
    {"i", "boolean", "true", "bool", "true"},
    {"j", "date", "'2026-11-26'", "date", "\"2026-11-26\""},
    {"k", "timestamp", "'2026-11-26 10:11:12.123456'", "timestamp",
     "\"2026-11-26 10:11:12.123456\""},
    {"l", "timestamptz", "'2026-11-26 10:11:12+02'", "timestamp", "\"2026-11-26 08:11:12\""},
    {"m", "text", "'käse'", "string", "\"käse\""},
    {"n", "varchar(9)", "'v'", "string", "\"v\""},
    {"o", "char(3)", "'c'", "string", "\"c\""},
    {"p", "uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "string",
     "\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\""},
    {"q", "json", "'{\"a\": 1}'", "string", "\"{\\\"a\\\": 1}\""},
    {"r", "jsonb", "'{\"a\": 1}'", "string", "\"{\\\"a\\\": 1}\""},
    {"s", "xml", "'<a/>'", "string", "\"<a/>\""},
    {"t", "inet", "'10.0.0.1'", "string", "\"10.0.0.1/32\""},
    {"u", "int4range", "'[1,4)'", "string", "\"[1,4)\""},
    {"v", "bit(3)", "B'101'", "string", "\"101\""},
    {"w", "varbit", "B'1'", "string", "\"1\""},
    {"x", "money", "12.34", "string", "\"$12.34\""},
    {"y", "time", "'10:11:12'", "string", "\"10:11:12\""},
    {"z", "interval", "'1 day 02:00'", "string", "\"1 day 02:00:00\""},
    {"aa", "mood", "'glad'", "string", "\"glad\""}};

const std::vector<TypedColumn> kMysql = {
    {"a", "smallint", "-7", "int16", "-7"},
    {"s", "tinyint", "-3", "int8", "-3"},
    {"b", "int", "7", "int32", "7"},
    {"c", "bigint", "9007199254740993", "int64", "9007199254740993"},
    {"d", "int unsigned", "4294967295", "int64", "4294967295"},
    {"e", "bigint unsigned", "9223372036854775807", "int64", "9223372036854775807"},
    {"f", "tinyint(1)", "1", "bool", "true"},
    {"g", "year", "2026", "int32", "2026"},
    {"h", "decimal(38,10)", "1234567890123456789012345678.0123456789", "decimal(38,10)",
     "\"1234567890123456789012345678.0123456789\""},
    {"i", "float", "1.5", "float32", "1.5"},
    {"j", "double", "0.1", "float64", "0.1"},
    {"k", "date", "'2026-11-26'", "date", "\"2026-11-26\""},
    {"l", "datetime(6)", "'2026-11-26 10:11:12.123456'", "timestamp",
     "\"2026-11-26 10:11:12.123456\""},
    {"m", "varchar(9)", "'käse'", "string", "\"käse\""},
    {"n", "enum('a','b')", "'b'", "string", "\"b\""},
    {"o", "set('a','b')", "'a,b'", "string", "\"a,b\""},
    {"p", "json", "'{\"a\": 1}'", "string", "\"{\\\"a\\\": 1}\""},
    {"q", "time", "'10:11:12'", "string", "\"10:11:12\""},
    {"r", "uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "string",
     "\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\""}};

const std::vector<TypedColumn> kSqlite = {
    {"a", "integer", "9007199254740993", "int64", "9007199254740993"},
    {"b", "boolean", "1", "int64", "1"},
    {"c", "real", "0.1", "float64", "0.1"},
    {"d", "decimal(9,2)", "1.25", "float64", "1.25"},
    {"e", "date", "'2026-11-26'", "date", "\"2026-11-26\""},
    {"f", "timestamp", "'2026-11-26 10:11:12'", "timestamp", "\"2026-11-26 10:11:12\""},
    {"g", "text", "'käse'", "string", "\"käse\""}};

}  // namespace

TEST(SourceTypes, OfPostgresAreAsWritten) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(server->Sql("CREATE TYPE mood AS ENUM ('sad', 'glad')"), "");
  ASSERT_EQ(server->Sql(TypesSql(kPostgres)), "");
  const OwnJob own;
  ExpectTypes(own, server->url(), kPostgres);
  server->Sql("DROP TABLE kinds; DROP TYPE mood");
}

TEST(SourceTypes, OfMariaDbAreAsWritten) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ASSERT_EQ(server->Sql(TypesSql(kMysql)), "");
  const OwnJob own;
  ExpectTypes(own, server->url(), kMysql);
  server->Sql("DROP TABLE kinds");
}

TEST(SourceTypes, OfSqliteAreAsWritten) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  const OwnJob own;
  MakeSqlite(own / "kinds.db", TypesSql(kSqlite));
  ExpectTypes(own, own / "kinds.db", kSqlite);
}

TEST(SourceTypes, AnUnsignedNumberBeyondInt64IsAnErrorThatNamesItsColumn) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ASSERT_EQ(server->Sql("CREATE TABLE kinds (huge bigint unsigned); INSERT INTO kinds VALUES "
                        "(18446744073709551615)"),
            "");
  const OwnJob own;
  const Outcome rows = RunWithPassword(own, kCanary,
                                       {"sql", "SELECT * FROM kinds", server->url(), "--table",
                                        "kinds", "--password-env", "SHOP_PASSWORD"});
  EXPECT_NE(rows.exit, 0);
  EXPECT_TRUE(Has(rows.err, "huge")) << rows.err;
  server->Sql("DROP TABLE kinds");
}

TEST(SourceTypes, ASheetOfAnExcelFileIsRead) {
  NEED_EXTENSION("excel", "excel");
  const OwnJob own;
  // The parts of the smallest workbook, written without a library.
  const std::string script = R"py(
import sys, zipfile
def sheet(rows):
    def cell(v):
        return f'<c t="inlineStr"><is><t>{v}</t></is></c>' if isinstance(v, str) else f'<c><v>{v}</v></c>'
    body = ''.join('<row>' + ''.join(map(cell, r)) + '</row>' for r in rows)
    ns = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
    return f'<worksheet xmlns="{ns}"><sheetData>{body}</sheetData></worksheet>'
pkg, off = 'http://schemas.openxmlformats.org/package/2006', 'http://schemas.openxmlformats.org/officeDocument/2006'
main = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    z.writestr('[Content_Types].xml', f'<Types xmlns="{pkg}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{main}.sheet.main+xml"/>' + ''.join(f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{main}.worksheet+xml"/>' for i in (1, 2)) + '</Types>')
    z.writestr('_rels/.rels', f'<Relationships xmlns="{pkg}/relationships"><Relationship Id="rId1" Type="{off}/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>')
    z.writestr('xl/workbook.xml', f'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{off}/relationships"><sheets><sheet name="2025" sheetId="1" r:id="rId1"/><sheet name="2026" sheetId="2" r:id="rId2"/></sheets></workbook>')
    z.writestr('xl/_rels/workbook.xml.rels', f'<Relationships xmlns="{pkg}/relationships">' + ''.join(f'<Relationship Id="rId{i}" Type="{off}/relationships/worksheet" Target="worksheets/sheet{i}.xml"/>' for i in (1, 2)) + '</Relationships>')
    z.writestr('xl/worksheets/sheet1.xml', sheet([['shop', 'plan'], ['north', 1]]))
    z.writestr('xl/worksheets/sheet2.xml', sheet([['shop', 'plan'], ['north', 10.5], ['south', 20]]))
)py";
  Running python({"/usr/bin/env", "python3", "-c", script, (own / "plan.xlsx").string()},
                 own.path());
  ASSERT_EQ(python.Wait().exit, 0);
  const std::string query = "SELECT shop, plan FROM plan ORDER BY plan";
  const Outcome first = own.Protium({"sql", query, own / "plan.xlsx", "--json"});
  EXPECT_TRUE(Has(first.out, "\"rows\":[[\"north\",1.0]]")) << first.out << first.err;
  const Outcome second =
      own.Protium({"sql", query, (own / "plan.xlsx").string() + "#2026", "--json"});
  EXPECT_TRUE(Has(second.out, "\"rows\":[[\"north\",10.5],[\"south\",20.0]]"))
      << second.out << second.err;
  own.Write("job.toml",
            "[tables]\nplan = { excel = \"plan.xlsx\", sheet = \"2026\" }\n[etl]\nsql = \"SELECT "
            "sum(plan) AS s FROM plan\"\n[outputs]\ns = \"s.csv\"\n");
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const fs::path folder = fs::path(own.Model()).parent_path();
  EXPECT_TRUE(Has(ReadText(folder / "s.csv"), "30.5")) << ReadText(folder / "s.csv");
  const Outcome seen = own.Protium({"inspect", own / "plan.xlsx", "--sheet", "2026"});
  EXPECT_TRUE(Has(seen.out, "2 rows, 2 columns")) << seen.out << seen.err;
  const Outcome none = own.Protium({"sql", query, (own / "plan.xlsx").string() + "#2030"});
  EXPECT_EQ(none.exit, 2) << none.err;
  EXPECT_TRUE(Has(none.err, "\"2030\" not found")) << none.err;
}

TEST(SourceTypes, ADeltaTableIsReadAtItsVersion) {
  NEED_EXTENSION("delta", "delta");
  const OwnJob own;
  const auto part = [&](const std::string& name, const std::string& where) {
    const Outcome made = own.Protium({"sql", "SELECT id, age FROM machines WHERE " + where,
                                      "--table", "machines=" + (own / "machines.csv").string(),
                                      "--output", own / ("lake/" + name)});
    ASSERT_EQ(made.exit, 0) << made.err;
  };
  const auto add = [&](const std::string& name) {
    return fmt::format(
        R"({{"add":{{"path":"{}","partitionValues":{{}},"size":{},"modificationTime":0,"dataChange":true}}}})"
        "\n",
        name, fs::file_size(own / ("lake/" + name)));
  };
  fs::create_directories(own / "lake");
  part("a.parquet", "id < 100");
  part("b.parquet", "id >= 100");
  own.Write(
      "lake/_delta_log/00000000000000000000.json",
      R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"
      "\n"
      R"({"metaData":{"id":"5b1f","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"age\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}})"
      "\n" +
          add("a.parquet"));
  own.Write("lake/_delta_log/00000000000000000001.json", add("b.parquet"));
  const auto count = [&](const std::string& place) {
    const Outcome rows = own.Protium({"sql", "SELECT count(*) AS n FROM lake", place, "--json"});
    return rows.exit == 0 ? rows.json["rows"][0][0].dump() : rows.err;
  };
  EXPECT_EQ(count(own / "lake"), "600");
  EXPECT_EQ(count((own / "lake").string() + "#0"), "100");
  EXPECT_EQ(count((own / "lake").string() + "#1"), "600");
  own.Write("job.toml",
            "[tables]\nlake = { delta = \"lake\" }\n[etl]\nsql = \"SELECT count(*) AS n FROM "
            "lake\"\n[outputs]\nn = \"n.csv\"\n");
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const fs::path folder = fs::path(own.Model()).parent_path();
  EXPECT_TRUE(Has(ReadText(folder / "n.csv"), "600"));
  EXPECT_TRUE(Has(ReadText(folder / "sources.json"), "version 1"))
      << ReadText(folder / "sources.json");
}

}  // namespace protium::whole
