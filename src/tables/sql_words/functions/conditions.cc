// SPDX-License-Identifier: Apache-2.0
// Conditions, NULL and NaN, and types called as functions. Spark's functions that report on its own
// session or partitions are refused: no other engine has an answer.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kConditions[] = {
    Refused("aes_decrypt", "keys do not belong in the text of a query"),
    Refused("aes_encrypt", "keys do not belong in the text of a query"),
    // Null counts as false.
    Macro("assert_true",
          "(c) AS nullif(CASE WHEN coalesce(c, false) THEN true ELSE error('assert_true failed') "
          "END, "
          "true), (c, m) AS nullif(CASE WHEN coalesce(c, false) THEN true ELSE error(m) END, "
          "true)"),
    // Types called as functions are casts: RenameRule makes pt_to_bigint() and the like of them.
    Same("bigint"),
    Macro("binary", "(s) AS pt_bytes(s)"),
    // What SparkReader makes of X'1F'.
    Parsed("binary_literal", "use X'1F'", "(s) AS system.main.unhex(s)").Typed("t", 'O'),
    Same("boolean"),
    Same("char"),
    Same("coalesce"),
    Refused("current_catalog", "it describes Spark's own session"),
    Refused("current_database", "it describes Spark's own session"),
    Refused("current_schema", "it describes Spark's own session"),
    Refused("current_user", "it describes Spark's own session"),
    Same("date"),
    Same("decimal"),
    Same("double"),
    Macro("equal_null", "(a, b) AS a IS NOT DISTINCT FROM b"),
    Same("float"),
    Same("greatest"),
    // The typer makes pt_hash() of it, as of xxhash64().
    Same("hash"),
    Macro("if", "(a, b, c) AS CASE WHEN a THEN b ELSE c END"),
    Refused("iff", kOneSide, "use if(condition, a, b)"),
    Macro("ifnull", "(a, b) AS coalesce(a, b)"),
    Refused("input_file_name", "the embedded engine does not say which file a row came from", ""),
    Same("int"),
    // DuckDB's isnan(NULL) is NULL, Spark's is false.
    Macro("isnan", "(x) AS coalesce(system.main.isnan(CAST(x AS DOUBLE)), false)").Typed("n", 'B'),
    Macro("isnotnull", "(x) AS x IS NOT NULL").Typed("*", 'B'),
    Macro("isnull", "(x) AS x IS NULL").Typed("*", 'B'),
    Refused("java_method", "it runs Java"),
    Same("least"),
    Refused("monotonically_increasing_id", "it depends on Spark's partitions"),
    Macro("nanvl", "(a, b) AS CASE WHEN system.main.isnan(CAST(a AS DOUBLE)) THEN b ELSE a END"),
    Same("nullif"),
    Macro("nullifzero", "(x) AS nullif(x, 0)"),
    Macro("nvl", "(a, b) AS coalesce(a, b)"),
    Macro("nvl2", "(a, b, c) AS CASE WHEN a IS NOT NULL THEN b ELSE c END"),
    Refused("parse_json", "the embedded engine has no variant type",
            "use get_json_object(text, '$.key')"),
    Macro("raise_error", "(m) AS error(m)"),
    // Among the columns; FROM range(n) is answered (Typer::TableFunction()).
    Refused("range", "it makes a table, and in the embedded engine alone also a list",
            "use sequence(first, last), or FROM range(n)"),
    Refused("reflect", "it runs Java"),
    Refused("session_user", "it describes Spark's own session"),
    Same("smallint"),
    Refused("spark_partition_id", "it depends on Spark's partitions"),
    Same("string"),
    Same("timestamp"),
    Same("tinyint"),
    Same("typeof"),
    Refused("user", "it describes Spark's own session"),
    NotExact("uuid", kNow),
    Refused("version", "it describes Spark's own session"),
    Same("xxhash64"),
    Macro("zeroifnull", "(x) AS coalesce(x, 0)"),
};
static_assert(AreInOrder(kConditions));

}  // namespace

std::span<const SqlFunction> functions::Conditions() { return kConditions; }

}  // namespace protium
