// SPDX-License-Identifier: Apache-2.0
// The types of those pt_... functions that the rules call (sql/duckdb/macros/pieces.cc) and for
// whose types DuckDB is not asked.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kPieces[] = {
    Same("pt_format_time").Typed("s*", 'T'),
    Same("pt_ilike").Typed("t", 'B'),
    Same("pt_isodow").Typed("d", 'i'),
    Same("pt_isoyear").Typed("d", 'i'),
    Same("pt_lambda_place").Typed("*", 'I'),
    // Registered by the room local.
    Same("pt_like").Typed("t", 'B'),
    Same("pt_not_ilike").Typed("t", 'B'),
    Same("pt_not_like").Typed("t", 'B'),
    Same("pt_or_empty").Typed("*", '1'),
    Same("pt_or_null").Typed("*", '1'),
    Same("pt_parse_date").Typed("x", 'D'),
    Same("pt_parse_time").Typed("x", 'S'),
    Same("pt_try_parse_date").Typed("x", 'D'),
    Same("pt_try_parse_time").Typed("x", 'S'),
    Same("pt_within_list").Typed("*", 'A'),
};
static_assert(AreInOrder(kPieces));

}  // namespace

std::span<const SqlFunction> functions::Pieces() { return kPieces; }

}  // namespace protium
