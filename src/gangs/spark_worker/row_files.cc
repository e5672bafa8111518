// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/row_files.h"

#include <arrow/filesystem/filesystem.h>
#include <fmt/format.h>

#include "base/fault.h"
#include "format/parquet_rows.h"
#include "objects/open.h"
#include "spark_worker/conform.h"

// The footers alone determine whose each row group is (format/parquet_rows.h), and every rank reads
// all footers: so each knows how many rows there must be in all, without asking the others.

namespace protium {

namespace {

constexpr const char* kWhose = "the files of the job's rows have";

class FileRows : public BatchStream {
 public:
  FileRows(BatchStreamPtr rows, SchemaPtr schema)
      : rows_(std::move(rows)), schema_(std::move(schema)) {}
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    PT_LET(const auto batch, rows_->Next());
    if (!batch) return batch;
    return Conform(*batch, schema_, kWhose);
  }

 private:
  BatchStreamPtr rows_;
  SchemaPtr schema_;
};

// All objects of one place, whose client is made once.
OpenFile OpenerFor(const std::string& path) {
  if (!IsOnStore(path)) return {};
  const auto opened = std::make_shared<std::optional<OpenedFiles>>();
  return [opened](const std::string& each) -> Result<std::shared_ptr<arrow::io::RandomAccessFile>> {
    PT_LET(const ObjectPlace object, ObjectPlace::Parse(each));
    if (!*opened) {
      PT_LET(*opened, OpenFiles(object.parent()));
    }
    return (*opened)->files->OpenInputFile((*opened)->path + "/" + object.name());
  };
}

}  // namespace

Result<BatchStreamPtr> ReadRowFiles(const RowFiles& files, const RowShare& share) {
  // Spark may write no file at all for a table without rows.
  if (files.paths.empty() && files.rows == 0) return MakeStream(files.schema, {});
  PT_LET(auto read, ReadParquetRows(files.paths, {.part = share.rank,
                                                  .parts = share.world,
                                                  .threads = share.threads,
                                                  .open = OpenerFor(files.paths.front())}));
  if (read.all_rows != files.rows) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("the files of the job's rows hold {} rows, but Spark wrote {}",
                                     read.all_rows, files.rows),
                 .where = files.paths.front()});
  }
  PT_TRY(ConformSchema(*read.rows->schema(), *files.schema, kWhose));
  return std::make_unique<FileRows>(std::move(read.rows), files.schema);
}

}  // namespace protium
