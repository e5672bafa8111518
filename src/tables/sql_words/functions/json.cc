// SPDX-License-Identifier: Apache-2.0
// Texts that contain JSON, read and written by Jackson's rules.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kJsonTexts[] = {
    // SparkReader passes it the schema as the type of a null, and as DuckDB spells it.
    Same("from_json"),
    Same("get_json_object").Typed("e", 'T'),
    Same("json_array_length").Typed("e", 'I'),
    Refused("json_each", kOneSide),
    Same("json_object_keys").Typed("e", '?'),
    // A column for each name: see sql_types/generators.cc.
    Same("json_tuple"),
    // The typer replaces it with its result.
    Same("schema_of_json"),
    // The typer turns it into pt_to_json().
    Same("to_json"),
};
static_assert(AreInOrder(kJsonTexts));

}  // namespace

std::span<const SqlFunction> functions::JsonTexts() { return kJsonTexts; }

}  // namespace protium
