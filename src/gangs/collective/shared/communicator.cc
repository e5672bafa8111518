// SPDX-License-Identifier: Apache-2.0
// 1. Small messages are in a rank's inline room when it comes to the meeting at which the operation
//    is agreed: they need only one meeting.
// 2. Large ones go through slots part by part; while part t is copied in, part t - 1 is reduced and
//    part t - 2 copied out, with one meeting between rounds. A rank reduces its slice of each part,
//    always in rank order.
// 3. Nothing is read before the requests agree, so ranks that disagree leave no half-written buffer
//    behind.
#include "collective/shared/communicator.h"

#include "base/copy.h"
#include "base/fault.h"
#include "collective/combine.h"
#include "collective/shared/meeting.h"
#include "collective/shared/memory.h"

namespace protium {
namespace {

constexpr int64_t kMostMessageBytes = int64_t{1} << 30;

// The reduction of a buffer too large for the inline room.
class PartwiseReduction {
 public:
  PartwiseReduction(Meeting& meeting, Buffer buffer, Op op)
      : meeting_(meeting),
        data_(static_cast<std::byte*>(buffer.data)),
        count_(buffer.count),
        type_(buffer.type),
        op_(op),
        width_(ElementBytes(buffer.type)),
        part_count_(Board::kSlotBytes / width_) {}

  Status Run(const Request& request) {
    const int64_t parts = (count_ + part_count_ - 1) / part_count_;
    // Part t is in the half of meeting t + 1, its result in that of the next: each round writes one
    // half and reads the other (`half() ^ 1`).
    for (int64_t t = 0; t <= parts + 1; ++t) {
      if (t < parts) CopyIn(t);
      if (t >= 1 && t <= parts) ReduceSlice(t - 1);
      if (t >= 2) CopyOut(t - 2);
      if (t <= parts) PT_TRY(t == 0 ? meeting_.Agree(request) : meeting_.Next());
    }
    return Status::OK();
  }

 private:
  // The bytes that one rank reduces of a part, from the part's start.
  struct Slice {
    int64_t begin = 0;
    int64_t end = 0;
  };

  int64_t Count(int64_t part) const { return std::min(part_count_, count_ - part * part_count_); }

  Slice CutSlice(int64_t part, int32_t rank) const {
    constexpr int64_t kAlign = 16;  // Elements, so that slices do not share cache lines.
    const int64_t units = (Count(part) + kAlign - 1) / kAlign;
    const auto edge = [&](int64_t r) {
      return std::min(units * r / meeting_.world() * kAlign, Count(part)) * width_;
    };
    return {edge(rank), edge(rank + 1)};
  }

  std::byte* Own(int64_t part) const { return data_ + part * part_count_ * width_; }

  // Into the half of the coming meeting. The own slice is not copied: nobody else needs it.
  void CopyIn(int64_t part) {
    std::byte* slot = meeting_.board().Slot(meeting_.rank(), meeting_.half()).data();
    const Slice own = CutSlice(part, meeting_.rank());
    CopyBytes(slot, Own(part), own.begin);
    CopyBytes(slot + own.end, Own(part) + own.end, Count(part) * width_ - own.end);
  }

  void ReduceSlice(int64_t part) {
    const Slice slice = CutSlice(part, meeting_.rank());
    const auto input = [&](int32_t rank) -> const std::byte* {
      if (rank == meeting_.rank()) return Own(part) + slice.begin;
      return meeting_.board().Slot(rank, meeting_.half() ^ 1).data() + slice.begin;
    };
    std::byte* out = meeting_.board().ResultSlot(meeting_.half()).data() + slice.begin;
    const int64_t count = (slice.end - slice.begin) / width_;
    Combine(type_, op_, input(0), input(1), out, count);
    for (int32_t r = 2; r < meeting_.world(); ++r) Combine(type_, op_, out, input(r), out, count);
    // The own slice of the result is copied here, while it is cached.
    CopyBytes(Own(part) + slice.begin, out, slice.end - slice.begin);
  }

  void CopyOut(int64_t part) {
    const std::byte* result = meeting_.board().ResultSlot(meeting_.half() ^ 1).data();
    const Slice own = CutSlice(part, meeting_.rank());
    CopyBytes(Own(part), result, own.begin);
    CopyBytes(Own(part) + own.end, result + own.end, Count(part) * width_ - own.end);
  }

  Meeting& meeting_;
  std::byte* data_;
  int64_t count_;
  Element type_;
  Op op_;
  int64_t width_;
  int64_t part_count_;
};

class SharedCommunicator : public Communicator {
 public:
  explicit SharedCommunicator(std::shared_ptr<Meeting> meeting) : meeting_(std::move(meeting)) {}

  int32_t rank() const override { return meeting_->rank(); }
  int32_t world() const override { return meeting_->world(); }

  Status AllReduce(Buffer inout, Op op) override {
    const Request request{.operation = Operation::kAllReduce,
                          .type = inout.type,
                          .reduce = op,
                          .length = inout.count};
    if (world() == 1) return meeting_->Agree(request);
    if (inout.count * ElementBytes(inout.type) <= Board::kInlineBytes) {
      return ReduceInline(inout, op, request);
    }
    return PartwiseReduction(*meeting_, inout, op).Run(request);
  }

  Status Broadcast(std::span<std::byte> inout, int32_t root) override {
    const Request request{
        .operation = Operation::kBroadcast, .root = root, .length = int64_t(inout.size())};
    // If the ranks agree, a wrong root is wrong on all of them, so all get the same error at the
    // same position.
    if (root < 0 || root >= world()) {
      PT_TRY(meeting_->Agree(request));
      return meeting_->Abort(NoSuchRoot(root, world()));
    }
    const Board& board = meeting_->board();
    if (int64_t(inout.size()) <= Board::kInlineBytes) {
      // Before Agree() moves on to the next half.
      const auto room = board.Inline(root, meeting_->half()).data();
      if (root == rank()) CopyBytes(room, inout.data(), int64_t(inout.size()));
      PT_TRY(meeting_->Agree(request));
      if (root != rank()) CopyBytes(inout.data(), room, int64_t(inout.size()));
      return Status::OK();
    }
    for (size_t at = 0; at < inout.size(); at += Board::kSlotBytes) {
      const auto part = inout.subspan(at, std::min(inout.size() - at, size_t(Board::kSlotBytes)));
      const auto slot = board.Slot(root, meeting_->half()).data();
      if (root == rank()) CopyBytes(slot, part.data(), int64_t(part.size()));
      PT_TRY(at == 0 ? meeting_->Agree(request) : meeting_->Next());
      if (root != rank()) CopyBytes(part.data(), slot, int64_t(part.size()));
    }
    return Status::OK();
  }

  Result<std::vector<std::string>> AllGather(std::string_view message) override {
    const auto own = std::as_bytes(std::span(message));
    const uint32_t half = meeting_->half();
    const Board& board = meeting_->board();
    if (message.size() <= size_t(Board::kInlineBytes)) {
      CopyBytes(board.Inline(rank(), half).data(), own.data(), int64_t(own.size()));
    }
    PT_TRY(
        meeting_->Agree({.operation = Operation::kAllGather, .length = int64_t(message.size())}));
    PT_LET(std::vector<std::string> all, MakeRoom());
    int64_t longest = 0;
    for (int32_t r = 0; r < world(); ++r) {
      std::string& text = all[size_t(r)];
      longest = std::max(longest, int64_t(text.size()));
      if (int64_t(text.size()) > Board::kInlineBytes) continue;
      CopyBytes(reinterpret_cast<std::byte*>(text.data()), board.Inline(r, half).data(),
                int64_t(text.size()));
    }
    if (longest > Board::kInlineBytes) PT_TRY(GatherLong(own, longest, all));
    return all;
  }

  Status Barrier(std::string_view name) override {
    Request request{.operation = Operation::kBarrier};
    request.SetName(name);
    return meeting_->Agree(request);
  }

  Result<std::unique_ptr<Window>> MakeWindow(int64_t bytes) override {
    return MakeSharedWindow(meeting_, bytes);
  }

  Result<std::unique_ptr<SumTree>> MakeTree(const TreeSpec& spec) override {
    return MakeSharedTree(meeting_, spec);
  }

  void Abort(const Status& cause) override { (void)meeting_->Abort(cause); }

 private:
  Status ReduceInline(Buffer inout, Op op, const Request& request) {
    const uint32_t half = meeting_->half();
    const Board& board = meeting_->board();
    const int64_t bytes = inout.count * ElementBytes(inout.type);
    std::byte* own = static_cast<std::byte*>(inout.data);
    CopyBytes(board.Inline(rank(), half).data(), own, bytes);
    PT_TRY(meeting_->Agree(request));
    Combine(inout.type, op, board.Inline(0, half).data(), board.Inline(1, half).data(), own,
            inout.count);
    for (int32_t r = 2; r < world(); ++r) {
      Combine(inout.type, op, own, board.Inline(r, half).data(), own, inout.count);
    }
    return Status::OK();
  }

  // Returns strings of the announced lengths. Reads all lengths first: they may change after the
  // next meeting.
  Result<std::vector<std::string>> MakeRoom() {
    std::vector<int64_t> lengths;
    for (int32_t r = 0; r < world(); ++r) lengths.push_back(meeting_->Asked(r).length);
    std::vector<std::string> all;
    for (int32_t r = 0; r < world(); ++r) {
      const int64_t length = lengths[size_t(r)];
      if (length < 0 || length > kMostMessageBytes) {
        return meeting_->Abort(Status::CapacityError("rank ", r, " sends a message of ", length,
                                                     " bytes; the limit is ", kMostMessageBytes));
      }
      all.emplace_back(size_t(length), '\0');
    }
    return all;
  }

  Status GatherLong(std::span<const std::byte> own, int64_t longest,
                    std::vector<std::string>& all) {
    // Short messages came with the first meeting; the long ones take as many parts as the longest
    // needs.
    const auto part_of = [&](int64_t size, int64_t at) {
      return size <= Board::kInlineBytes ? 0 : std::clamp(size - at, int64_t{0}, Board::kSlotBytes);
    };
    for (int64_t at = 0; at < longest; at += Board::kSlotBytes) {
      const uint32_t half = meeting_->half();
      const int64_t mine = part_of(int64_t(own.size()), at);
      if (mine > 0) CopyBytes(meeting_->board().Slot(rank(), half).data(), own.data() + at, mine);
      PT_TRY(meeting_->Next());
      for (int32_t r = 0; r < world(); ++r) {
        std::string& text = all[size_t(r)];
        const int64_t part = part_of(int64_t(text.size()), at);
        if (part == 0) continue;
        CopyBytes(reinterpret_cast<std::byte*>(text.data()) + at,
                  meeting_->board().Slot(r, half).data(), part);
      }
    }
    return Status::OK();
  }

  std::shared_ptr<Meeting> meeting_;
};

}  // namespace

Result<std::unique_ptr<Communicator>> MakeSharedCommunicator(int32_t rank,
                                                             std::vector<UniqueFd> peers,
                                                             const CommunicatorOptions& options) {
  PT_LET(auto meeting, Meeting::Make(rank, std::move(peers), options.deadline));
  return std::unique_ptr<Communicator>(new SharedCommunicator(std::move(meeting)));
}

}  // namespace protium
