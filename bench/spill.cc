// SPDX-License-Identifier: Apache-2.0
// Feeds shuffled batches from rows that take ten times the memory they may have, on one thread,
// alternating with the disk alone: bench_spill FOLDER [MEMORY_MIB]; with the second argument the
// same rows have another amount of memory. All reads and writes bypass the page cache, as in a job
// (os/scratch_file.h), so the figures are those of the disk.
#include <arrow/api.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/ranks.h"
#include "collective/self.h"
#include "os/memfd.h"
#include "os/scratch_file.h"
#include "rows/rows.h"

namespace protium {
namespace {

constexpr int64_t kColumns = 40;
constexpr int64_t kBudget = int64_t{160} << 20;
constexpr int64_t kBatchRows = 8192;
// With label and weight a row has two more elements.
constexpr int64_t kWidth = (kColumns + 2) * 4;
constexpr int64_t kRows = 10 * kBudget / kWidth / kBatchRows * kBatchRows;
constexpr int64_t kBatch = 1024;
constexpr int32_t kShards = 4;
constexpr int kEpochs = 3;

SchemaPtr TableSchema() {
  arrow::FieldVector fields;
  for (int i = 0; i < kColumns; ++i) {
    fields.push_back(arrow::field("c" + std::to_string(i), arrow::float32()));
  }
  return arrow::schema(fields);
}

// Rows [begin, begin + kBatchRows): their number in c0, the same noise in the other columns of
// every batch.
std::shared_ptr<arrow::RecordBatch> NumberRows(const arrow::RecordBatch& noise, int64_t begin) {
  arrow::FloatBuilder numbers;
  for (int64_t i = 0; i < kBatchRows; ++i) (void)numbers.Append(float(begin + i));
  auto columns = noise.columns();
  columns[0] = numbers.Finish().ValueOrDie();
  return arrow::RecordBatch::Make(noise.schema(), kBatchRows, std::move(columns));
}

std::shared_ptr<arrow::RecordBatch> MakeNoise() {
  uint32_t state = 1;
  arrow::ArrayVector columns;
  for (int c = 0; c < kColumns; ++c) {
    arrow::FloatBuilder builder;
    for (int64_t i = 0; i < kBatchRows; ++i) {
      state = state * 1664525 + 1013904223;
      (void)builder.Append(float(state >> 8));
    }
    columns.push_back(builder.Finish().ValueOrDie());
  }
  return arrow::RecordBatch::Make(TableSchema(), kBatchRows, std::move(columns));
}

Result<std::unique_ptr<ShardedRows>> MakeRows(const std::string& folder, int64_t memory_bytes,
                                              Communicator& alone) {
  RowRoom room(memory_bytes);
  room.disk = folder;
  const auto noise = MakeNoise();
  const RowSchema schema = MakeRowSchema({.numeric = noise->schema()->field_names()});
  if (schema.width() != kWidth) return Status::Invalid("rows have another width");
  PT_LET(auto packer, Packer::Make(schema, noise->schema(), room));
  for (int64_t begin = 0; begin < kRows; begin += kBatchRows) {
    PT_TRY(packer->Append(*NumberRows(*noise, begin)));
  }
  return ShardRows(std::move(packer), ShardOwners(kShards, 1), alone);
}

// Visits every row once, batch by batch.
Status RunEpoch(const ShardedRows& rows, int64_t epoch) {
  std::vector<std::byte> batch(size_t(kWidth * (kBatch + kShards)));
  std::vector<std::unique_ptr<RowVisit>> visits;
  for (int32_t s = 0; s < kShards; ++s) {
    PT_LET(auto visit, rows.Visit(s, Permutation(7, epoch, s, rows.rows(s))));
    visits.push_back(std::move(visit));
  }
  double sum = 0;
  for (int64_t step = 0; step < StepsPerEpoch(kRows, kBatch); ++step) {
    for (int32_t s = 0; s < kShards; ++s) {
      const Positions at = StepPositions(rows.rows(s), kRows, kBatch, step);
      PT_TRY(visits[size_t(s)]->Next(at.end - at.begin, batch.data()));
      for (int64_t i = 0; i < at.end - at.begin; ++i) {
        sum += *reinterpret_cast<const float*>(batch.data() + i * kWidth);
      }
    }
  }
  const bool right = sum == double(kRows) * double(kRows - 1) / 2;
  return right ? Status::OK() : Status::Invalid("an epoch did not visit every row once");
}

constexpr int64_t kBlock = int64_t{4} << 20;
constexpr int64_t kFileBytes = kRows * kWidth / kBlock * kBlock;

Result<ScratchFile> WriteFileAlone(const std::string& folder) {
  PT_LET(auto file, ScratchFile::Make(folder));
  PT_TRY(file.Reserve(kFileBytes));
  PT_LET(const Memfd memory, Memfd::Make("block", kBlock));
  PT_LET(const Mapping block, memory.Map());
  std::ranges::fill(block.bytes(), std::byte(7));
  for (int64_t at = 0; at < kFileBytes; at += kBlock) PT_TRY(file.Write(at, block.bytes()));
  return file;
}

// Reads a file with as many bytes as the rows take from beginning to end; returns the seconds.
Result<double> ReadAlone(const ScratchFile& file) {
  ScratchAhead ahead(file);
  const Stopwatch watch;
  PT_TRY(ahead.Begin(0, kBlock));
  for (int64_t at = kBlock; at <= kFileBytes; at += kBlock) {
    PT_TRY(ahead.Take().status());
    if (at < kFileBytes) PT_TRY(ahead.Begin(at, kBlock));
  }
  return watch.seconds();
}

Status Run(const std::string& folder, int64_t memory_bytes) {
  constexpr double kMega = 1e6;
  const double bytes = double(kRows * kWidth);
  const Stopwatch writing;
  PT_LET(const ScratchFile file, WriteFileAlone(folder));
  PrintFigure("disk alone, written", double(kFileBytes) / writing.seconds() / kMega, "MB/s");
  const auto alone = MakeSelfCommunicator();
  const Stopwatch making;
  PT_LET(const auto rows, MakeRows(folder, memory_bytes, *alone));
  PrintFigure("rows beyond memory, packed and sorted", bytes / making.seconds() / kMega, "MB/s");
  double feeding = 0, reading = 0;
  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const Stopwatch watch;
    PT_TRY(RunEpoch(*rows, epoch));
    feeding += watch.seconds();
    PT_LET(const double seconds, ReadAlone(file));
    reading += seconds;
  }
  const double fed = bytes * kEpochs / feeding, read = double(kFileBytes) * kEpochs / reading;
  PrintFigure("disk alone, read", read / kMega, "MB/s");
  PrintFigure("rows beyond memory, fed", fed / kMega, "MB/s");
  PrintFigure("fed / read alone", fed / read, "");
  return Status::OK();
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    return protium::ExitCode(protium::Status::Invalid("usage: bench_spill FOLDER [MEMORY_MIB]"));
  }
  const int64_t memory =
      argc == 3 ? int64_t(std::strtod(argv[2], nullptr) * (1 << 20)) : protium::kBudget;
  return protium::ExitCode(protium::Run(argv[1], memory));
}
