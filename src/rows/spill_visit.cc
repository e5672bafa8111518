// SPDX-License-Identifier: Apache-2.0
#include "rows/spill_visit.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "os/memfd.h"
#include "rows/memory.h"

namespace protium {
namespace {

// How the positions of a visit are divided, and where their rows lie in the file: bucket b has the
// positions from b * rows on, as records of a position within the bucket and a row, in any order.
struct Buckets {
  static constexpr int64_t kPlace = sizeof(uint32_t);

  Buckets(int64_t width, int64_t all_rows, int64_t memory_bytes)
      : width(width),
        all_rows(all_rows),
        // Two buckets, and where each row of the one that is handed out lies in it.
        rows(std::clamp<int64_t>(memory_bytes / (2 * record() + kPlace), 1,
                                 std::max<int64_t>(all_rows, 1))),
        count((all_rows + rows - 1) / rows) {}

  int64_t record() const { return kPlace + width; }
  int64_t rows_of(int64_t bucket) const { return std::min(rows, all_rows - bucket * rows); }
  int64_t offset(int64_t bucket) const { return bucket * RoundUpToPages(rows * record()); }

  int64_t bytes() const {
    return count == 0 ? 0 : offset(count - 1) + rows_of(count - 1) * record();
  }

  int64_t width;
  int64_t all_rows;
  int64_t rows;
  int64_t count;
};

// Writes rows to their buckets, of each some at a time.
class Scatter {
 public:
  Scatter(const Buckets& buckets, const Permutation& order) : buckets_(buckets), order_(order) {}

  Status Start(ScratchFile& file, int64_t memory_bytes) {
    // The memory of the buckets themselves, which are not read yet.
    int64_t bytes = std::max(memory_bytes / std::max<int64_t>(buckets_.count, 1), kLeastBytes);
    if (bytes > ScratchFile::kPage) bytes -= bytes % ScratchFile::kPage;
    PT_TRY(memory_.Reserve(std::max(buckets_.count * bytes, bytes)));
    const auto all = memory_.As<std::byte>(buckets_.count * bytes);
    for (int64_t bucket = 0; bucket < buckets_.count; ++bucket) {
      streams_.emplace_back(file, buckets_.offset(bucket),
                            all.subspan(size_t(bucket * bytes), size_t(bytes)));
    }
    return Status::OK();
  }

  Status Run(RowScan& rows) {
    constexpr int64_t kMost = 4096;
    const auto width = size_t(buckets_.width);
    int64_t row = 0;
    while (true) {
      PT_LET(auto block, rows.Next(kMost));
      if (block.empty()) break;
      for (; !block.empty(); block = block.subspan(width)) {
        PT_TRY(Put(order_.PositionOf(row++), block.first(width)));
      }
    }
    PT_CHECK(row == buckets_.all_rows);
    for (ScratchStream& stream : streams_) PT_TRY(stream.Flush());
    return Status::OK();
  }

 private:
  static constexpr int64_t kLeastBytes = 64;

  Status Put(int64_t position, std::span<const std::byte> row) {
    const int64_t bucket = position / buckets_.rows;
    const auto place = uint32_t(position - bucket * buckets_.rows);
    ScratchStream& stream = streams_[size_t(bucket)];
    PT_TRY(stream.Append(std::as_bytes(std::span(&place, 1))));
    return stream.Append(row);
  }

  const Buckets& buckets_;
  const Permutation& order_;
  RowMemory memory_;
  std::vector<ScratchStream> streams_;  // By bucket.
};

class SpillVisit final : public RowVisit {
 public:
  SpillVisit(const Buckets& buckets, ScratchFile file)
      : buckets_(buckets), file_(std::move(file)), ahead_(file_), places_(size_t(buckets.rows)) {}

  // Begins to read the first bucket.
  Status Start() { return ReadAhead(); }

  Status Next(int64_t rows, std::byte* out) override {
    while (rows > 0) {
      if (given_ == in_current_) PT_TRY(Advance());
      const int64_t taken = std::min(rows, in_current_ - given_);
      Gather(taken, out);
      out += taken * buckets_.width;
      rows -= taken;
      given_ += taken;
    }
    return Status::OK();
  }

  Status Skip(int64_t rows) override {
    while (rows > 0) {
      if (given_ == in_current_) PT_TRY(Advance());
      const int64_t passed = std::min(rows, in_current_ - given_);
      rows -= passed;
      given_ += passed;
    }
    return Status::OK();
  }

 private:
  Status ReadAhead() {
    if (bucket_ == buckets_.count) return Status::OK();
    return ahead_.Begin(buckets_.offset(bucket_), buckets_.rows_of(bucket_) * buckets_.record());
  }

  // Goes on to the bucket that was read ahead.
  Status Advance() {
    PT_CHECK(bucket_ < buckets_.count);
    PT_LET(const auto bytes, ahead_.Take());
    current_ = bytes.data();
    in_current_ = buckets_.rows_of(bucket_++);
    given_ = 0;
    PT_TRY(ReadAhead());
    for (int64_t i = 0; i < in_current_; ++i) {
      uint32_t place = 0;
      std::memcpy(&place, current_ + i * buckets_.record(), sizeof(place));
      if (place >= in_current_) {
        return Fail({.exit = Exit::kEnvironment,
                     .what = "rows on the disk were changed while they were in use"});
      }
      places_[place] = uint32_t(i);
    }
    return Status::OK();
  }

  void Gather(int64_t rows, std::byte* out) {
    constexpr int64_t kAhead = 16;  // Rows are asked for this early, as they lie anywhere.
    constexpr int64_t kLine = 64;
    const int64_t end = given_ + rows;
    for (int64_t i = given_; i < end; ++i, out += buckets_.width) {
      const std::byte* const soon = Row(std::min(i + kAhead, in_current_ - 1));
      for (int64_t at = 0; at < buckets_.width; at += kLine) __builtin_prefetch(soon + at);
      std::memcpy(out, Row(i), size_t(buckets_.width));
    }
  }
  const std::byte* Row(int64_t i) const {
    return current_ + places_[size_t(i)] * buckets_.record() + Buckets::kPlace;
  }

  Buckets buckets_;
  ScratchFile file_;
  ScratchAhead ahead_;
  int64_t bucket_ = 0;                  // The one that is read ahead.
  const std::byte* current_ = nullptr;  // The bucket that is handed out,
  std::vector<uint32_t> places_;        // where in it the row of each position lies,
  int64_t in_current_ = 0;              // its rows,
  int64_t given_ = 0;                   // and those that were handed out.
};

}  // namespace

Result<std::unique_ptr<RowVisit>> MakeSpillVisit(const SpillVisitSpec& spec, RowScan& rows,
                                                 const Permutation& order) {
  const Buckets buckets(spec.width, order.rows(), spec.memory_bytes);
  PT_LET(ScratchFile file, ScratchFile::Make(spec.disk));
  PT_TRY(file.Reserve(buckets.bytes()));
  {
    Scatter scatter(buckets, order);
    PT_TRY(scatter.Start(file, spec.memory_bytes));
    PT_TRY(scatter.Run(rows));
  }
  auto visit = std::make_unique<SpillVisit>(buckets, std::move(file));
  PT_TRY(visit->Start());
  return std::unique_ptr<RowVisit>(std::move(visit));
}

}  // namespace protium
