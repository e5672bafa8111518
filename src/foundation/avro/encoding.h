// SPDX-License-Identifier: Apache-2.0
// Values and files in Avro's binary form (Apache Avro 1.11 Specification, "Binary Encoding" and
// "Object Container Files").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "avro/schema.h"
#include "base/json.h"

namespace protium {

// Appends an int or a long, which are written alike.
void PutAvroLong(std::string& to, int64_t value);
// Appends bytes or a string, which are written alike.
void PutAvroBytes(std::string& to, std::string_view bytes);
// Appends a boolean.
void PutAvroFlag(std::string& to, bool value);
// Appends which of a union ["null", T] follows.
void PutAvroNull(std::string& to);
void PutAvroSome(std::string& to);

// Appends a float and a double.
void PutAvroFloat(std::string& to, double value);
void PutAvroDouble(std::string& to, double value);

// Appends a field's default, which JSON states for a union by a value of one of its branches.
// Refuses (kInput) what is no value of the type.
Status PutAvroDefault(std::string& to, const Json& value, const AvroSchema& schema, size_t type);

// A file of one block, not compressed. `records` are `count` values of `schema`, one after the
// other; `notes` are kept beside the schema.
std::string AvroFile(const Json& schema,
                     const std::vector<std::pair<std::string, std::string>>& notes, int64_t count,
                     std::string_view records);

}  // namespace protium
