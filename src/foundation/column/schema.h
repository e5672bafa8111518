// SPDX-License-Identifier: Apache-2.0
// The types that tables carry, and schemas as text: [{"name": "hour", "type": "int64"}, ...].
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// "bool", "int8" to "int64", "uint8" to "uint32", "float32", "float64", "string", "binary", "date",
// "timestamp" (microseconds, without a zone), "decimal(p,s)", "list<type>"; any other type is a
// fault (kInput), because tables do not carry it.
Result<std::string> TypeName(const arrow::DataType& type);
// The type with that name.
Result<std::shared_ptr<arrow::DataType>> TypeNamed(std::string_view name);

// The type in which tables carry a decimal of another width: up to 38 digits, some or all of them
// behind the point. Null for decimals that do not fit and for other types.
std::shared_ptr<arrow::DataType> CarriedDecimal(const arrow::DataType& type);

// Types without a name, and JSON of another form, are kInput faults, too.
Result<Json> SchemaToJson(const arrow::Schema& schema);
Result<std::shared_ptr<arrow::Schema>> SchemaFromJson(const Json& json);

// The position of the column with that name: an exact match, else one that differs only in case, as
// in SQL; -1 if there is none.
int FindField(const arrow::Schema& schema, std::string_view name);

// "hour int64, origin string": for messages and explanations; never fails.
std::string Describe(const arrow::Schema& schema);

}  // namespace protium
