// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include "base/fault.h"
#include "format/csv.h"
#include "format/parquet.h"
#include "format/partitions.h"
#include "frame/inputs.h"
#include "frame/session_state.h"
#include "frame/table_files.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Determines the columns of the files. CSV is read whole for this, here and not in the engine: a
// sample, or two engines with rules of their own, would infer different types.
Status ReadColumns(const SchemaPtr& known, Scan& scan) {
  if (scan.format == Format::kParquet) {
    PT_LET(scan.schema, ParquetSchema(scan.paths));
    return Status::OK();
  }
  PT_LET(CsvTable table, InferCsv(scan.paths, scan.csv));
  scan.schema = std::move(table.schema);
  scan.rows_are_lines = table.rows_are_lines;
  if (known == nullptr) return Status::OK();
  PT_LET(scan.schema, WithKnownTypes(scan.paths, scan.csv, scan.schema, *known));
  return Status::OK();
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
  SessionState& session = session_->state();
  const fs::path full = fs::absolute(session.options().base / path).lexically_normal();
  PT_LET(TableFiles files, FindFiles(full, format, partitions_));
  for (const std::string& file : files.paths) PT_TRY(session.inputs().Add(file));
  for (InputPattern& each : files.patterns) session.inputs().AddPattern(std::move(each));
  Scan scan{.table = full.stem().string(), .format = format, .paths = std::move(files.paths)};
  scan.csv = options;
  PT_TRY(ReadColumns(known, scan));
  if (!partitions_.empty()) {
    PT_LET(scan.partitions, ReadPartitions(scan.paths, files.root, partitions_, known));
    PT_LET(scan.schema, WithPartitions(scan.schema, scan.partitions));
  }
  return MakePlan(std::move(scan));
}

DataFrame Reader::Csv(const std::string& path, const CsvOptions& options) const {
  return Csv(path, options, nullptr);
}

DataFrame Reader::Csv(const std::string& path, const CsvOptions& options,
                      const SchemaPtr& known) const {
  Result<Plan> plan = MakeScan(path, Format::kCsv, options, known);
  return {*session_, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

DataFrame Reader::Parquet(const std::string& path, const SchemaPtr& known) const {
  Result<Plan> plan = MakeScan(path, Format::kParquet, {}, known);
  return {*session_, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

}  // namespace protium
