// SPDX-License-Identifier: Apache-2.0
// Tables from files: a path becomes files (table_files.h), which are recorded as inputs of the run,
// and then columns. All of it happens when the table is named, not when it is read, so that
// mistakes show before anything runs; a failure waits in a Broken node.
#include <fmt/format.h>

#include <filesystem>
#include <future>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "format/bring.h"
#include "format/carried_rows.h"
#include "format/csv.h"
#include "format/csv_options.h"
#include "format/formats.h"
#include "format/object_files.h"
#include "format/parquet.h"
#include "format/partitions.h"
#include "frame/inputs.h"
#include "frame/kept_files.h"
#include "frame/named_tables.h"
#include "frame/session_state.h"
#include "frame/table_files.h"
#include "frame/verbs.h"
#include "protium/events.h"
#include "sources/object_store.h"
#include "sources/source.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Determines the columns of the files. For this, CSV is read whole, here and not in the engine: a
// sample, or two engines with their own rules, would infer different types. `loose`: the table must
// be brought after all, since engines do not read some numbers alike. `found`: what CSV
// files hold.
Status ReadColumns(const SchemaPtr& known, const KeptFiles& kept, Scan& scan, bool& loose,
                   std::optional<CsvTable>& found) {
  if (scan.format == Format::kParquet) {
    PT_LET(ParquetTable table, ReadParquetTable(scan.paths));
    scan.schema = std::move(table.schema);
    scan.hashed = std::move(table.hashed);
    return Status::OK();
  }
  PT_LET(scan.csv, WithDelimiter(scan.paths.front(), scan.csv));
  found = kept.csv();
  if (!found) {
    PT_LET(found, InferCsv(scan.paths, scan.csv));
  }
  CsvTable table = *found;
  loose = table.loose_numbers;
  if (loose) return Status::OK();
  scan.schema = std::move(table.schema);
  scan.rows_are_lines = table.rows_are_lines;
  if (known == nullptr) return Status::OK();
  PT_LET(scan.schema, WithKnownTypes(scan.paths, scan.csv, scan.schema, *known));
  return Status::OK();
}

// Whether the table must be brought; otherwise its columns are in `scan`.
Result<bool> FindColumns(const SchemaPtr& known, const KeptFiles& kept, Scan& scan,
                         std::optional<CsvTable>& found) {
  PT_LET(bool bring, MustBeBrought(scan.paths, scan.format, scan.csv));
  if (!bring) PT_TRY(ReadColumns(known, kept, scan, bring, found));
  return bring;
}

// Returns the table as one Parquet file, which also has the columns of the folders: engines read it
// like any other.
Result<Plan> BringScan(SessionState& session, const SchemaPtr& known, Scan scan) {
  const BringSpec spec{.paths = scan.paths,
                       .format = scan.format,
                       .csv = scan.csv,
                       .known = known,
                       .partitions = std::move(scan.partitions)};
  PT_LET(const std::string file,
         session.brought().Find(scan.table, spec, session.inputs(), session.call()));
  Scan brought{.table = std::move(scan.table), .format = Format::kParquet, .paths = {file}};
  brought.brought_from = std::move(scan.brought_from.empty() ? scan.paths : scan.brought_from);
  PT_LET(brought.schema, ParquetSchema(brought.paths));
  return MakePlan(std::move(brought));
}

// Records the files as inputs of the run; returns their hashes.
Result<std::vector<std::string>> RecordFiles(InputRecord& inputs, const KeptFiles& kept,
                                             const std::vector<std::string>& paths) {
  std::vector<std::string> hashes;
  for (size_t i = 0; i < paths.size(); ++i) {
    PT_TRY(inputs.Add(paths[i], kept.Sha256(i)));
    hashes.push_back(inputs.files().at(paths[i]).sha256);
  }
  return hashes;
}

// Makes the table of a scan's files, whose folders were read. `sha256`: of files that are no inputs
// of the run, because they are copies of what is noted elsewhere; else empty.
Result<Plan> ScanFiles(SessionState& session, Scan scan, std::vector<std::string> sha256,
                       const SchemaPtr& known) {
  KeptFiles kept(session, scan);
  const std::vector<std::string> paths = scan.paths;
  // Hashing and finding types each read every byte, on a core of their own. Nobody else uses the
  // record of inputs until `recorded` has its result.
  std::future<Result<std::vector<std::string>>> recorded =
      std::async(std::launch::async, [&]() -> Result<std::vector<std::string>> {
        if (!sha256.empty()) return std::move(sha256);
        return RecordFiles(session.inputs(), kept, paths);
      });
  std::optional<CsvTable> csv;
  Result<bool> columns = FindColumns(known, kept, scan, csv);
  PT_LET(const std::vector<std::string> hashes, recorded.get());
  PT_LET(const bool bring, std::move(columns));
  kept.Keep(hashes, csv ? &*csv : nullptr);
  if (bring) return BringScan(session, known, std::move(scan));
  for (const std::string& note : ZoneNotes(*scan.schema)) {
    session.call().Send(Note{note});
  }
  if (scan.partitions.columns != nullptr) {
    PT_LET(scan.schema, WithPartitions(scan.schema, scan.partitions));
  }
  return MakePlan(std::move(scan));
}

// A fault that names a copy names the object instead.
Status WithPlaces(const Status& status, const Scan& scan) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  for (std::string* text : {&fault.what, &fault.where, &fault.why, &fault.fix}) {
    for (size_t i = 0; i < scan.paths.size(); ++i) {
      for (size_t at = 0; (at = text->find(scan.paths[i], at)) != text->npos;) {
        text->replace(at, scan.paths[i].size(), scan.brought_from[i]);
        at += scan.brought_from[i].size();
      }
    }
  }
  return Fail(std::move(fault));
}

Status NotAtStores(const std::string& place, Format format) {
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("files of {} are not read at object stores", KindOf(format).title),
       .where = place,
       .fix = "copy them to this machine; Parquet, CSV and JSON lines are read there"});
}

// Copies the objects of a pinned source here, and reads the copies.
Result<Plan> ScanCopies(SessionState& session, const Source& source, const CsvOptions& options,
                        const SchemaPtr& known) {
  PT_LET(const std::vector<ObjectCopy> copies, session.engine().CopyHere(source, session.call()));
  if (session.sources().kept()) PT_TRY(session.sources().AddCopies(source, copies));
  Scan scan{.table = TableNameOf(ObjectRoot(source)),
            .format = FormatOfFiles(source.kind),
            .csv = options};
  if (source.objects.size() == 1) scan.table = TableNameOf(source.objects.front().place);
  std::vector<std::string> sha256, places;
  for (size_t i = 0; i < copies.size(); ++i) {
    scan.paths.push_back(copies[i].path);
    sha256.push_back(copies[i].sha256);
    scan.brought_from.push_back(source.objects[i].place);
    places.push_back(PathAtStore(source.objects[i].place));
  }
  if (!source.partitions.empty()) {
    PT_LET(scan.partitions,
           ReadPartitions(places, PathAtStore(ObjectRoot(source)), source.partitions, known));
  }
  Result<Plan> plan = ScanFiles(session, scan, std::move(sha256), known);
  if (plan.ok()) return plan;
  return WithPlaces(plan.status(), scan);
}

}  // namespace

Reader Reader::Partitions(Columns names) const {
  Reader reader = *this;
  reader.partitions_ = std::move(names);
  return reader;
}

// Paths are made absolute before they are recorded: `resume` may run in another working directory.
Result<Plan> Reader::MakeScan(const std::string& path, Format format, const CsvOptions& options,
                              const SchemaPtr& known) const {
  PT_TRY(CheckOptionsFit(format, options));
  SessionState& session = StateOf(*session_);
  const fs::path full = fs::absolute(session.options().base / path).lexically_normal();
  PT_LET(TableFiles files, FindFiles(full, format, partitions_));
  for (InputPattern& each : files.patterns) session.inputs().AddPattern(std::move(each));
  for (const std::string& each : files.passed_over) {
    session.call().Send(Note{"ignored " + each});
  }
  Scan scan{.table = TableNameOf(full.string()), .format = format, .paths = std::move(files.paths)};
  scan.csv = options;
  if (!partitions_.empty()) {
    PT_LET(scan.partitions, ReadPartitions(scan.paths, files.root, partitions_, known));
  }
  return ScanFiles(session, std::move(scan), {}, known);
}

Result<Plan> Reader::OpenSource(Source source, const CsvOptions& options,
                                const SchemaPtr& known) const {
  SessionState& session = StateOf(*session_);
  PT_TRY(CheckSource(source));
  const SourceKindRow& row = RowOf(source.kind);
  if (row.copied) {
    const Format format = FormatOfFiles(source.kind);
    PT_TRY(CheckOptionsFit(format, options));
    if (IsHere(source)) return MakeScan(source.file, format, options, known);
  }
  source.file = PlaceFrom(session.options().base, source);
  if (IsHere(source) && !row.folder) PT_TRY(session.inputs().Add(source.file));
  PT_LET(source, session.sources().PinOf(session.engine(), source, session.call()));
  if (row.copied) return ScanCopies(session, source, options, known);
  std::string name = source.table;
  const Plan table = MakePlan(NamedTable{std::move(name), source});
  const bool noted = session.sources().kept() && (row.server || row.folder);
  if (noted) PT_TRY(session.sources().Add(session.engine(), table, source, session.call()));
  return table;
}

DataFrame Reader::From(Source source) const { return From(std::move(source), {}, nullptr); }

DataFrame Reader::From(Source source, const CsvOptions& options, const SchemaPtr& known) const {
  return BuildFrame(*session_, [&] { return OpenSource(std::move(source), options, known); });
}

DataFrame Reader::Refused(const Status& reason) const {
  return {*session_, MakePlan(Broken{reason})};
}

DataFrame Reader::DuckDb(const std::string& file, const std::string& name) const {
  return From({.kind = SourceKind::kDuckDb, .file = file, .table = name});
}

DataFrame Reader::Table(const std::string& name) const {
  return {*session_, MakePlan(NamedTable{name})};
}

DataFrame Reader::File(const std::string& path, Format format, const CsvOptions& options,
                       const SchemaPtr& known) const {
  if (IsKeptPlace(path)) return OpenKeptPlace(*session_, path, options, partitions_);
  if (IsObjectPlace(path)) {
    const auto kind = KindOfFiles(format);
    if (!kind) return Refused(NotAtStores(path, format));
    Source source{.kind = *kind, .file = path, .partitions = partitions_};
    return From(std::move(source), options, known);
  }
  Result<Plan> plan = MakeScan(path, format, options, known);
  return {*session_, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

DataFrame Reader::Csv(const std::string& path, const CsvOptions& options) const {
  return File(path, Format::kCsv, options, nullptr);
}

DataFrame Reader::Csv(const std::string& path, const CsvOptions& options,
                      const SchemaPtr& known) const {
  return File(path, Format::kCsv, options, known);
}

DataFrame Reader::Parquet(const std::string& path, const SchemaPtr& known) const {
  return File(path, Format::kParquet, {}, known);
}

DataFrame Reader::JsonLines(const std::string& path, const SchemaPtr& known) const {
  return File(path, Format::kJsonLines, {}, known);
}

DataFrame Reader::Arrow(const std::string& path, const SchemaPtr& known) const {
  return File(path, Format::kArrow, {}, known);
}

DataFrame Reader::File(const std::string& path, const CsvOptions& options,
                       const SchemaPtr& known) const {
  if (IsKeptPlace(path)) return OpenKeptPlace(*session_, path, options, partitions_);
  const Result<FileForm> form =
      IsObjectPlace(path)
          ? FormNamed(path)
          : FindForm(fs::absolute(StateOf(*session_).options().base / path).lexically_normal());
  if (!form.ok()) return {*session_, MakePlan(Broken{form.status()})};
  return File(path, form->format, options, known);
}

}  // namespace protium
