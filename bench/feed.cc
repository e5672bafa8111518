// SPDX-License-Identifier: Apache-2.0
// Feeds shuffled batches of 1024 rows from a Parquet file of 2 M rows x 40 float32, on one thread:
// bench_feed FILE (created if missing).
#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <filesystem>
#include <random>
#include <string>

#include "bench/ranks.h"
#include "collective/self.h"
#include "rows/rows.h"

namespace protium {
namespace {

constexpr int64_t kRows = 2'000'000;
constexpr int64_t kColumns = 40;
constexpr int64_t kBatch = 1024;
constexpr int32_t kShards = 4;
constexpr int kLaterEpochs = 3;
// As in a job: in batches of about 1 MiB, and within a budget.
constexpr int64_t kBatchRows = (int64_t{1} << 20) / (kColumns * int64_t{sizeof(float)});
constexpr int64_t kBudget = int64_t{1} << 30;

SchemaPtr TableSchema() {
  arrow::FieldVector fields;
  for (int i = 0; i < kColumns; ++i) {
    fields.push_back(arrow::field("c" + std::to_string(i), arrow::float32()));
  }
  return arrow::schema(fields);
}

// Makes rows [begin, end): their number in c0, noise in the other columns.
Result<std::shared_ptr<arrow::RecordBatch>> MakeRows(int64_t begin, int64_t end) {
  std::mt19937 random{uint32_t(begin)};
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int i = 0; i < kColumns; ++i) {
    arrow::FloatBuilder builder;
    PT_TRY(builder.Reserve(end - begin));
    for (int64_t row = begin; row < end; ++row) {
      builder.UnsafeAppend(i == 0 ? float(row) : float(random()) * 0x1p-31f - 1);
    }
    PT_LET(auto column, builder.Finish());
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(TableSchema(), end - begin, std::move(columns));
}

Status WriteTable(const std::string& path) {
  const std::string unfinished = path + ".tmp";
  PT_LET(auto file, arrow::io::FileOutputStream::Open(unfinished));
  const auto properties =
      parquet::WriterProperties::Builder().compression(parquet::Compression::SNAPPY)->build();
  PT_LET(auto writer, parquet::arrow::FileWriter::Open(*TableSchema(), arrow::default_memory_pool(),
                                                       file, properties));
  for (int64_t begin = 0; begin < kRows; begin += 100'000) {
    PT_LET(const auto rows, MakeRows(begin, begin + 100'000));
    PT_TRY(writer->NewBufferedRowGroup());
    PT_TRY(writer->WriteRecordBatch(*rows));
  }
  PT_TRY(writer->Close());
  PT_TRY(file->Close());
  std::filesystem::rename(unfinished, path);
  return Status::OK();
}

Result<std::unique_ptr<ShardedRows>> ReadRows(const std::string& path, Communicator& alone) {
  PT_LET(auto file, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
  PT_LET(auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
  reader->set_use_threads(false);
  reader->set_batch_size(kBatchRows);
  PT_LET(auto batches, reader->GetRecordBatchReader());
  const RowSchema schema = MakeRowSchema({.numeric = batches->schema()->field_names()});
  PT_LET(auto packer, Packer::Make(schema, batches->schema(), kBudget));
  while (true) {
    PT_LET(const auto batch, batches->Next());
    if (batch == nullptr) break;
    PT_TRY(packer->Append(*batch));
  }
  return ShardRows(std::move(packer), ShardOwners(kShards, 1), alone);
}

// Visits every row once, batch by batch, each batch contiguous in memory.
Status RunEpoch(const ShardedRows& rows, int64_t epoch) {
  const int64_t width = rows.schema().width();
  std::vector<std::byte> batch(size_t(width * (kBatch + kShards)));
  std::vector<std::unique_ptr<RowVisit>> visits;
  for (int32_t s = 0; s < kShards; ++s) {
    PT_LET(auto visit, rows.Visit(s, Permutation(7, epoch, s, rows.rows(s))));
    visits.push_back(std::move(visit));
  }
  double sum = 0;
  int64_t seen = 0;
  for (int64_t step = 0; step < StepsPerEpoch(kRows, kBatch); ++step) {
    int64_t filled = 0;
    for (int32_t s = 0; s < kShards; ++s) {
      const Positions positions = StepPositions(rows.rows(s), kRows, kBatch, step);
      const int64_t count = positions.end - positions.begin;
      PT_TRY(visits[size_t(s)]->Next(count, batch.data() + filled * width));
      filled += count;
    }
    for (int64_t i = 0; i < filled; ++i) {
      sum += *reinterpret_cast<const float*>(batch.data() + i * width);
    }
    seen += filled;
  }
  const bool right = seen == kRows && sum == double(kRows) * double(kRows - 1) / 2;
  return right ? Status::OK() : Status::Invalid("an epoch did not visit every row once");
}

Status Run(const std::string& path) {
  if (!std::filesystem::exists(path)) PT_TRY(WriteTable(path));
  const auto alone = MakeSelfCommunicator();
  const Stopwatch first;
  PT_LET(const auto rows, ReadRows(path, *alone));
  PT_TRY(RunEpoch(*rows, 0));
  PrintFigure("feeding, first epoch", double(kRows) / first.seconds() / 1e6, "M rows/s");
  const Stopwatch later;
  for (int64_t epoch = 1; epoch <= kLaterEpochs; ++epoch) PT_TRY(RunEpoch(*rows, epoch));
  PrintFigure("feeding, later epochs", double(kRows) * kLaterEpochs / later.seconds() / 1e6,
              "M rows/s");
  return Status::OK();
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  if (argc != 2) return protium::ExitCode(protium::Status::Invalid("usage: bench_feed FILE"));
  return protium::ExitCode(protium::Run(argv[1]));
}
