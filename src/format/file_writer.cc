// SPDX-License-Identifier: Apache-2.0
#include "format/file_writer.h"

#include <arrow/io/compressed.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>

#include <filesystem>

#include "base/fault.h"
#include "format/atomic_output.h"
#include "format/cell_text.h"
#include "format/parquet_guard.h"
#include "os/file.h"

namespace protium {
namespace {

constexpr int64_t kQuickGroupBytes = 128 << 20;

// Arrow's writer buffers a row group; Close() writes the footer, without which there is no file.
class ParquetWriter : public FileWriter {
 public:
  ParquetWriter(AtomicFile file, bool quick)
      : output_(std::make_shared<AtomicOutput>(std::move(file))), quick_(quick) {}

  Status Open(const arrow::Schema& schema) {
    const auto properties =
        ::parquet::WriterProperties::Builder()
            .compression(quick_ ? arrow::Compression::SNAPPY : arrow::Compression::ZSTD)
            // Not the release of a library, on which bytes would then depend.
            ->created_by("protium")
            ->build();
    return GuardParquet([&]() -> Status {
      PT_LET(writer_, ::parquet::arrow::FileWriter::Open(schema, arrow::default_memory_pool(),
                                                         output_, properties));
      return Status::OK();
    });
  }
  Status Write(const arrow::RecordBatch& batch) override {
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
    PT_TRY(output_->Explain(GuardParquet([&] { return writer_->Close(); })));
    return output_->Commit();
  }

 private:
  std::shared_ptr<AtomicOutput> output_;
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
  return type.id() == arrow::Type::LIST ? HoldsBinary(*type.field(0)->type())
                                        : type.id() == arrow::Type::BINARY;
}

// Refuses what rows of text cannot hold.
Status CheckText(const arrow::Schema& schema, Format format) {
  for (const auto& field : schema.fields()) {
    const bool list = arrow::is_nested(field->type()->id());
    if (format == Format::kCsv ? !list : !HoldsBinary(*field->type())) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "column \"" + field->name() + "\" holds " +
                         (format == Format::kCsv ? "lists, which CSV" : "binaries, which JSON") +
                         " cannot store",
                 .fix = "write Parquet, or leave the column out"});
  }
  return Status::OK();
}

Result<AtomicFile> MakeFileIn(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) PT_TRY(MakeFolder(folder));
  return AtomicFile::Make(path);
}

Result<std::unique_ptr<FileWriter>> MakeParquet(const std::string& path, const SchemaPtr& schema,
                                                bool quick) {
  PT_LET(AtomicFile file, MakeFileIn(path));
  auto writer = std::make_unique<ParquetWriter>(std::move(file), quick);
  PT_TRY(writer->Open(*schema));
  return writer;
}

}  // namespace

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
  if (form.format != Format::kArrow) PT_TRY(CheckText(*schema, form.format));
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
