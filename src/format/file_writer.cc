// SPDX-License-Identifier: Apache-2.0
#include "format/file_writer.h"

#include <arrow/csv/writer.h>
#include <arrow/io/file.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/writer.h>

#include <filesystem>

#include "base/fault.h"
#include "format/parquet_guard.h"
#include "os/file.h"

namespace protium {
namespace {

constexpr int64_t kQuickGroupBytes = 128 << 20;

// Hands Arrow's bytes to the file and remembers the first failure: Arrow's writers may wrap the
// status of their output, and the exit code for a full disk would be lost with it.
class AtomicOutput : public arrow::io::OutputStream {
 public:
  explicit AtomicOutput(AtomicFile file) : file_(std::move(file)) {}
  Status Write(const void* data, int64_t bytes) override {
    if (failure_.ok()) {
      failure_ =
          file_.Write(std::span(static_cast<const std::byte*>(data), static_cast<size_t>(bytes)));
    }
    return failure_;
  }
  Status Close() override {
    closed_ = true;
    return failure_;
  }
  bool closed() const override { return closed_; }
  Result<int64_t> Tell() const override { return file_.written(); }
  Status Commit() {
    PT_TRY(failure_);
    return file_.Commit();
  }
  // The failure of the disk if there was one, else what Arrow said.
  Status Explain(const Status& status) const { return failure_.ok() ? status : failure_; }

 private:
  AtomicFile file_;
  Status failure_;
  bool closed_ = false;
};

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

// Arrow quotes every text, so that an empty one is told from a null, as format/csv.h reads it.
class CsvWriter : public FileWriter {
 public:
  explicit CsvWriter(AtomicFile file) : output_(std::make_shared<AtomicOutput>(std::move(file))) {}

  Status Open(const SchemaPtr& schema) {
    PT_LET(writer_, arrow::csv::MakeCSVWriter(output_, schema));
    return Status::OK();
  }
  Status Write(const arrow::RecordBatch& batch) override {
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

// Refuses what rows of CSV cannot hold.
Status CheckCsv(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    if (!arrow::is_nested(field->type()->id())) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "column \"" + field->name() + "\" holds lists, which CSV cannot store",
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
  if (format == Format::kParquet) return MakeParquet(path, schema, false);
  if (format == Format::kCsv) PT_TRY(CheckCsv(*schema));
  PT_LET(AtomicFile file, MakeFileIn(path));
  auto writer = std::make_unique<CsvWriter>(std::move(file));
  PT_TRY(writer->Open(schema));
  return writer;
}

}  // namespace protium
