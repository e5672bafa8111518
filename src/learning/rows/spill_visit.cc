// SPDX-License-Identifier: Apache-2.0
#include "rows/spill_visit.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
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
        // Two buckets, and the offset of each row in the one that is handed out.
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

// Writes pieces of memory to a file while others are filled. Small pieces are written at once:
// handing them over would take longer.
class WriteBehind {
 public:
  // Divides the memory into pieces of `piece_bytes`, all of them free.
  WriteBehind(ScratchFile& file, std::span<std::byte> memory, size_t piece_bytes) : file_(file) {
    for (; memory.size() >= piece_bytes; memory = memory.subspan(piece_bytes)) {
      free_.push_back(memory.data());
    }
    if (piece_bytes < size_t(ScratchFile::kLarge)) return;
    try {
      thread_ = std::jthread([this] { Run(); });
    } catch (const std::system_error&) {
      // Without another thread, pieces are written at once.
    }
  }
  ~WriteBehind() { (void)Finish(); }

  // Returns a free piece; waits for one that is being written.
  Result<std::byte*> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !free_.empty() || !failed_.ok(); });
    PT_TRY(failed_);
    std::byte* const piece = free_.back();
    free_.pop_back();
    return piece;
  }

  // Writes the first bytes of a piece at `at` in the background; then the piece is free.
  Status Write(int64_t at, std::span<std::byte> piece) {
    if (!thread_.joinable()) {
      PT_TRY(file_.Write(at, piece));
      free_.push_back(piece.data());
      return Status::OK();
    }
    const std::lock_guard lock(mutex_);
    waiting_.push_back({at, piece});
    changed_.notify_all();
    return failed_;
  }

  // Waits until everything is written.
  Status Finish() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    return failed_;
  }

 private:
  struct Piece {
    int64_t at = 0;
    std::span<std::byte> bytes;
  };

  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !waiting_.empty() || ending_; });
      if (waiting_.empty()) return;
      const Piece piece = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      const Status written = file_.Write(piece.at, piece.bytes);
      lock.lock();
      if (failed_.ok()) failed_ = written;
      free_.push_back(piece.bytes.data());
      changed_.notify_all();
    }
  }

  ScratchFile& file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::byte*> free_;
  std::deque<Piece> waiting_;
  Status failed_;
  bool ending_ = false;
  std::jthread thread_;  // Last: it uses all of the above.
};

// Writes rows to their buckets, several at a time.
class Scatter {
 public:
  Scatter(const Buckets& buckets, const Permutation& order)
      : buckets_(buckets), order_(order), filling_(size_t(buckets.count)) {}

  Status Start(ScratchFile& file, int64_t memory_bytes) {
    // The memory of the buckets themselves, which are not read yet: a piece for each, and some that
    // are being written.
    const int64_t pieces = buckets_.count + kBehind;
    piece_bytes_ = std::clamp(memory_bytes / pieces, kLeastBytes, kMostBytes);
    if (piece_bytes_ > ScratchFile::kPage) piece_bytes_ -= piece_bytes_ % ScratchFile::kPage;
    PT_TRY(memory_.Reserve(pieces * piece_bytes_));
    const auto all = memory_.As<std::byte>(pieces * piece_bytes_);
    behind_ = std::make_unique<WriteBehind>(file, all, size_t(piece_bytes_));
    for (int64_t bucket = 0; bucket < buckets_.count; ++bucket) {
      Filling& filling = filling_[size_t(bucket)];
      filling.at = buckets_.offset(bucket);
      PT_LET(filling.piece, behind_->Take());
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
    for (Filling& filling : filling_) PT_TRY(WriteLast(filling));
    return behind_->Finish();
  }

 private:
  static constexpr int64_t kLeastBytes = 64;
  static constexpr int64_t kMostBytes = int64_t{4} << 20;
  static constexpr int64_t kBehind = 4;

  // The current piece of a bucket, and its position in the file.
  struct Filling {
    int64_t at = 0;
    std::byte* piece = nullptr;
    int64_t held = 0;
  };

  Status Put(int64_t position, std::span<const std::byte> row) {
    const int64_t bucket = position / buckets_.rows;
    const auto place = uint32_t(position - bucket * buckets_.rows);
    Filling& filling = filling_[size_t(bucket)];
    if (filling.held + buckets_.record() <= piece_bytes_) {
      std::byte* const to = filling.piece + filling.held;
      std::memcpy(to, &place, sizeof(place));
      std::memcpy(to + sizeof(place), row.data(), row.size());
      filling.held += buckets_.record();
      return Status::OK();
    }
    PT_TRY(Append(filling, std::as_bytes(std::span(&place, 1))));
    return Append(filling, row);
  }

  // Also works across the end of a piece.
  Status Append(Filling& filling, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto some = std::min(bytes.size(), size_t(piece_bytes_ - filling.held));
      std::memcpy(filling.piece + filling.held, bytes.data(), some);
      bytes = bytes.subspan(some);
      filling.held += int64_t(some);
      if (filling.held < piece_bytes_) break;
      PT_TRY(behind_->Write(filling.at, {filling.piece, size_t(piece_bytes_)}));
      filling.at += std::exchange(filling.held, 0);
      PT_LET(filling.piece, behind_->Take());
    }
    return Status::OK();
  }

  // Writes whole pages if pieces have them: the space after the rows in the last page belongs to
  // the bucket.
  Status WriteLast(Filling& filling) {
    const bool pages = piece_bytes_ % ScratchFile::kPage == 0;
    const int64_t bytes = pages ? RoundUpToPages(filling.held) : filling.held;
    return behind_->Write(filling.at, {filling.piece, size_t(bytes)});
  }

  const Buckets& buckets_;
  const Permutation& order_;
  RowMemory memory_;
  int64_t piece_bytes_ = 0;
  std::vector<Filling> filling_;  // By bucket.
  std::unique_ptr<WriteBehind> behind_;
};

class SpillVisit final : public RowVisit {
 public:
  SpillVisit(const Buckets& buckets, ScratchFile file)
      : buckets_(buckets), file_(std::move(file)), ahead_(file_), places_(size_t(buckets.rows)) {}

  // Starts reading the first bucket.
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

  // Moves on to the bucket that was read ahead.
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
    constexpr int64_t kAhead = 16;  // Rows are prefetched this early, as they lie anywhere.
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
  int64_t bucket_ = 0;                  // The one being read ahead.
  const std::byte* current_ = nullptr;  // The bucket being handed out,
  std::vector<uint32_t> places_;        // where in it the row of each position is,
  int64_t in_current_ = 0;              // how many rows it has,
  int64_t given_ = 0;                   // and how many were handed out.
};

}  // namespace

Result<std::unique_ptr<RowVisit>> MakeSpillVisit(const SpillVisitSpec& spec, RowScan& rows,
                                                 const Permutation& order) {
  const Buckets buckets(spec.width, order.rows(), spec.memory_bytes);
  PT_LET(ScratchFile file, ScratchFile::Make(spec.disk));
  PT_TRY(file.Reserve(RoundUpToPages(buckets.bytes())));
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
