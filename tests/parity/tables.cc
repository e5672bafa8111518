// SPDX-License-Identifier: Apache-2.0
#include "tables.h"

#include <arrow/type.h>

#include "base/json.h"
#include "column/schema.h"
#include "format/csv.h"
#include "format/partitions.h"
#include "frame/table_files.h"
#include "os/file.h"
#include "protium/fields.h"

namespace protium {
namespace {

// The declared types must be those of the tests' table.
Status CheckTypes(const Scan& scan) {
  PT_LET(const SchemaPtr whole, WithPartitions(SchemaOfFiles(scan), scan.partitions));
  if (whole->Equals(*scan.schema)) return Status::OK();
  return Status::Invalid("table ", scan.table, " is ", Describe(*whole));
}

Result<Plan> MakeScan(const std::string& name, const Json& table,
                      const std::filesystem::path& folder) {
  Scan scan{.table = name};
  PT_LET(scan.schema, SchemaFromJson(table.at("schema")));
  if (table.contains("csv")) {
    scan.csv.null = table.at("csv").at("null").get<std::string>();
    scan.csv.delimiter = table.at("csv").at("delimiter").get<std::string>();
  } else {
    scan.format = Format::kParquet;
  }
  const Columns partitions = table.value("partitions", Columns());
  PT_LET(TableFiles files,
         FindFiles(folder / table.at("file").get<std::string>(), scan.format, partitions));
  scan.paths = std::move(files.paths);
  if (scan.format == Format::kCsv) {
    PT_LET(const CsvTable inferred, InferCsv(scan.paths, scan.csv));
    scan.rows_are_lines = inferred.rows_are_lines;
  }
  if (!partitions.empty()) {
    PT_LET(scan.partitions, ReadPartitions(scan.paths, files.root, partitions, nullptr));
    PT_TRY(CheckTypes(scan));
  }
  return MakePlan(std::move(scan));
}

}  // namespace

Result<Tables> Tables::Read(const std::filesystem::path& folder) {
  PT_LET(const std::string text, ReadFile(folder / "tables.json"));
  PT_LET(const Json json, ParseJson(text));
  Tables tables;
  for (const auto& [name, table] : json.items()) {
    PT_LET(tables.scans_[name], MakeScan(name, table, folder));
  }
  return tables;
}

Plan Tables::operator[](const std::string& name) const {
  const auto found = scans_.find(name);
  if (found != scans_.end()) return found->second;
  return MakePlan(Broken{Status::KeyError("there is no table ", name)});
}

}  // namespace protium
