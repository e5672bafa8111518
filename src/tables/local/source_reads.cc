// SPDX-License-Identifier: Apache-2.0
#include "local/source_reads.h"

#include <algorithm>
#include <functional>

#include "base/fault.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// Deeper plans are not looked at further.
constexpr int kDeepest = 200;

struct KindOfScan {
  const char* name;  // In DuckDB's plans.
  SourceKind kind;
};
constexpr KindOfScan kScans[] = {
    {"SEQ_SCAN", SourceKind::kDuckDb},         {"SQLITE_SCAN", SourceKind::kSqlite},
    {"READ_XLSX", SourceKind::kExcel},         {"DELTA_SCAN", SourceKind::kDelta},
    {"ICEBERG_SCAN", SourceKind::kIceberg},    {"POSTGRES_SCAN", SourceKind::kPostgres},
    {"POSTGRES_QUERY", SourceKind::kPostgres}, {"MYSQL_SCAN", SourceKind::kMysql},
    {"MYSQL_QUERY", SourceKind::kMysql}};

// "Projections" and "Filters" are one text or a list of them.
std::vector<std::string> TextsAt(const Json& info, const char* key) {
  std::vector<std::string> texts;
  const Json value = info.value(key, Json());
  if (value.is_string() && !value.get<std::string>().empty()) texts.push_back(value);
  for (const Json& each : value.is_array() ? value : Json::array()) {
    if (each.is_string()) texts.push_back(each);
  }
  return texts;
}

// The last part of a name in a plan, which may be qualified.
std::string LastPart(const std::string& name) {
  const std::vector<std::string> parts = NameParts(name);
  return parts.empty() ? name : parts.back();
}

// Null if it is none of them, or cannot be told.
const Source* SourceAt(const Json& info, SourceKind kind, const std::vector<Source>& sources) {
  const std::string table = info.value("Table", "");
  const Source* found = nullptr;
  for (const Source& each : sources) {
    if (each.kind != kind) continue;
    // Tables that we keep are scanned like those of a DuckDB file.
    if (kind == SourceKind::kDuckDb && !table.starts_with(AttachedName(each))) continue;
    if (!table.empty() && !each.table.empty() && LastPart(table) != LastPart(each.table)) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

void AddScan(const Json& node, const std::vector<Source>& sources, Json& reads) {
  std::string name = node.value("name", "");
  name.erase(name.find_last_not_of(' ') + 1);
  const auto* const scan =
      std::ranges::find_if(kScans, [&](const KindOfScan& each) { return name == each.name; });
  if (scan == std::end(kScans)) return;
  const Json info = node.value("extra_info", Json::object());
  const Source* const source = SourceAt(info, scan->kind, sources);
  if (source == nullptr || reads.contains(DescribeSource(*source))) return;
  std::string filters;
  for (const std::string& each : TextsAt(info, "Filters")) {
    filters += (filters.empty() ? "" : " AND ") + each;
  }
  reads[DescribeSource(*source)] = {{"columns", TextsAt(info, "Projections")},
                                    {"filters", filters}};
}

}  // namespace

void AddReads(const duck::Connection& connection, const std::string& select,
              const std::vector<Source>& sources, Json& reads) {
  if (sources.empty()) return;
  // Of the two columns the second one has the plan.
  const auto text = duck::AskText(connection, "EXPLAIN (FORMAT JSON) " + select, 1);
  if (!text.ok()) return;
  const Result<Json> plan = ParseJson(*text);
  if (!plan.ok()) return;
  const std::function<void(const Json&, int)> visit = [&](const Json& node, int depth) {
    if (!node.is_object() || depth > kDeepest) return;
    AddScan(node, sources, reads);
    for (const Json& each : node.value("children", Json::array())) visit(each, depth + 1);
  };
  for (const Json& each : plan->is_array() ? *plan : Json::array({*plan})) visit(each, 0);
}

}  // namespace protium
