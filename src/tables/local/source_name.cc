// SPDX-License-Identifier: Apache-2.0
#include "local/source_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/digest.h"
#include "base/json.h"
#include "duckdb/query.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// How far the clock of a store may be from ours.
constexpr int64_t kSettledSeconds = 60;

// The SHA-256 of a small file; empty if it cannot be read.
std::string HashOf(const duck::Connection& connection, const std::string& file) {
  const auto hash = duck::AskText(
      connection, "SELECT sha256(content) FROM read_blob(" + DuckDbText(DuckDbPath(file)) + ")");
  return hash.ok() ? *hash : std::string();
}

// What reads the table decides its rows, too.
std::string ExtensionVersion(const duck::Connection& connection, const std::string& name) {
  const auto version =
      duck::AskText(connection,
                    "SELECT coalesce(max(extension_version), '') FROM duckdb_extensions() WHERE "
                    "extension_name = " +
                        DuckDbText(name));
  return version.ok() ? *version : std::string();
}

bool AreSettled(const duck::Connection& connection, const Source& source) {
  std::string newest;
  for (const SourceObject& each : source.objects) newest = std::max(newest, each.changed);
  return IsSettled(connection, newest);
}

// Null: nothing names it.
Json NameOf(const duck::Connection& connection, const Source& source) {
  if (source.kind == SourceKind::kDelta && source.version) {
    const std::string log =
        HashOf(connection, fmt::format("{}/_delta_log/{:020}.json", source.file, *source.version));
    if (log.empty()) return nullptr;
    return {"delta", source.file, *source.version, log, ExtensionVersion(connection, "delta")};
  }
  if (source.kind == SourceKind::kIceberg && source.file.ends_with(".json")) {
    const std::string metadata = HashOf(connection, source.file);
    if (metadata.empty()) return nullptr;
    return {"iceberg", source.file, source.version.value_or(0), metadata,
            ExtensionVersion(connection, "iceberg")};
  }
  if (source.kind == SourceKind::kParquet && !source.objects.empty() &&
      AreSettled(connection, source)) {
    return {"parquet", FieldsToJson(source.objects), source.partitions};
  }
  return nullptr;
}

}  // namespace

bool IsSettled(const duck::Connection& connection, const std::string& changed) {
  const auto old = duck::AskText(
      connection, fmt::format("SELECT CAST(epoch(CAST({} AS TIMESTAMPTZ)) + {} < {} AS VARCHAR)",
                              DuckDbText(changed), kSettledSeconds, std::time(nullptr)));
  return old.ok() && *old == "true";
}

std::string NameSource(const duck::Connection& connection, const Source& source) {
  const Json name = NameOf(connection, source);
  return name.is_null() ? std::string() : Sha256Hex(Dump(name));
}

}  // namespace protium
