// SPDX-License-Identifier: Apache-2.0
#include "local/iceberg_store.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/fault.h"
#include "base/text.h"
#include "iceberg/columns.h"
#include "iceberg/commit.h"
#include "iceberg/partitions.h"
#include "local/iceberg_files.h"
#include "local/iceberg_target.h"
#include "local/iceberg_upsert.h"
#include "local/kept_tables.h"
#include "local/lake_files.h"
#include "local/lake_upsert.h"
#include "local/source_faults.h"
#include "local/sources.h"
#include "local/upsert.h"
#include "os/random_letters.h"
#include "sources/catalog.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"

// 1. Files come before the commit that names them, so a process that is killed in between leaves
//    files that no snapshot has, and nothing else.
// 2. A commit asks the catalogue for one snapshot after the one that was read. Of two requests that
//    follow the same snapshot the catalogue grants one, so a request whose answer is lost can be
//    made again: whichever comes second is refused.
// 3. From the first request on, no file that it named is removed: it may be granted yet.

namespace protium {
namespace {

// Each conflict is another writer's commit; each answer that is lost, a catalogue in trouble.
constexpr int kMostConflicts = 20;
constexpr int kMostLost = 6;
constexpr size_t kMostPartitions = 10'000;  // Each is a pass over the rows, and a file.
constexpr const char* kNote = "protium.commit";

Status CheckPlace(const Store& store) {
  const Source& target = store.target;
  if (IsOfCatalog(target)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "Iceberg tables are written through their catalogue",
               .where = DescribeSource(target),
               .why = "a folder does not tell which of two writers was first",
               .fix = "iceberg = \"sales.scores\", catalog = \"NAME\", and a section "
                      "[connections.NAME] with the catalogue's url"});
}

// A number that no other snapshot has.
int64_t NewSnapshot() {
  constexpr size_t kDigits = 15;  // Of sixteen: the number is positive.
  const std::string digits = Sha256Hex(RandomLetters(32)).substr(0, kDigits);
  return static_cast<int64_t>(std::stoull(digits, nullptr, 16));
}

Status CheckColumns(const Store& store, const arrow::Schema& rows) {
  PT_LET(const IcebergTarget target, IcebergTarget::Open(store.target));
  if (store.mode == StoreMode::kUpsert) PT_TRY(CheckUpsertNames(rows, target.place()));
  PT_LET(const auto table, target.Read());
  if (!table) return IcebergSchema(rows).status();
  return FitIcebergColumns(table->schema, rows, target.place()).status();
}

// What is to be written: a table of the database, and whose rows they are (MarkOfRows).
struct NewRows {
  std::string name, mark;
  std::vector<LakeColumn> columns;
};

class IcebergStoring {
 public:
  IcebergStoring(const duck::Connection& connection, OpenSources& sources, const Store& store,
                 const IcebergTarget& target, NewRows rows)
      : connection_(connection),
        sources_(sources),
        store_(store),
        target_(target),
        rows_(std::move(rows)),
        snapshot_(NewSnapshot()) {}

  // Writes the rows into the table, unless they are there.
  Status Run(IcebergTable table) {
    table_ = std::move(table);
    if (IsDone()) return Status::OK();
    PT_TRY(Write());
    return Commit();
  }

 private:
  bool upserts() const { return store_.mode == StoreMode::kUpsert; }

  // Replacing gives the same however often, and a run may have learned more since.
  bool IsDone() const {
    return store_.mode != StoreMode::kReplace && HasSnapshotWith(table_, kNote, rows_.mark);
  }

  Status Write() {
    const Status written = WriteFiles();
    if (!written.ok()) RemoveLakeFiles(data_, name_);
    return written;
  }

  Status Commit() {
    int conflicts = 0, lost = 0;
    while (conflicts < kMostConflicts && lost < kMostLost) {
      PT_LET(const Json request, Prepare());
      PT_LET(const CommitAnswer answer, target_.catalog().Commit(store_.target.table, request));
      if (answer == CommitAnswer::kDone) return Status::OK();
      ++(answer == CommitAnswer::kSlower ? conflicts : lost);
      Wait(conflicts + lost);
      const auto before = table_.newest();
      PT_LET(const bool arrived, ReadAgain());
      if (arrived) return Status::OK();
      // What an upsert replaces is another writer's now.
      if (upserts() && table_.newest() != before) PT_TRY(Write());
    }
    return Fail({.exit = Exit::kRemote,
                 .what = lost == kMostLost
                             ? "the catalogue does not answer the commit"
                             : fmt::format("other writers were faster {} times", kMostConflicts),
                 .where = target_.place(),
                 .fix = "protium resume asks again, and writes nothing twice",
                 .kept = "the table, and the files beside it"});
  }

  Status WriteFiles() {
    added_.clear();
    name_ = "part-" + RandomLetters(16);
    data_ = target_.At(DataFolder(table_));
    PT_TRY(sources_.Prepare(connection_, data_));
    PT_TRY(sources_.Prepare(connection_, target_.At(MetadataFolder(table_))));
    PT_LET(const IcebergSpec spec, SpecOf(table_, table_.spec, target_.place()));
    PT_LET(const std::string rows, upserts() ? Rewrite(spec) : Result<std::string>(rows_.name));
    PT_LET(const Json values, ValuesIn(rows, spec));
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string own = PartText(rows, spec, values[i]);
      PT_LET(const auto files, WriteLakeFiles(connection_, data_, fmt::format("{}-{}", name_, i),
                                              own, rows_.columns, {}));
      for (const LakeFile& file : files) added_.push_back(Described(file, values[i]));
    }
    return Status::OK();
  }

  // The rows of an upsert and those that are kept of the files that they replace.
  Result<std::string> Rewrite(const IcebergSpec& spec) {
    PT_LET(IcebergRewrite rewrite,
           FindIcebergRewrite(connection_, store_, data_, table_, rows_.name, rows_.columns));
    removed_ = std::move(rewrite.removed);
    if (removed_.empty() || spec.partitions.empty()) return std::move(rewrite.rows);
    // Each partition reads them.
    const std::string name = "pt_iceberg_rows";
    PT_TRY(PlaceFault(data_, duck::Do(connection_, fmt::format("CREATE OR REPLACE TEMP TABLE {} AS "
                                                               "SELECT * FROM {}",
                                                               name, rewrite.rows))));
    return name;
  }

  // The values of partitions among the rows: a list of objects, of one that is empty for a table
  // without partitions.
  Result<Json> ValuesIn(const std::string& rows, const IcebergSpec& spec) {
    if (spec.partitions.empty()) return Json::array({Json::object()});
    std::string list;
    for (const IcebergPartition& each : spec.partitions) {
      list += (list.empty() ? "" : ", ") + each.sql + " AS " + DuckDbName(each.name);
    }
    PT_LET(const std::string text,
           duck::AskText(connection_,
                         fmt::format("SELECT coalesce(CAST(to_json(list(p)) AS VARCHAR), '[]') "
                                     "FROM (SELECT DISTINCT {} FROM {} ORDER BY ALL) p",
                                     list, rows)));
    PT_LET(Json values, ParseJson(text));
    if (values.size() <= kMostPartitions) return values;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("the rows belong to {} partitions of the Iceberg table, and "
                                     "{} are written at once",
                                     values.size(), kMostPartitions),
                 .where = target_.place(),
                 .fix = "write fewer rows at a time, or partition the table by longer times",
                 .kept = "the table as it was"});
  }

  // The rows with these values, in DuckDB's SQL.
  static std::string PartText(const std::string& rows, const IcebergSpec& spec,
                              const Json& values) {
    if (spec.partitions.empty()) return rows;
    std::string where;
    for (const IcebergPartition& each : spec.partitions) {
      const Json& value = MemberOf(values, each.name);
      where += fmt::format("{}{} IS NOT DISTINCT FROM {}", where.empty() ? "" : " AND ", each.sql,
                           value.is_string() ? DuckDbText(value.get<std::string>()) : Dump(value));
    }
    return fmt::format("(SELECT * FROM {} WHERE {})", rows, where);
  }

  IcebergFile Described(const LakeFile& file, const Json& partition) const {
    const Json& facts = file.statistics;
    return {.location = DataFolder(table_) + "/" + file.path,
            .rows = file.rows,
            .bytes = file.bytes,
            .partition = partition,
            .nulls = IcebergCounts(table_.schema, MemberOf(facts, "nullCount")),
            .smallest = IcebergBounds(table_.schema, MemberOf(facts, "minValues")),
            .largest = IcebergBounds(table_.schema, MemberOf(facts, "maxValues"))};
  }

  // Writes the files of a snapshot that follows the table's newest, and what asks for it.
  Result<Json> Prepare() {
    IcebergFiles files(connection_, target_.At(MetadataFolder(table_)), table_, snapshot_);
    PT_TRY(files.Add(added_));
    IcebergCommit commit{.replaces = store_.mode == StoreMode::kReplace,
                         .snapshot = snapshot_,
                         .millis = MillisNow(),
                         .note = kNote,
                         .value = rows_.mark,
                         .added = added_};
    if (commit.replaces) {
      PT_LET(commit.removed, files.RemoveOthers());
    } else if (!removed_.empty()) {
      PT_LET(commit.removed, files.Remove(removed_));
    } else {
      PT_TRY(files.KeepOthers());
    }
    PT_LET(commit.manifest_list, files.Finish());
    return CommitRequest(commit, table_);
  }

  // Reads the table anew; true if it has the snapshot, or that of an earlier try of this run, which
  // was killed and whose request has arrived only now.
  Result<bool> ReadAgain() {
    const IcebergTable before = table_;
    PT_LET(const auto now, target_.Read());
    if (now) table_ = *now;
    if (now && (HasSnapshot(table_, snapshot_) || IsDone())) return true;
    const bool same = now && table_.uuid == before.uuid && table_.schema == before.schema &&
                      table_.spec == before.spec && table_.location == before.location;
    if (same) return false;
    return Fail({.exit = Exit::kRemote,
                 .what = "another writer has changed the columns of the table meanwhile, or made "
                         "it anew",
                 .where = target_.place(),
                 .fix = "protium resume writes the rows again",
                 .kept = "the table without these rows"});
  }

  static void Wait(int tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50 << std::min(tries, 6)));
  }

  const duck::Connection& connection_;
  OpenSources& sources_;
  const Store& store_;
  const IcebergTarget& target_;
  const NewRows rows_;
  IcebergTable table_;  // As it was read last.
  const int64_t snapshot_;
  Source data_;
  std::string name_;  // That of the files of rows begins so.
  std::vector<IcebergFile> added_;
  std::set<std::string> removed_;  // By an upsert: the places of files.
};

}  // namespace

// The columns are checked before rows are read, which may take hours: the token may have expired
// after that, and the table may have changed.
Result<int64_t> StoreInIceberg(const DatabaseOptions& options, BatchStream& stream,
                               const Store& store) {
  PT_TRY(CheckPlace(store));
  PT_TRY(CheckColumns(store, *stream.schema()));
  DatabaseOptions own = options;
  own.show_secrets = true;  // For FindStoreKey(); no SQL of others runs in this database.
  const auto database = std::make_shared<Database>(own);
  PT_LET(const KeptTable rows, KeptTable::Fill(database, stream));
  PT_LET(const duck::Connection connection, database->Connect());
  if (store.mode == StoreMode::kUpsert) PT_TRY(CheckRowKeys(connection, store, rows.name()));
  PT_LET(const std::string count,
         duck::AskText(connection, "SELECT CAST(count(*) AS VARCHAR) FROM " + rows.name()));
  PT_LET(const IcebergTarget target, IcebergTarget::Open(store.target));
  PT_LET(IcebergTable table, target.ReadOrMake(*stream.schema()));
  NewRows own_rows{.name = rows.name()};
  PT_LET(own_rows.mark, MarkOfRows(connection, store, rows.name()));
  PT_LET(own_rows.columns, FitIcebergColumns(table.schema, *stream.schema(), target.place()));
  PT_TRY(CheckNoNulls(connection, rows.name(), own_rows.columns, target.place()));
  OpenSources sources;
  PT_TRY(IcebergStoring(connection, sources, store, target, std::move(own_rows))
             .Run(std::move(table)));
  return AllAsNumber<int64_t>(count).value_or(0);
}

// Where a table that is not there yet will lie, the catalogue says when it makes it.
Status CheckIcebergTarget(const DatabaseOptions& options, const Store& store) {
  PT_TRY(CheckPlace(store));
  PT_LET(const IcebergTarget target, IcebergTarget::Open(store.target));
  PT_LET(const auto table, target.Read());
  PT_LET(const bool there, target.catalog().HasNamespace(store.target.table));
  if (!there) {
    return Fail(
        {.exit = Exit::kInput,
         .what = "the catalogue has no namespace for the table \"" + store.target.table + "\"",
         .where = PlaceOf(store.target),
         .fix = "make it there, or name another"});
  }
  Database database(options);
  PT_LET(const duck::Connection connection, database.Connect());
  OpenSources sources;
  return sources.Prepare(connection, target.At(table ? DataFolder(*table) : "/"));
}

}  // namespace protium
