// SPDX-License-Identifier: Apache-2.0
#include "iceberg/partitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "avro/encoding.h"
#include "base/fault.h"
#include "base/text.h"
#include "iceberg/columns.h"
#include "iceberg/table.h"
#include "sources/lake_file.h"

namespace protium {
namespace {

// Types whose own values divide rows; moments and decimals hardly ever do.
constexpr std::string_view kIdentity[] = {"int", "long", "string", "boolean", "date"};
// Units of dates and moments since 1970. Days are dates.
constexpr std::string_view kUnits[] = {"year", "month", "day", "hour"};

Status Refuse(const std::string& place, std::string what) {
  return Fail({.exit = Exit::kInput,
               .what = std::move(what),
               .where = place,
               .fix = "name another table",
               .kept = "the table as it was"});
}

// A name of Avro's, which is not quoted there.
bool IsAvroName(const std::string& name) {
  return !name.empty() && !IsDigit(name.front()) && std::ranges::all_of(name, IsNameCharacter);
}

const Json& ColumnOf(const Json& schema, int64_t id) {
  static const Json kNone;
  for (const Json& field : MemberOf(schema, "fields")) {
    if (WholeAt(field, "id", -1) == id) return field;
  }
  return kNone;
}

// Whole units since 1970, down also before that; of moments those of UTC.
std::string UnitsSince1970(const std::string& unit, const std::string& type,
                           const std::string& column) {
  const char* const moment = type == "timestamptz" ? " AT TIME ZONE 'UTC'" : "";
  return fmt::format("system.main.date_diff('{}', TIMESTAMP '1970-01-01', CAST({}{} AS TIMESTAMP))",
                     unit, column, moment);
}

Result<IcebergPartition> ReadPartition(const Json& field, const Json& schema,
                                       const std::string& place) {
  IcebergPartition made{.name = TextAt(field, "name"), .id = WholeAt(field, "field-id", -1)};
  const std::string transform = TextAt(field, "transform");
  const Json& column = ColumnOf(schema, WholeAt(field, "source-id", -1));
  const Json& type_json = MemberOf(column, "type");
  const std::string type = type_json.is_string() ? type_json.get<std::string>() : "";
  const std::string name = InQuotes(TextAt(column, "name"), '"');
  const bool moment = type == "timestamp" || type == "timestamptz";
  const bool unit = std::ranges::count(kUnits, transform) > 0;
  if (transform == "identity" && std::ranges::count(kIdentity, type) > 0) {
    made.type = type;
    made.sql = type == "date" ? UnitsSince1970("day", type, name) : name;
  } else if (unit && (moment || (type == "date" && transform != "hour"))) {
    made.type = transform == "day" ? "date" : "int";
    made.sql = UnitsSince1970(transform, type, name);
  } else {
    return Refuse(place, fmt::format("the Iceberg table is partitioned by {} of {}, which the "
                                     "embedded engine does not write",
                                     transform,
                                     column.is_null() ? "a column that it has no more"
                                                      : "\"" + TextAt(column, "name") + "\", a " +
                                                            Dump(type_json)));
  }
  if (IsAvroName(made.name) && made.id >= 0) return made;
  return Refuse(place, fmt::format("the partition field {} of the Iceberg table has a name with "
                                   "other characters than letters, digits and _",
                                   Dump(MemberOf(field, "name"))));
}

// A value as its type has it: a text, true or false, or a whole number, days of a date; else NULL.
Json PlainValue(const IcebergPartition& partition, const Json& value) {
  if (partition.type == "boolean") return value.is_boolean() ? value : Json();
  if (partition.type == "string") return value.is_string() ? value : Json();
  if (partition.type == "date" && value.is_string()) {
    const auto days = IcebergDays(value.get<std::string>());
    return days ? Json(*days) : Json();
  }
  return value.is_number_integer() ? Json(value.get<int64_t>()) : Json();
}

}  // namespace

Result<IcebergSpec> SpecOf(const IcebergTable& table, int64_t id, const std::string& place) {
  for (const Json& spec : table.specs) {
    if (WholeAt(spec, "spec-id", -1) != id) continue;
    IcebergSpec made{.id = id, .fields = MemberOf(spec, "fields")};
    for (const Json& field : made.fields) {
      PT_LET(IcebergPartition partition, ReadPartition(field, table.schema, place));
      made.partitions.push_back(std::move(partition));
    }
    return made;
  }
  return Refuse(place, fmt::format("the Iceberg table has no partition spec {}", id));
}

Json AvroTypeOf(const IcebergPartition& partition) {
  if (partition.type == "date") return {{"type", "int"}, {"logicalType", "date"}};
  return partition.type;
}

std::vector<IcebergSummary> Summarize(const IcebergSpec& spec, const std::vector<Json>& values) {
  std::vector<IcebergSummary> summaries;
  for (const IcebergPartition& field : spec.partitions) {
    IcebergSummary summary;
    Json least, most;
    for (const Json& each : values) {
      const Json value = PlainValue(field, MemberOf(each, field.name));
      summary.has_null = summary.has_null || value.is_null();
      if (value.is_null()) continue;
      if (least.is_null() || value < least) least = value;
      if (most.is_null() || most < value) most = value;
    }
    summary.least = IcebergValue(field.type, least);
    summary.most = IcebergValue(field.type, most);
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

void PutPartitionValue(std::string& to, const IcebergPartition& partition, const Json& given) {
  const Json value = PlainValue(partition, given);
  if (value.is_null()) return PutAvroNull(to);
  PutAvroSome(to);
  if (partition.type == "boolean") {
    PutAvroFlag(to, value.get<bool>());
  } else if (partition.type == "string") {
    PutAvroBytes(to, value.get<std::string>());
  } else {
    PutAvroLong(to, value.get<int64_t>());
  }
}

}  // namespace protium
