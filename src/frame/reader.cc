// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include "base/fault.h"
#include "format/csv.h"
#include "format/parquet.h"
#include "format/partitions.h"
#include "frame/inputs.h"
#include "frame/session.h"
#include "frame/table_files.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

Result<SchemaPtr> ColumnsOf(const Scan& scan, const SchemaPtr& known) {
  if (scan.format == Format::kParquet) return ParquetSchema(scan.paths);
  PT_LET(SchemaPtr schema, InferCsv(scan.paths, scan.csv));
  return known ? WithKnownTypes(scan.paths, scan.csv, schema, *known) : schema;
}

}  // namespace

Reader Reader::Partitions(Columns names) const {
  Reader reader = *this;
  reader.partitions_ = std::move(names);
  return reader;
}

Result<Plan> Reader::ScanOf(const std::string& path, Format format, const CsvOptions& options,
                            const SchemaPtr& known) const {
  const fs::path full = fs::absolute(session_->options().base / path).lexically_normal();
  PT_LET(TableFiles files, FilesOf(full, format, partitions_));
  for (const std::string& file : files.paths) PT_TRY(session_->inputs().Add(file));
  for (InputPattern& each : files.patterns) session_->inputs().AddPattern(std::move(each));
  Scan scan{.table = full.stem().string(), .format = format, .paths = std::move(files.paths)};
  scan.csv = options;
  PT_LET(scan.schema, ColumnsOf(scan, known));
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
  Result<Plan> plan = ScanOf(path, Format::kCsv, options, known);
  return {*session_, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

DataFrame Reader::Parquet(const std::string& path, const SchemaPtr& known) const {
  Result<Plan> plan = ScanOf(path, Format::kParquet, {}, known);
  return {*session_, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

}  // namespace protium
