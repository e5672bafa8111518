// SPDX-License-Identifier: Apache-2.0
#include "format/bring.h"

#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/fault.h"
#include "format/carried_rows.h"
#include "format/csv_options.h"
#include "format/file_form.h"
#include "format/file_writer.h"
#include "format/formats.h"
#include "format/partitions.h"

namespace protium {
namespace {

using namespace std::string_view_literals;

// Whether the file holds text that engines cannot read as it is.
bool IsOddText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4> head{};
  in.read(head.data(), head.size());
  const std::string_view begin(head.data(), static_cast<size_t>(in.gcount()));
  return PackingOf(begin) != Packing::kNone || begin.starts_with("\xff\xfe"sv) ||
         begin.starts_with("\xfe\xff"sv);
}

// Returns the batch with the values of the file's folders after its own columns.
Result<std::shared_ptr<arrow::RecordBatch>> WithFolders(
    const std::shared_ptr<arrow::RecordBatch>& batch, const Partitions& partitions, size_t file,
    const SchemaPtr& schema) {
  arrow::ArrayVector columns = batch->columns();
  const int own = partitions.columns == nullptr ? 0 : partitions.columns->num_fields();
  for (int i = 0; i < own; ++i) {
    const auto& type = partitions.columns->field(i)->type();
    const auto& text = partitions.values[file][static_cast<size_t>(i)];
    if (!text) {
      PT_LET(columns.emplace_back(), arrow::MakeArrayOfNull(type, batch->num_rows()));
      continue;
    }
    PT_LET(const auto value, arrow::Scalar::Parse(type, *text));
    PT_LET(columns.emplace_back(), arrow::MakeArrayFromScalar(*value, batch->num_rows()));
  }
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

}  // namespace

Result<bool> MustBeBrought(const std::vector<std::string>& paths, Format format,
                           const CsvOptions& options) {
  if (KindOf(format).open == nullptr) return false;
  if (!KindOf(format).engines) return true;
  PT_TRY(CheckCsvOptions(options));
  if (!IsPlainCsv(options)) return true;
  for (const std::string& path : paths) {
    if (IsOddText(path)) return true;
  }
  return false;
}

Result<std::unique_ptr<BroughtRows>> OpenRows(const BringSpec& spec, const BringWatch& watch) {
  if (spec.paths.empty()) return Fail({.exit = Exit::kUsage, .what = "no file to read"});
  const FormatKind& kind = KindOf(spec.format);
  PT_CHECK(kind.open != nullptr);
  return kind.open(spec, watch);
}

Result<BroughtTable> Bring(const BringSpec& spec, const std::string& target,
                           const BringWatch& watch) {
  PT_LET(const auto rows, OpenRows(spec, watch));
  PT_TRY(CheckColumnNames(*rows->schema(), spec.paths.front()));
  BroughtTable table{.schema = rows->schema()};
  if (spec.partitions.columns != nullptr) {
    PT_LET(table.schema, WithPartitions(table.schema, spec.partitions));
  }
  PT_LET(const auto writer, FileWriter::MakeQuick(target, table.schema));
  while (true) {
    PT_LET(const auto batch, rows->Next());
    if (batch == nullptr) break;
    PT_LET(const auto whole, WithFolders(batch, spec.partitions, rows->file(), table.schema));
    PT_TRY(writer->Write(*whole));
    table.rows += batch->num_rows();
  }
  PT_TRY(writer->Commit());
  table.notes = rows->notes();
  return table;
}

}  // namespace protium
