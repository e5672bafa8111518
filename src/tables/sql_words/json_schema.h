// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace protium {

// schema_of_json(): the type of a JSON text as Spark infers it, "STRUCT<a: BIGINT, b:
// ARRAY<STRING>>". Nothing if the text is no JSON by the book, or holds numbers whose type cannot
// be told here.
std::optional<std::string> InferJsonSchema(const std::string& text);

}  // namespace protium
