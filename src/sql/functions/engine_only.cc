// SPDX-License-Identifier: Apache-2.0
// Functions of DuckDB's that Spark lacks: refused, so that a text that runs on one engine runs on
// both. Those that read files or SQL would also get around the job's list of tables.
#include "sql/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kEngineOnly[] = {
    Refused("approx_quantile", "every engine estimates in its own way", "use median(x)"),
    Refused("ends_with", kOneSide, "use endswith(text, end)"),
    Refused("epoch", kOneSide, "use unix_timestamp(time)"),
    Refused("format", kOneSide, "use concat()"),
    Refused("getenv", kOneSide, ""),
    Refused("glob", kFiles, kDeclare),
    Refused("isodow", kOneSide, "use weekday(date), where Monday is 0"),
    // Never from a user, but CollectRule makes it of collect_list(), and the typer needs its type.
    Refused("list", kOneSide, "use collect_list(x)").Typed("*", 'A'),
    Refused("murmur_hash3", kHash, "use md5(text)"),
    Refused("parquet_scan", kFiles, kDeclare),
    Refused("quantile", kOneSide, "use median(x)"),
    Refused("query", "SQL inside SQL is not checked", ""),
    Refused("query_table", "SQL inside SQL is not checked", ""),
    Refused("read_blob", kFiles, kDeclare),
    Refused("read_csv", kFiles, kDeclare),
    Refused("read_csv_auto", kFiles, kDeclare),
    Refused("read_json", kFiles, kDeclare),
    Refused("read_json_auto", kFiles, kDeclare),
    Refused("read_json_objects", kFiles, kDeclare),
    Refused("read_ndjson", kFiles, kDeclare),
    Refused("read_ndjson_auto", kFiles, kDeclare),
    Refused("read_parquet", kFiles, kDeclare),
    Refused("read_text", kFiles, kDeclare),
    Refused("regexp_matches", kOneSide, "use regexp_like(text, pattern)"),
    Refused("starts_with", kOneSide, "use startswith(text, start)"),
    Refused("strftime", kOneSide, "use year(), month(), lpad() and concat()"),
    Refused("string_split", kOneSide, "use split(text, pattern)"),
    Refused("strlen", kOneSide, "use octet_length(text)"),
    Refused("strpos", kOneSide, "use instr(text, part)"),
    Refused("strptime", kOneSide, kCastText),
    Refused("week", kOneSide, "use weekofyear(date)"),
    Refused("xor", kOneSide, ""),
    Refused("yearweek", kOneSide, "use weekofyear(date)"),
};
static_assert(AreInOrder(kEngineOnly));

}  // namespace

std::span<const SqlFunction> functions::EngineOnly() { return kEngineOnly; }

}  // namespace protium
