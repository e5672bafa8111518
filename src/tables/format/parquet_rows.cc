// SPDX-License-Identifier: Apache-2.0
#include "format/parquet_rows.h"

#include <arrow/io/file.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <deque>
#include <memory>
#include <utility>

#include "base/fault.h"
#include "format/parquet.h"
#include "format/parquet_guard.h"

// Every reader first reads the footers of all files, so that all deal the row groups in the same
// way without communicating. Rows are then read file by file, one reader open at a time. The counts
// in the footers are compared with the rows read: a file that was replaced in between is noticed.

namespace protium {
namespace {

// Rows of a batch: enough to make the work per batch negligible.
constexpr int64_t kBatchRows = 64 << 10;
// Limit for a row group: the rows of all possible groups then add up without overflow.
constexpr int64_t kMostRows = int64_t{1} << 31;

// Runs `read` and turns a failure into the fault of this file.
template <class Read>
auto ReadingFrom(const std::string& path, Read read) -> decltype(read()) {
  auto result = GuardParquet(std::move(read));
  if (result.ok()) return result;
  return UnreadableParquet(path, result.status().message());
}

using Reader = std::unique_ptr<parquet::arrow::FileReader>;

Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenHere(const std::string& path) {
  return arrow::io::ReadableFile::Open(path);
}

Result<Reader> OpenReader(const std::string& path, const OpenFile& open, bool threads) {
  PT_LET(auto file, open ? open(path) : OpenHere(path));
  parquet::ReaderProperties pages;
  // Checksums are optional in the format; if a writer added them, flipped bits are detected.
  pages.set_page_checksum_verification(true);
  parquet::arrow::FileReaderBuilder builder;
  PT_TRY(builder.Open(std::move(file), pages));
  auto properties = parquet::default_arrow_reader_properties();
  properties.set_batch_size(kBatchRows);
  properties.set_use_threads(threads);
  // Pre-buffering, which Arrow switches on by default, would hold all of a file's groups in memory
  // at once.
  properties.set_pre_buffer(false);
  // Older writers, Spark among them, store times as INT96, whose default of nanoseconds overflows
  // outside of 1677 to 2262.
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  builder.properties(properties);
  return builder.Build();
}

// The row groups of one file that this reader reads.
struct Share {
  std::string path;
  std::vector<int> groups;
};

// What is known of a file before any of its pages is read.
struct Footer {
  SchemaPtr schema;
  std::vector<int64_t> rows;  // Of each row group.
};

Result<Footer> ReadFooter(const std::string& path, const OpenFile& open) {
  return ReadingFrom(path, [&]() -> Result<Footer> {
    PT_LET(const Reader reader, OpenReader(path, open, false));
    Footer footer;
    PT_TRY(reader->GetSchema(&footer.schema));
    footer.schema = footer.schema->RemoveMetadata();
    const auto metadata = reader->parquet_reader()->metadata();
    for (int i = 0; i < metadata->num_row_groups(); ++i) {
      footer.rows.push_back(metadata->RowGroup(i)->num_rows());
      if (footer.rows.back() < 0 || footer.rows.back() > kMostRows) {
        return Status::IOError("a row group claims ", footer.rows.back(), " rows");
      }
    }
    return footer;
  });
}

class Rows : public BatchStream {
 public:
  Rows(SchemaPtr schema, std::deque<Share> shares, int64_t rows, const ParquetPart& part)
      : schema_(std::move(schema)),
        shares_(std::move(shares)),
        left_(rows),
        threads_(part.threads),
        open_(part.open) {}

  const SchemaPtr& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    for (;;) {
      if (!batches_ && shares_.empty()) return End();
      PT_LET(auto batch, ReadingFrom(path_, [&] { return NextOfFile(); }));
      if (!batch) continue;
      left_ -= batch->num_rows();
      return batch->ReplaceSchemaMetadata(nullptr);
    }
  }

 private:
  using Batch = std::shared_ptr<arrow::RecordBatch>;

  // nullptr at the end of a file.
  Result<Batch> NextOfFile() {
    if (!batches_) {
      const Share share = std::move(shares_.front());
      shares_.pop_front();
      path_ = share.path;
      PT_LET(reader_, OpenReader(share.path, open_, threads_));
      PT_LET(batches_, reader_->GetRecordBatchReader(share.groups));
    }
    Batch batch;
    PT_TRY(batches_->ReadNext(&batch));
    if (!batch) batches_.reset();
    return batch;
  }

  Result<Batch> End() const {
    if (left_ == 0) return Batch();
    return Fail({.exit = Exit::kInput,
                 .what = "Parquet files changed while they were read: " +
                         std::to_string(left_ < 0 ? -left_ : left_) + " rows " +
                         (left_ < 0 ? "too many" : "missing"),
                 .where = path_});
  }

  const SchemaPtr schema_;
  std::deque<Share> shares_;
  int64_t left_;
  const bool threads_;
  const OpenFile open_;
  std::string path_;
  Reader reader_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

}  // namespace

Result<ParquetRows> ReadParquetRows(const std::vector<std::string>& paths,
                                    const ParquetPart& part) {
  ParquetRows all;
  SchemaPtr schema;
  std::deque<Share> shares;
  int64_t dealt = 0;
  for (const std::string& path : paths) {
    PT_LET(const Footer footer, ReadFooter(path, part.open));
    if (!schema) schema = footer.schema;
    if (!schema->Equals(*footer.schema)) {
      return OtherColumns(path, *footer.schema, paths.front(), *schema);
    }
    Share share{.path = path};
    for (size_t i = 0; i < footer.rows.size(); ++i, ++dealt) {
      all.all_rows += footer.rows[i];
      // In turn over all files, so that shares differ by at most one group.
      if (dealt % part.parts != part.part) continue;
      all.own_rows += footer.rows[i];
      share.groups.push_back(static_cast<int>(i));
    }
    if (!share.groups.empty()) shares.push_back(std::move(share));
  }
  if (!schema) return Fail({.exit = Exit::kInput, .what = "no Parquet file was given"});
  all.rows = std::make_unique<Rows>(schema, std::move(shares), all.own_rows, part);
  return all;
}

}  // namespace protium
