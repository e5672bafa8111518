// SPDX-License-Identifier: Apache-2.0
#include "format/file_writer.h"

#include <arrow/io/compressed.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "base/fault.h"
#include "column/cells.h"
#include "format/atomic_output.h"
#include "format/cell_text.h"
#include "format/parquet_guard.h"
#include "os/file.h"

namespace protium {
namespace {

constexpr int64_t kQuickGroupBytes = 128 << 20;
// Of a row group, as DuckDB has it: the columns of a group are in memory until it is whole, and
// with many more rows the time goes into pages of memory that are taken and given back.
constexpr int64_t kGroupRows = 122'880;

// Whether a column of numbers has so many different values that a dictionary of them would cost
// more time than it saves space: more than half of the first rows are unlike all before them.
bool Varies(const arrow::Array& values) {
  constexpr int64_t kSample = 4096;
  if (!arrow::is_primitive(values.type_id()) || values.type_id() == arrow::Type::BOOL) return false;
  const auto bytes = size_t(values.type()->byte_width());
  const arrow::ArrayData& data = *values.data();
  const int64_t rows = std::min(values.length(), kSample);
  if (rows == 0 || data.buffers[1] == nullptr) return false;
  const auto* const at =
      reinterpret_cast<const char*>(data.buffers[1]->data()) + data.offset * int64_t(bytes);
  std::unordered_set<std::string_view> seen;
  for (int64_t i = 0; i < rows; ++i) seen.emplace(at + i * int64_t(bytes), bytes);
  return int64_t(seen.size()) > rows / 2;
}

// Arrow's writer buffers a row group; Close() writes the footer, without which there is no file.
class ParquetWriter : public FileWriter {
 public:
  ParquetWriter(AtomicFile file, SchemaPtr schema, bool quick)
      : output_(std::make_shared<AtomicOutput>(std::move(file))),
        schema_(std::move(schema)),
        quick_(quick) {}

  Status Write(const arrow::RecordBatch& batch) override {
    if (writer_ == nullptr) PT_TRY(Open(batch));
    return output_->Explain(GuardParquet([&]() -> Status {
      if (quick_ && group_bytes_ > kQuickGroupBytes) {
        PT_TRY(writer_->NewBufferedRowGroup());
        group_bytes_ = 0;
      }
      if (quick_) group_bytes_ += arrow::util::TotalBufferSize(batch);
      return writer_->WriteRecordBatch(batch);
    }));
  }
  Status Commit() override {
    if (writer_ == nullptr) {
      PT_LET(const auto none, arrow::RecordBatch::MakeEmpty(schema_));
      PT_TRY(Open(*none));
    }
    PT_TRY(output_->Explain(GuardParquet([&] { return writer_->Close(); })));
    return output_->Commit();
  }

 private:
  // `first` tells how columns are best encoded.
  Status Open(const arrow::RecordBatch& first) {
    ::parquet::WriterProperties::Builder properties;
    // What pandas, Spark and DuckDB write by default. zstd makes files smaller, by 6 % to a
    // quarter, and takes three times as long, or more.
    properties.compression(arrow::Compression::SNAPPY);
    // Not the release of a library, on which bytes would then depend.
    properties.created_by("protium");
    properties.max_row_group_length(kGroupRows);
    for (int i = 0; i < first.num_columns(); ++i) {
      if (!Varies(*first.column(i))) continue;
      const std::string& name = schema_->field(i)->name();
      properties.disable_dictionary(name);
      // Of such fractions LZ4 leaves less than Snappy does, in half the time.
      if (arrow::is_floating(first.column(i)->type_id())) {
        properties.compression(name, arrow::Compression::LZ4);
      }
    }
    // Columns are encoded and compressed side by side; the bytes are the same.
    const auto threads = ::parquet::ArrowWriterProperties::Builder().set_use_threads(true)->build();
    return GuardParquet([&]() -> Status {
      PT_LET(writer_, ::parquet::arrow::FileWriter::Open(*schema_, arrow::default_memory_pool(),
                                                         output_, properties.build(), threads));
      return Status::OK();
    });
  }

  std::shared_ptr<AtomicOutput> output_;
  SchemaPtr schema_;
  bool quick_;
  int64_t group_bytes_ = 0;  // Of the row group that is open, before compression.
  std::unique_ptr<::parquet::arrow::FileWriter> writer_;
};

// A file of Arrow's, which is Feather 2; columns are packed as Feather's are by default.
class ArrowWriter : public FileWriter {
 public:
  explicit ArrowWriter(AtomicFile file)
      : output_(std::make_shared<AtomicOutput>(std::move(file))) {}

  Status Open(const SchemaPtr& schema) {
    arrow::ipc::IpcWriteOptions options;
    PT_LET(options.codec, arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
    PT_LET(writer_, arrow::ipc::MakeFileWriter(output_, schema, options));
    return Status::OK();
  }
  Status Write(const arrow::RecordBatch& batch) override {
    if (batch.num_rows() == 0) return Status::OK();
    return output_->Explain(writer_->WriteRecordBatch(batch));
  }
  Status Commit() override {
    PT_TRY(output_->Explain(writer_->Close()));
    return output_->Commit();
  }

 private:
  std::shared_ptr<AtomicOutput> output_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

// CSV or JSON lines, packed or not.
class TextWriter : public FileWriter {
 public:
  TextWriter(AtomicFile file, Format format)
      : output_(std::make_shared<AtomicOutput>(std::move(file))), format_(format), text_(output_) {}

  Status Open(const SchemaPtr& schema, Packing packing) {
    if (packing != Packing::kNone) {
      const bool gzip = packing == Packing::kGzip;
      PT_LET(codec_, arrow::util::Codec::Create(gzip ? arrow::Compression::GZIP
                                                     : arrow::Compression::ZSTD));
      PT_LET(text_, arrow::io::CompressedOutputStream::Make(codec_.get(), output_));
    }
    std::string header;
    for (const auto& field : schema->fields()) {
      keys_.push_back(keys_.empty() ? "{" : ", ");
      AppendJsonText(field->name(), keys_.back());
      keys_.back() += ": ";
      if (!header.empty()) header += ',';
      AppendCsvText(field->name(), header);
    }
    return format_ == Format::kCsv ? Put(header + "\n") : Status::OK();
  }
  Status Write(const arrow::RecordBatch& batch) override {
    constexpr size_t kPieceBytes = 1 << 20;
    std::string lines;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      format_ == Format::kCsv ? AppendCsvLine(batch, row, lines)
                              : AppendJsonLine(batch, row, lines);
      if (lines.size() < kPieceBytes) continue;
      PT_TRY(Put(lines));
      lines.clear();
    }
    return Put(lines);
  }
  Status Commit() override {
    PT_TRY(output_->Explain(text_->Close()));
    return output_->Commit();
  }

 private:
  Status Put(const std::string& lines) { return output_->Explain(text_->Write(lines)); }
  static void AppendCsvLine(const arrow::RecordBatch& batch, int64_t row, std::string& lines) {
    for (int i = 0; i < batch.num_columns(); ++i) {
      if (i > 0) lines += ',';
      AppendCsvCell(*batch.column(i), row, lines);
    }
    lines += '\n';
  }
  void AppendJsonLine(const arrow::RecordBatch& batch, int64_t row, std::string& lines) const {
    for (int i = 0; i < batch.num_columns(); ++i) {
      lines += keys_[static_cast<size_t>(i)];
      AppendJsonCell(*batch.column(i), row, lines);
    }
    lines += "}\n";
  }

  std::shared_ptr<AtomicOutput> output_;
  Format format_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::io::OutputStream> text_;
  std::vector<std::string> keys_;  // What stands before each value of a line of JSON.
};

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

Result<std::unique_ptr<FileWriter>> MakeParquet(const std::string& path, const SchemaPtr& schema,
                                                bool quick) {
  PT_LET(AtomicFile file, MakeFileIn(path));
  // Before any row is made: not every type can be written.
  std::shared_ptr<::parquet::SchemaDescriptor> columns;
  PT_TRY(GuardParquet([&] {
    return ::parquet::arrow::ToParquetSchema(schema.get(), *::parquet::default_writer_properties(),
                                             &columns);
  }));
  return std::make_unique<ParquetWriter>(std::move(file), schema, quick);
}

}  // namespace

Status CheckHolds(const arrow::Schema& schema, Format format) {
  if (format != Format::kCsv && format != Format::kJsonLines) return Status::OK();
  const bool csv = format == Format::kCsv;
  for (const auto& field : schema.fields()) {
    const bool nested = csv && arrow::is_nested(field->type()->id());
    const bool binary = HoldsBinary(*field->type());
    if (!nested && !binary) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "column \"" + field->name() + "\" of type " + TypeText(*field->type()) +
                         " cannot be written as " + (csv ? "CSV" : "JSON"),
                 .why = nested ? "a cell of CSV is one value" : "text cannot hold any bytes",
                 .fix = nested ? "write Parquet, or leave the column out"
                               : "write Parquet, or the bytes as text: base64(column), hex(column)",
                 .kept = "nothing was written"});
  }
  return Status::OK();
}

Result<std::unique_ptr<FileWriter>> FileWriter::MakeQuick(const std::string& path,
                                                          SchemaPtr schema) {
  return MakeParquet(path, schema, true);
}

Result<std::unique_ptr<FileWriter>> FileWriter::Make(Format format, const std::string& path,
                                                     SchemaPtr schema) {
  return Make(FileForm{format}, path, std::move(schema));
}

Result<std::unique_ptr<FileWriter>> FileWriter::Make(const FileForm& form, const std::string& path,
                                                     SchemaPtr schema) {
  if (form.format == Format::kParquet) return MakeParquet(path, schema, false);
  PT_TRY(CheckHolds(*schema, form.format));
  PT_LET(AtomicFile file, MakeFileIn(path));
  if (form.format == Format::kArrow) {
    auto writer = std::make_unique<ArrowWriter>(std::move(file));
    PT_TRY(writer->Open(schema));
    return writer;
  }
  auto writer = std::make_unique<TextWriter>(std::move(file), form.format);
  PT_TRY(writer->Open(schema, form.packing));
  return writer;
}

}  // namespace protium
