// SPDX-License-Identifier: Apache-2.0
// Texts that hold JSON. DuckDB has functions of these names, which read and write it by other
// rules; ours follow Jackson's, as Spark does.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kJsonTexts[] = {
    // SparkReader gives it the schema as the type of a null, and as DuckDB spells it.
    Macro("from_json", "(s, t, n) AS system.main.from_json(pt_read_json(s, t), n)"),
    Macro("get_json_object", "(s, p) AS pt_get_json_object(s, p)").Typed("e", 'T'),
    Macro("json_array_length", "(s) AS pt_json_array_length(s)").Typed("e", 'I'),
    Refused("json_each", kOneSide),
    Macro("json_object_keys", "(s) AS pt_json_object_keys(s)").Typed("e", '?'),
    // A column for each name: see types/generators.cc.
    Same("json_tuple"),
    // The typer replaces it by what it returns.
    Same("schema_of_json"),
    // The typer makes pt_to_json() of it.
    Same("to_json"),
};
static_assert(AreInOrder(kJsonTexts));

}  // namespace

std::span<const SqlFunction> functions::JsonTexts() { return kJsonTexts; }

}  // namespace protium
