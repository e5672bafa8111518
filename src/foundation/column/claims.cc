// SPDX-License-Identifier: Apache-2.0
#include "column/claims.h"

#include <arrow/array.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "column/claim_sum.h"

namespace protium {
namespace {

using Span = std::pair<const uint8_t*, const uint8_t*>;

void AddSpans(const arrow::ArrayData& data, std::vector<Span>& spans) {
  for (const auto& buffer : data.buffers) {
    if (buffer == nullptr || buffer->size() <= 0 || !buffer->is_cpu()) continue;
    spans.emplace_back(buffer->data(), buffer->data() + buffer->size());
  }
  for (const auto& child : data.child_data) AddSpans(*child, spans);
  if (data.dictionary != nullptr) AddSpans(*data.dictionary, spans);
}

Status TooMany(const std::string& column, int64_t rows, int64_t held) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} has {} cells without content, and the batch holds only {} "
                                   "bytes",
                                   column, rows, held),
               .fix = "leave columns without values out, or send fewer rows in a batch"});
}

Status TooLong(const std::string& column, int64_t rows, double bytes, int64_t held) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} makes {} rows claim {:.0f} bytes or more once each is "
                                   "written out, and the batch holds only {} bytes",
                                   column, rows, bytes, held),
               .fix = "send fewer rows in a batch, or shorter values"});
}

// Adds rows that are converted at once.
Status AddRows(const arrow::RecordBatch& batch, int64_t row, int64_t count, int64_t held,
               ClaimSum& sum) {
  sum.NextRows();
  for (int i = 0; i < batch.num_columns(); ++i) {
    sum.Add({*batch.column_data(i), row, count});
    if (!sum.full()) continue;
    const std::string column = "column \"" + batch.column_name(i) + "\"";
    if (sum.too_many()) return TooMany(column, batch.num_rows(), held);
    return TooLong(column, count, sum.bytes(), held);
  }
  return Status::OK();
}

}  // namespace

int64_t HeldBytes(const arrow::RecordBatch& batch) {
  std::vector<Span> spans;
  for (const auto& column : batch.columns()) AddSpans(*column->data(), spans);
  std::sort(spans.begin(), spans.end());
  int64_t held = 0;
  const uint8_t* end = nullptr;
  for (const auto& [from, to] : spans) {
    const uint8_t* const begin = std::max(from, end);
    if (to > begin) held += to - begin;
    end = std::max(end, to);
  }
  return held;
}

Status CheckClaims(const arrow::RecordBatch& batch, int64_t at_once) {
  const int64_t held = HeldBytes(batch), rows = batch.num_rows();
  const double cells = double(kFreeCells) + double(kCellsPerByte) * double(held);
  if (batch.num_columns() == 0 && double(rows) > cells) {
    return TooMany("a batch without columns", rows, held);
  }
  ClaimSum sum(cells, double(kFreeBytes) + double(kBytesPerByte) * double(held));
  for (int64_t row = 0; row < rows && batch.num_columns() > 0;) {
    const int64_t count = std::min(at_once, rows - row);
    PT_TRY(AddRows(batch, row, count, held, sum));
    row += count;
  }
  return Status::OK();
}

int64_t MostUnpackedBytes(int64_t bytes) {
  constexpr int64_t kFree = int64_t{512} << 20, kPerByte = 256, kMost = int64_t{1} << 60;
  return bytes > kMost / kPerByte ? kMost : kFree + kPerByte * bytes;
}

}  // namespace protium
