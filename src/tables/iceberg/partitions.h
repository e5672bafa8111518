// SPDX-License-Identifier: Apache-2.0
// How the rows of an Iceberg table are divided among its files: those of a file have one value of
// each partition field (Iceberg Table Spec, "Partitioning").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

struct IcebergTable;

// A field of a spec. Identity and the parts of dates and moments are kept; others are refused.
struct IcebergPartition {
  std::string name;
  int64_t id = 0;
  std::string type;  // Of its values: "int", "long", "string", "boolean", "date" (days since 1970).
  std::string sql;   // Computes its value from the table's columns, in DuckDB.
};

struct IcebergSpec {
  int64_t id = 0;
  Json fields = Json::array();  // As the metadata has them.
  std::vector<IcebergPartition> partitions;
};

// The spec `id` of the table. Faults (kInput) name a transform, or a type of column, that is not
// kept here, and a spec that the table does not have.
Result<IcebergSpec> SpecOf(const IcebergTable& table, int64_t id, const std::string& place);

// The type of the values in Avro.
Json AvroTypeOf(const IcebergPartition& partition);

// What a list of manifests says of the values of a field in one of them, so that readers leave out
// whole manifests. Bounds are in the binary form of single values ("Appendix D").
struct IcebergSummary {
  bool has_null = false;
  std::optional<bool> has_nan;
  std::optional<std::string> least, most;  // None: all values are NULL.
};

// Of each field of the spec; `values` are those of files, by the names of fields.
std::vector<IcebergSummary> Summarize(const IcebergSpec& spec, const std::vector<Json>& values);

// Appends a value, or NULL, as a union with null in Avro. A date may be days, or a text such as
// "2026-11-27".
void PutPartitionValue(std::string& to, const IcebergPartition& partition, const Json& value);

}  // namespace protium
