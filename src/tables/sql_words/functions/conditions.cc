// SPDX-License-Identifier: Apache-2.0
// Conditions, NULL and NaN, and types called as functions. Spark's functions that report on its own
// session or partitions are refused: other engines have nothing to return.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kConditions[] = {
    Refused("aes_decrypt", "keys do not belong in the text of a query"),
    Refused("aes_encrypt", "keys do not belong in the text of a query"),
    Same("assert_true"),
    // Types called as functions are casts: RenameRule turns them into pt_to_bigint() and the like.
    Same("bigint"),
    Same("binary"),
    // What SparkReader makes of X'1F'.
    Parsed("binary_literal", "use X'1F'").Typed("t", 'O'),
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
    Same("equal_null"),
    Same("float"),
    Same("greatest"),
    // The typer turns it into pt_hash(), and likewise xxhash64().
    Same("hash"),
    Same("if"),
    Refused("iff", kOneSide, "use if(condition, a, b)"),
    Same("ifnull"),
    Refused("input_file_name", "the embedded engine does not say which file a row came from", ""),
    Same("int"),
    Same("isnan").Typed("n", 'B'),
    Same("isnotnull").Typed("*", 'B'),
    Same("isnull").Typed("*", 'B'),
    Refused("java_method", "it runs Java"),
    Same("least"),
    Refused("monotonically_increasing_id", "it depends on Spark's partitions"),
    Same("nanvl"),
    Same("nullif"),
    Same("nullifzero"),
    Same("nvl"),
    Same("nvl2"),
    Refused("parse_json", "the embedded engine has no variant type",
            "use get_json_object(text, '$.key')"),
    Same("raise_error"),
    // In the select list; FROM range(n) is supported (Typer::TableFunction()).
    Refused("range", "it makes a table; in the embedded engine, also a list",
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
    Same("zeroifnull"),
};
static_assert(AreInOrder(kConditions));

}  // namespace

std::span<const SqlFunction> functions::Conditions() { return kConditions; }

}  // namespace protium
