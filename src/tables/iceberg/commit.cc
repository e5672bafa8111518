// SPDX-License-Identifier: Apache-2.0
#include "iceberg/commit.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sources/lake_file.h"

namespace protium {
namespace {

struct Totals {
  int64_t files = 0, rows = 0, bytes = 0;
};

Totals TotalsOf(const std::vector<IcebergFile>& files) {
  Totals totals;
  for (const IcebergFile& file : files) {
    totals.bytes += file.bytes;
    if (file.content != 0) continue;
    ++totals.files;
    totals.rows += file.rows;
  }
  return totals;
}

// A total is known where the snapshot before had it, or there was none.
void AddTotal(Json& summary, const char* name, const IcebergTable& table, int64_t change,
              bool from_nothing) {
  const std::string before = TextAt(MemberOf(table.snapshot, "summary"), name);
  const auto number = AllAsNumber<int64_t>(before);
  if (!number && !from_nothing && !table.snapshot.is_null()) return;
  summary[name] = std::to_string((from_nothing ? 0 : number.value_or(0)) + change);
}

// The values of a summary are texts.
Json SummaryOf(const IcebergCommit& commit, const IcebergTable& table) {
  const Totals added = TotalsOf(commit.added), removed = TotalsOf(commit.removed);
  const bool overwrites = commit.replaces || !commit.removed.empty();
  Json summary = {{"operation", overwrites ? "overwrite" : "append"},
                  {commit.note, commit.value},
                  {"engine-name", "protium"},
                  {"added-data-files", std::to_string(added.files)},
                  {"added-records", std::to_string(added.rows)},
                  {"added-files-size", std::to_string(added.bytes)}};
  if (!commit.removed.empty()) {
    summary["deleted-data-files"] = std::to_string(removed.files);
    summary["deleted-records"] = std::to_string(removed.rows);
    summary["removed-files-size"] = std::to_string(removed.bytes);
  }
  const Totals gone = commit.replaces ? Totals() : removed;
  AddTotal(summary, "total-data-files", table, added.files - gone.files, commit.replaces);
  AddTotal(summary, "total-records", table, added.rows - gone.rows, commit.replaces);
  AddTotal(summary, "total-files-size", table, added.bytes - gone.bytes, commit.replaces);
  for (const char* name :
       {"total-delete-files", "total-position-deletes", "total-equality-deletes"}) {
    AddTotal(summary, name, table, 0, commit.replaces);
  }
  return summary;
}

Json SnapshotOf(const IcebergCommit& commit, const IcebergTable& table) {
  Json snapshot = {
      {"snapshot-id", commit.snapshot},
      {"sequence-number", table.sequence + 1},
      {"timestamp-ms", std::max(commit.millis, WholeAt(table.snapshot, "timestamp-ms", 0))},
      {"manifest-list", commit.manifest_list},
      {"schema-id", table.schema_id},
      {"summary", SummaryOf(commit, table)}};
  if (const auto parent = table.newest()) snapshot["parent-snapshot-id"] = *parent;
  return snapshot;
}

}  // namespace

Json CommitRequest(const IcebergCommit& commit, const IcebergTable& table) {
  const auto newest = table.newest();
  return {
      {"requirements",
       Json::array({{{"type", "assert-table-uuid"}, {"uuid", table.uuid}},
                    {{"type", "assert-ref-snapshot-id"},
                     {"ref", "main"},
                     {"snapshot-id", newest ? Json(*newest) : Json()}},
                    {{"type", "assert-current-schema-id"}, {"current-schema-id", table.schema_id}},
                    {{"type", "assert-default-spec-id"}, {"default-spec-id", table.spec}}})},
      {"updates",
       Json::array({{{"action", "add-snapshot"}, {"snapshot", SnapshotOf(commit, table)}},
                    {{"action", "set-snapshot-ref"},
                     {"ref-name", "main"},
                     {"type", "branch"},
                     {"snapshot-id", commit.snapshot}}})}};
}

}  // namespace protium
