// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace protium {

// schema_of_json(): the type of a JSON text as Spark infers it, "STRUCT<a: BIGINT, b:
// ARRAY<STRING>>". Nothing if the text is not strictly JSON, or contains numbers whose type cannot
// be known here.
std::optional<std::string> InferJsonSchema(const std::string& text);

}  // namespace protium
