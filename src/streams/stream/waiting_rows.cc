// SPDX-License-Identifier: Apache-2.0
#include "stream/waiting_rows.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <vector>

#include "base/fault.h"
#include "base/unknown_name.h"
#include "column/batches.h"
#include "column/cells.h"
#include "format/bring.h"
#include "format/file_writer.h"
#include "os/file.h"
#include "os/publish.h"

namespace protium {

namespace fs = std::filesystem;

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

Result<BatchPtr> LoadWaiting(const fs::path& file, const std::shared_ptr<arrow::Schema>& schema,
                             int64_t expected) {
  if (expected == 0) return arrow::RecordBatch::MakeEmpty(schema);
  const BringSpec spec{.paths = {file.string()}, .format = Format::kArrow};
  const auto rows = OpenRows(spec, [](double) { return Status::OK(); });
  std::vector<BatchPtr> parts;
  while (rows.ok()) {
    PT_LET(auto next, (*rows)->Next());
    if (next == nullptr) break;
    parts.push_back(arrow::RecordBatch::Make(schema, next->num_rows(), next->columns()));
  }
  PT_LET(const BatchPtr waiting, Together(schema, parts));
  if (waiting->num_rows() == expected) return waiting;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} events wait for others, and the file has {}", expected,
                                   waiting->num_rows()),
               .where = file.string(),
               .why = rows.ok() ? "" : FaultOf(rows.status()).what,
               .fix = "restore the file from a copy, or begin a new stream in another folder"});
}

Status SaveWaiting(const fs::path& file, const arrow::RecordBatch& rows) {
  if (rows.num_rows() == 0) return Status::OK();
  PT_TRY(MakeFolder(file.parent_path()));
  PT_LET(const auto writer, FileWriter::Make(Format::kArrow, file.string(), rows.schema()));
  PT_TRY(writer->Write(rows));
  PT_TRY(writer->Commit());
  return SyncFolder(file.parent_path());
}

Result<int> TimeColumn(const arrow::Schema& events, const std::string& name,
                       const std::string& where, const std::string& columns) {
  const int column = events.GetFieldIndex(name);
  if (column < 0) return UnknownName("column", name, events.field_names(), where);
  const auto& type = *events.field(column)->type();
  if (type.id() == arrow::Type::TIMESTAMP) return column;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("column \"{}\" has the type {}, and not timestamp", name,
                                   TypeText(type)),
               .where = where,
               .fix = fmt::format("{} = {{ {} = \"timestamp\" }}", columns, name),
               .kept = "nothing was started"});
}

}  // namespace protium
