// SPDX-License-Identifier: Apache-2.0
#include "format/parquet_writer.h"

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "format/atomic_output.h"
#include "format/parquet_guard.h"

namespace protium {
namespace {

constexpr int64_t kQuickGroupBytes = 128 << 20;
// Rows of a row group, as in DuckDB: the columns of a group stay in memory until it is complete,
// and with many more rows, time is lost on allocating and releasing memory pages.
constexpr int64_t kGroupRows = 122'880;

// Whether a column of numbers has so many different values that a dictionary would cost more time
// than it saves space: more than half of the first rows differ from all before them.
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
  // `first` shows how columns are best encoded.
  Status Open(const arrow::RecordBatch& first) {
    ::parquet::WriterProperties::Builder properties;
    // The default of pandas, Spark and DuckDB. zstd makes files smaller, by 6 % to a quarter, and
    // takes at least three times as long.
    properties.compression(arrow::Compression::SNAPPY);
    // Without a library version, on which the bytes would then depend.
    properties.created_by("protium");
    properties.max_row_group_length(kGroupRows);
    for (int i = 0; i < first.num_columns(); ++i) {
      if (!Varies(*first.column(i))) continue;
      const std::string& name = schema_->field(i)->name();
      properties.disable_dictionary(name);
      // LZ4 compresses such fractions better than Snappy does, in half the time.
      if (arrow::is_floating(first.column(i)->type_id())) {
        properties.compression(name, arrow::Compression::LZ4);
      }
    }
    // Columns are encoded and compressed in parallel; the bytes are the same.
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
  int64_t group_bytes_ = 0;  // Of the open row group, before compression.
  std::unique_ptr<::parquet::arrow::FileWriter> writer_;
};

// Called before any row is made: not every type can be written.
Result<std::unique_ptr<FileWriter>> Make(AtomicFile file, const SchemaPtr& schema, bool quick) {
  std::shared_ptr<::parquet::SchemaDescriptor> columns;
  PT_TRY(GuardParquet([&] {
    return ::parquet::arrow::ToParquetSchema(schema.get(), *::parquet::default_writer_properties(),
                                             &columns);
  }));
  return std::make_unique<ParquetWriter>(std::move(file), schema, quick);
}

}  // namespace

Result<std::unique_ptr<FileWriter>> WriteParquet(AtomicFile file, const SchemaPtr& schema,
                                                 Packing packing) {
  return Make(std::move(file), schema, false);
}

Result<std::unique_ptr<FileWriter>> WriteQuickParquet(AtomicFile file, const SchemaPtr& schema) {
  return Make(std::move(file), schema, true);
}

}  // namespace protium
