// SPDX-License-Identifier: Apache-2.0
#include "job/check.h"

#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "format/csv_options.h"
#include "format/csv_rows.h"
#include "format/parquet.h"
#include "frame/named_tables.h"
#include "frame/outputs.h"
#include "frame/table_files.h"
#include "job/check_seats.h"
#include "job/file_terms.h"
#include "job/leak_check.h"
#include "job/model_tables.h"
#include "job/output_columns.h"
#include "job/read_job.h"
#include "model/preview.h"
#include "pipeline/estimator_kind.h"
#include "sql_text/result_names.h"

namespace protium {

namespace {

namespace fs = std::filesystem;

// Gives a fault the place `path`, unless it names one.
Status WithPlace(const std::string& path, const Status& status) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  if (fault.where.empty()) fault.where = path;
  return Fail(std::move(fault));
}

// Returns the columns of a table by its first file, followed by those in its folders' names.
Result<std::optional<Columns>> ReadNames(const Job& job, const JobTable& table) {
  if (table.sources() > 0) {
    PT_TRY(SourceOf(table, PlaceIn(job.file.data, table), job.file.connections));
    return std::nullopt;
  }
  if (table.table || IsKeptPlace(PathOf(table))) return std::nullopt;
  const fs::path path = fs::path(job.file.data) / PathOf(table);
  Format format = table.format.value_or(table.parquet ? Format::kParquet : Format::kCsv);
  if (table.file && !table.format) {
    PT_LET(const FileForm form, FindForm(path));
    format = form.format;
  }
  PT_TRY(CheckOptionsFit(format, table.options));
  PT_LET(const TableFiles files, FindFiles(path, format, table.partitions));
  std::optional<Columns> names;
  if (format == Format::kCsv) {
    PT_TRY(CheckCsvOptions(table.options));
    PT_LET(const CsvRows rows, CsvRows::Open(files.paths.front(), table.options));
    names = rows.names();
  } else if (format == Format::kParquet) {
    PT_LET(const SchemaPtr schema, ParquetSchema({files.paths.front()}));
    names = schema->field_names();
  }
  // The keys of JSON lines are known only after reading all lines, and an Arrow file is as quick to
  // run.
  if (names) names->insert(names->end(), table.partitions.begin(), table.partitions.end());
  return names;
}

Status CheckColumn(const std::string& column, const Columns& table, std::string where) {
  if (std::ranges::find(table, column) != table.end()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the table has no column \"" + column + "\"",
               .where = std::move(where),
               .fix = Suggest(column, table)});
}

Status CheckColumns(const Columns& by, const Columns& table, const std::string& where) {
  for (size_t i = 0; i < by.size(); ++i) {
    PT_TRY(CheckColumn(by[i], table, where + "." + std::to_string(i)));
  }
  return Status::OK();
}

Status CheckSplit(const JobSplit& split, const Columns& table) {
  PT_TRY(CheckColumns(split.by, table, "split.by"));
  if (!split.by_time.empty()) PT_TRY(CheckColumn(split.by_time, table, "split.by_time"));
  return split.column.empty() ? Status::OK() : CheckColumn(split.column, table, "split.column");
}

// Checks the outputs' paths; whether a file is in the way is checked again before writing.
Status CheckTargets(const Job& job) {
  for (const auto& [name, output] : job.file.outputs.all) {
    if (output.databases() > 0) continue;
    const fs::path path = fs::path(output.path()).lexically_normal();
    const std::string where = "outputs." + name + (output.file ? ".file" : ".parquet");
    PT_TRY(WithPlace(where, RefuseUpward(path)));
    PT_TRY(WithPlace(where, path.is_absolute() ? Status::OK() : RefuseOwnFiles(path)));
  }
  return Status::OK();
}

Status CheckGang(const Job& job) {
  const JobEngine& engine = job.file.engine;
  GangSpec gang{.workers = 0};
  if (job.estimator && job.pipeline) {
    PT_LET(const auto estimator, FindEstimator(job.pipeline->stages(), job.catalogue));
    gang = estimator->options.gang;
  }
  return WithPlace("engine.address", CheckSeats(engine.address, engine.discovery, gang));
}

class Checking {
 public:
  Checking(const fs::path& file, const std::vector<std::string>& sets, Extensions extensions) {
    JobMistakes read = FindMistakes(file, sets, extensions);
    check_.mistakes = std::move(read.all);
    check_.job = std::move(read.job);
  }

  JobCheck Run() {
    const bool whole = check_.mistakes.empty();
    const TableNames tables = CheckTables();
    if (!whole) return std::move(check_);
    check_.columns = ResultNames(check_.job.file.etl.sql, tables);
    CheckPipeline();
    Note(CheckTargets(check_.job));
    Note(CheckGang(check_.job));
    return std::move(check_);
  }

 private:
  void Note(const Status& status) {
    if (!status.ok()) {
      check_.mistakes.push_back(InFileTerms(check_.job, status, kNothingStarted));
    }
  }

  TableNames CheckTables() {
    TableNames tables;
    // If reading stopped before that, it is unknown where the tables are.
    if (!fs::path(check_.job.file.data).is_absolute()) return tables;
    for (const auto& [name, table] : check_.job.file.tables.all) {
      if (table.places() != 1) continue;  // Reported already.
      const Result<std::optional<Columns>> names = ReadNames(check_.job, table);
      Note(WithPlace("tables." + name, names.status()));
      tables[Lower(name)] = names.ok() ? *names : std::nullopt;
    }
    return tables;
  }

  void CheckPipeline() {
    const Job& job = check_.job;
    const std::optional<Columns>& columns = check_.columns;
    if (columns) Note(CheckKnown(job, *columns));
    if (job.file.split && columns) Note(CheckSplit(*job.file.split, *columns));
    if (job.file.folds && columns) {
      Note(CheckColumns(job.file.folds->by, *columns, "folds.by"));
      const std::string& time = job.file.folds->by_time;
      if (!time.empty()) Note(CheckColumn(time, *columns, "folds.by_time"));
    }
    if (job.pipeline) {
      Note(CheckOnNames(*job.pipeline, columns, job.catalogue, job.file.data));
    }
    // Only its loss determines what an estimator predicts.
    if (columns && !job.unloaded.loss) Note(CheckOutputColumns(job, *columns));
  }

  JobCheck check_;
};

}  // namespace

JobCheck CheckJob(const fs::path& file, const std::vector<std::string>& sets,
                  Extensions extensions) {
  return Checking(file, sets, extensions).Run();
}

}  // namespace protium
