// SPDX-License-Identifier: Apache-2.0
#include "frame/given_rows.h"

#include <arrow/type.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "format/carried_rows.h"
#include "format/file_writer.h"
#include "frame/verbs.h"
#include "protium/events.h"

namespace protium {
namespace {

// The scan of a file that is removed when nobody can read it any more.
struct ScanOfFile {
  ScanOfFile(std::string own, Plan of) : file(std::move(own)), scan(std::move(of)) {}
  ~ScanOfFile() {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  }
  ScanOfFile(const ScanOfFile&) = delete;
  const std::string file;
  const Plan scan;
};

Status RefuseWhenStopped(const Call& call) {
  if (!call.stop.stop_requested()) return Status::OK();
  return Fail({.exit = Exit::kStopped, .what = "stopped while rows were taken over"});
}

// Writes a batch of any length in slices, so that casting one needs little memory.
Status WriteSlices(const arrow::RecordBatch& batch, const SchemaPtr& carried,
                   const std::string& where, FileWriter& writer, const Call& call) {
  for (int64_t row = 0; row < batch.num_rows(); row += kSliceRows) {
    PT_TRY(RefuseWhenStopped(call));
    const auto slice = batch.Slice(row, std::min(kSliceRows, batch.num_rows() - row));
    PT_LET(const auto rows, CarriedBatch(*slice, carried, where));
    PT_TRY(writer.Write(*rows));
  }
  return Status::OK();
}

}  // namespace

Result<Plan> KeepRows(const std::string& name, const std::string& file, BatchStream& rows,
                      const Call& call) {
  const std::string where = "table \"" + name + "\"";
  if (rows.schema()->num_fields() == 0) {
    return Fail({.exit = Exit::kInput, .what = "the table has no columns", .where = where});
  }
  PT_LET(const SchemaPtr carried, CarriedSchema(*rows.schema(), where));
  for (const std::string& note : ZoneNotes(*rows.schema())) call.Send(Note{note});
  PT_LET(const auto writer, FileWriter::MakeQuick(file, carried));
  while (true) {
    PT_LET(const auto batch, rows.Next());
    if (batch == nullptr) break;
    PT_TRY(WriteSlices(*batch, carried, where, *writer, call));
  }
  PT_TRY(writer->Commit());
  Scan scan{.table = name, .format = Format::kParquet, .paths = {file}};
  scan.brought_from = {where};
  scan.schema = carried;
  const auto kept = std::make_shared<const ScanOfFile>(file, MakePlan(std::move(scan)));
  // The file exists as long as the node.
  Plan owner(kept, kept->scan.get());
  // A bare scan would be copied without its file when it gets a name (Session::Table).
  return MakePlan(Project{PlainColumns(carried->field_names())}, {std::move(owner)});
}

}  // namespace protium
