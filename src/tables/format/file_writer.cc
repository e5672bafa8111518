// SPDX-License-Identifier: Apache-2.0
#include "format/file_writer.h"

#include <arrow/type.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/fault.h"
#include "column/cells.h"
#include "format/formats.h"
#include "format/parquet_writer.h"
#include "os/file.h"

namespace protium {
namespace {

bool HoldsBinary(const arrow::DataType& type) {
  if (!arrow::is_nested(type.id())) return type.id() == arrow::Type::BINARY;
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const auto& field) { return HoldsBinary(*field->type()); });
}

Result<AtomicFile> MakeFileIn(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) PT_TRY(MakeFolder(folder));
  return AtomicFile::Make(path);
}

}  // namespace

Status CheckHolds(const arrow::Schema& schema, Format format) {
  const FormatKind& kind = KindOf(format);
  for (const auto& field : schema.fields()) {
    const bool nested = !kind.nests && arrow::is_nested(field->type()->id());
    const bool binary = !kind.bytes && HoldsBinary(*field->type());
    if (!nested && !binary) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "column \"" + field->name() + "\" of type " + TypeText(*field->type()) +
                         " cannot be written as " + std::string(kind.title),
                 .why = nested ? "a cell of CSV is one value" : "text cannot hold any bytes",
                 .fix = nested ? "write Parquet, or leave the column out"
                               : "write Parquet, or the bytes as text: base64(column), hex(column)",
                 .kept = "nothing was written"});
  }
  return Status::OK();
}

Result<std::unique_ptr<FileWriter>> FileWriter::MakeQuick(const std::string& path,
                                                          SchemaPtr schema) {
  PT_LET(AtomicFile file, MakeFileIn(path));
  return WriteQuickParquet(std::move(file), schema);
}

Result<std::unique_ptr<FileWriter>> FileWriter::Make(Format format, const std::string& path,
                                                     SchemaPtr schema) {
  return Make(FileForm{format}, path, std::move(schema));
}

Result<std::unique_ptr<FileWriter>> FileWriter::Make(const FileForm& form, const std::string& path,
                                                     SchemaPtr schema) {
  PT_TRY(CheckHolds(*schema, form.format));
  PT_LET(AtomicFile file, MakeFileIn(path));
  return KindOf(form.format).write(std::move(file), schema, form.packing);
}

}  // namespace protium
