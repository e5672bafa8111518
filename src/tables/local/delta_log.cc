// SPDX-License-Identifier: Apache-2.0
#include "local/delta_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/fault.h"
#include "base/text.h"
#include "delta/checkpoint.h"
#include "local/lake_files.h"
#include "local/source_faults.h"
#include "local/source_listing.h"
#include "os/random_letters.h"
#include "sources/object_store.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

// The log is a table of its own in the database: each action that counts, with its version. From a
// checkpoint on, older commits are not read (Delta Transaction Log Protocol, "Action
// Reconciliation").

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTable = "temp.pt_delta_log";

// What a listing of the log's folder shows.
struct Listing {
  std::map<int64_t, std::string> commits;
  // By version and by the number of its parts; in the older form, whose parts have numbers.
  std::map<std::pair<int64_t, int64_t>, std::vector<std::string>> checkpoints;
};

// "00000000000000000010.checkpoint.0000000001.0000000003.parquet" is one part of three.
int64_t PartsOf(std::string_view rest) {
  constexpr std::string_view kBegin = ".checkpoint", kEnd = ".parquet";
  if (!rest.starts_with(kBegin) || !rest.ends_with(kEnd)) return 0;
  if (rest.size() == kBegin.size() + kEnd.size()) return 1;
  if (rest.size() < kBegin.size() + kEnd.size()) return 0;
  rest = rest.substr(kBegin.size(), rest.size() - kBegin.size() - kEnd.size());
  return AllAsNumber<int64_t>(rest.substr(rest.rfind('.') + 1)).value_or(0);
}

Listing ReadListing(const std::vector<std::string>& files) {
  Listing listing;
  for (const std::string& file : files) {
    std::string_view rest;
    const int64_t version = NumberOf(file, rest);
    if (version < 0) continue;
    if (rest == ".json") listing.commits[version] = file;
    const int64_t parts = PartsOf(rest);
    if (parts > 0) listing.checkpoints[{version, parts}].push_back(file);
  }
  std::erase_if(listing.checkpoints,
                [](const auto& each) { return int64_t(each.second.size()) != each.first.second; });
  return listing;
}

std::string List(const std::vector<std::string>& files) {
  std::string list;
  for (const std::string& file : files) {
    list += (list.empty() ? "" : ", ") + DuckDbText(DuckDbPath(file));
  }
  return "[" + list + "]";
}

// The newest action about each file, of those that make up the table (`live`) or of those that no
// longer do. A file with deleted rows is told from the same file before by its deletion vector.
std::string NewestOfFiles(const std::string& what, bool live) {
  return fmt::format(
      "SELECT arg_max({}, (version, added)) AS file FROM (SELECT version, entry, json_type(entry, "
      "'$.add') IS NOT DISTINCT FROM 'OBJECT' AS added FROM {}) WHERE added OR json_type(entry, "
      "'$.remove') = 'OBJECT' GROUP BY coalesce(entry->>'$.add.path', entry->>'$.remove.path'), "
      "coalesce(entry->>'$.add.deletionVector.pathOrInlineDv', "
      "entry->>'$.remove.deletionVector.pathOrInlineDv', ''), "
      "coalesce(entry->>'$.add.deletionVector.offset', "
      "entry->>'$.remove.deletionVector.offset', '') HAVING {} arg_max(added, (version, added))",
      what, kTable, live ? "" : "NOT");
}

std::string LiveFiles(DeltaLog::Statistics statistics) {
  const char* const without = statistics == DeltaLog::Statistics::kText ? "" : "\"stats\":null,";
  return NewestOfFiles(
      fmt::format("json_merge_patch(entry->'$.add', '{{{}\"stats_parsed\":null}}')", without),
      true);
}

// The actions that a checkpoint keeps, as objects with the kind of each: the newest of those that
// replace each other, and the files; of files that were removed, those since `since`.
std::string ActionsText(int64_t since) {
  constexpr const char* kNewest =
      "SELECT json_object('{0}', arg_max(entry->'$.{0}', version)) FROM {1} WHERE "
      "json_type(entry, '$.{0}') = 'OBJECT' GROUP BY {2} HAVING {3}";
  const auto newest = [&](const char* kind, const char* by, const char* having) {
    return fmt::format(kNewest, kind, kTable, by, having) + " UNION ALL ";
  };
  return newest("protocol", "ALL", "true") + newest("metaData", "ALL", "true") +
         newest("txn", "entry->>'$.txn.appId'", "true") +
         newest("domainMetadata", "entry->>'$.domainMetadata.domain'",
                "NOT arg_max(entry->>'$.domainMetadata.removed' = 'true', version)") +
         "SELECT json_object('add', file) FROM (" + LiveFiles(DeltaLog::Statistics::kText) +
         ") UNION ALL SELECT json_object('remove', file) FROM (" +
         NewestOfFiles("entry->'$.remove'", false) +
         fmt::format(") WHERE coalesce(CAST(file->>'$.deletionTimestamp' AS BIGINT), 0) >= {}",
                     since);
}

}  // namespace

std::string DeltaLog::folder() const { return TableFolder(source_.file) + "/_delta_log"; }

Result<DeltaTable> DeltaLog::Read() {
  DeltaTable table;
  PT_LET(const auto files, AskSource(connection_, source_, "file",
                                     "glob(" + DuckDbText(DuckDbPath(folder()) + "/*") + ")"));
  const Listing listing = ReadListing(files);
  // Cleaned up, or the folder is another table now.
  if (!listing.commits.contains(loaded_)) loaded_ = -1;
  int64_t from = loaded_ + 1;
  table.version = loaded_;
  std::string begin;
  if (loaded_ < 0 && !listing.checkpoints.empty()) {
    const auto& [key, parts] = *listing.checkpoints.rbegin();
    table.version = key.first;
    from = key.first + 1;
    begin = fmt::format("SELECT {}, to_json(t) FROM read_parquet({}) t", key.first, List(parts));
  }
  std::vector<std::string> commits;
  for (auto each = listing.commits.lower_bound(from); each != listing.commits.end(); ++each) {
    if (each->first != from++) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("the log of the Delta table lacks version {}", from - 1),
                   .where = source_.file});
    }
    commits.push_back(each->second);
    table.version = each->first;
  }
  if (!table.exists()) return table;
  if (table.version > loaded_) PT_TRY(Load(commits, begin));
  loaded_ = table.version;
  PT_LET(table.protocol, Newest("protocol"));
  PT_LET(table.metadata, Newest("metaData"));
  return table;
}

Status DeltaLog::Load(const std::vector<std::string>& files, const std::string& checkpoint) {
  std::string lines = checkpoint;
  if (!files.empty()) {
    lines += lines.empty() ? "" : " UNION ALL ";
    lines +=
        "SELECT CAST(regexp_extract(filename, '(\\d+)\\.json$', 1) AS BIGINT), json FROM "
        "read_ndjson_objects(" +
        List(files) + ", filename = true)";
  }
  const char* const into = loaded_ < 0 ? "CREATE OR REPLACE TEMP TABLE pt_delta_log AS"
                                       : "INSERT INTO temp.pt_delta_log";
  const Status loaded =
      duck::Do(connection_, fmt::format("{} SELECT * FROM ({}) t(version, entry)", into, lines));
  return PlaceFault(source_, loaded);
}

Result<std::string> DeltaLog::Ask(const std::string& column, const std::string& where) {
  return duck::AskText(connection_, fmt::format("SELECT coalesce(CAST({} AS VARCHAR), '') FROM {} "
                                                "WHERE {}",
                                                column, kTable, where));
}

Result<Json> DeltaLog::Newest(const std::string& action) {
  PT_LET(const std::string text, Ask(fmt::format("arg_max(entry->'$.{}', version)", action),
                                     fmt::format("json_type(entry, '$.{}') = 'OBJECT'", action)));
  if (!text.empty()) return ParseJson(text);
  return Fail({.exit = Exit::kInput,
               .what = "the log of the Delta table has no action " + action,
               .where = source_.file});
}

Result<int64_t> DeltaLog::NewestOf(const std::string& application) {
  PT_LET(const std::string version, Ask("max(CAST(entry->>'$.txn.version' AS BIGINT))",
                                        "entry->>'$.txn.appId' = " + DuckDbText(application)));
  return AllAsNumber<int64_t>(version).value_or(-1);
}

Result<std::vector<Json>> DeltaLog::Files(Statistics statistics) {
  PT_LET(const std::string text,
         duck::AskText(connection_,
                       fmt::format("SELECT coalesce(CAST(to_json(list(file)) AS VARCHAR), '[]') "
                                   "FROM ({})",
                                   LiveFiles(statistics))));
  PT_LET(const Json list, ParseJson(text));
  return std::vector<Json>(list.begin(), list.end());
}

Status DeltaLog::WriteCheckpoint(const DeltaTable& table) {
  const int64_t keep = MillisToKeepRemoved(table);
  const std::string actions = fmt::format(
      "SELECT unnest(json_transform(action, {})) FROM ({}) t(action)",
      DuckDbText(CheckpointStructure()), ActionsText(keep < 0 ? 0 : MillisNow() - keep));
  const std::string name = CheckpointName(table.version);
  PT_TRY(CopyInto(name, actions, "parquet"));
  const std::string newest =
      fmt::format("SELECT CAST({} AS BIGINT) AS version, count(*) AS size FROM read_parquet({})",
                  table.version, DuckDbText(DuckDbPath(folder() + "/" + name)));
  return CopyInto(kLastCheckpoint, newest, "json");
}

// Here a file is renamed once it is whole; at a store objects appear so.
Status DeltaLog::CopyInto(const std::string& name, const std::string& select,
                          const std::string& format) {
  const std::string target = folder() + "/" + name;
  const bool here = !IsObjectPlace(target);
  const std::string draft =
      here ? fmt::format("{}/.{}.{}", folder(), name, RandomLetters(16)) : target;
  const Status copied = duck::Do(connection_, fmt::format("COPY ({}) TO {} (FORMAT {})", select,
                                                          DuckDbText(DuckDbPath(draft)), format));
  if (!here) return PlaceFault(source_, copied);
  const Status renamed = copied.ok() ? PublishLakeFile(draft, target) : copied;
  std::error_code ignored;
  if (!renamed.ok()) fs::remove(draft, ignored);
  return renamed;
}

}  // namespace protium
