// SPDX-License-Identifier: Apache-2.0
// Texts that contain JSON. DuckDB's functions of these names read and write it by other rules than
// Jackson, which Spark uses.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kJsonTexts[] = {
    {"from_json", "(s, t, n) AS system.main.from_json(pt_read_json(s, t), n)"},
    {"get_json_object", "(s, p) AS pt_get_json_object(s, p)"},
    {"json_array_length", "(s) AS pt_json_array_length(s)"},
    {"json_object_keys", "(s) AS pt_json_object_keys(s)"},
};

}  // namespace

std::span<const Macro> macros::JsonTexts() { return kJsonTexts; }

}  // namespace protium
