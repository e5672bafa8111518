// SPDX-License-Identifier: Apache-2.0
#include "base/copy.h"
#include "base/fault.h"
#include "collective/shared/memory.h"

namespace protium {
namespace {

class SharedWindow : public Window {
 public:
  SharedWindow(int32_t rank, std::vector<int64_t> bytes_of, std::vector<Mapping> memory)
      : rank_(rank), bytes_of_(std::move(bytes_of)), memory_(std::move(memory)) {}

  std::span<std::byte> own() override {
    return {memory_[size_t(rank_)].data(), size_t(size(rank_))};
  }
  int64_t size(int32_t rank) const override { return bytes_of_.at(size_t(rank)); }

  Status Read(int32_t rank, int64_t offset, std::span<std::byte> into) override {
    PT_TRY(CheckWindowRead(*this, int32_t(bytes_of_.size()), rank, offset, int64_t(into.size())));
    CopyBytes(into.data(), Direct(rank) + offset, int64_t(into.size()));
    return Status::OK();
  }

  const std::byte* Direct(int32_t rank) const override { return memory_[size_t(rank)].data(); }

  void Release(int64_t offset, int64_t bytes) override {
    memory_[size_t(rank_)].Release(offset, bytes);
  }

 private:
  int32_t rank_;
  std::vector<int64_t> bytes_of_;
  std::vector<Mapping> memory_;
};

// What a rank does on its own between meetings; if it fails, all ranks fail. An empty window maps a
// page all the same, since mmap() refuses 0 bytes.
Result<std::vector<Mapping>> MapAll(Meeting& meeting, const std::vector<int64_t>& bytes_of) {
  const int64_t own_bytes = RoundUpToPages(std::max<int64_t>(bytes_of[size_t(meeting.rank())], 1));
  PT_LET(const Memfd own, Memfd::Make("protium-window", own_bytes));
  PT_LET(std::vector<UniqueFd> fds, meeting.Swap(own.fd()));
  std::vector<Mapping> memory;
  for (int32_t r = 0; r < meeting.world(); ++r) {
    const int64_t bytes = RoundUpToPages(std::max<int64_t>(bytes_of[size_t(r)], 1));
    if (r == meeting.rank()) {
      PT_LET(Mapping mapping, own.Map());
      memory.push_back(std::move(mapping));
      continue;
    }
    PT_LET(const Memfd other, Memfd::Adopt(std::move(fds[size_t(r)]), bytes));
    if (other.size() != bytes)
      return Status::IOError("rank ", r, " shares memory of the wrong size");
    PT_LET(Mapping mapping, other.Map());
    memory.push_back(std::move(mapping));
  }
  return memory;
}

}  // namespace

Result<std::vector<Mapping>> ShareMemory(Meeting& meeting, const std::vector<int64_t>& bytes_of) {
  auto memory = MapAll(meeting, bytes_of);
  if (!memory.ok()) {
    return meeting.Abort(Annotate(memory.status(), "sharing memory between ranks"));
  }
  return memory;
}

Result<std::unique_ptr<Window>> MakeSharedWindow(std::shared_ptr<Meeting> meeting, int64_t bytes) {
  PT_TRY(meeting->Agree({.operation = Operation::kWindow, .length = bytes}));
  std::vector<int64_t> bytes_of;
  for (int32_t r = 0; r < meeting->world(); ++r) bytes_of.push_back(meeting->Asked(r).length);
  const Status valid = CheckWindowSizes(bytes_of);
  if (!valid.ok()) return meeting->Abort(valid);
  PT_LET(std::vector<Mapping> memory, ShareMemory(*meeting, bytes_of));
  return std::unique_ptr<Window>(
      new SharedWindow(meeting->rank(), std::move(bytes_of), std::move(memory)));
}

}  // namespace protium
