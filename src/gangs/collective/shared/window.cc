// SPDX-License-Identifier: Apache-2.0
#include "base/fault.h"
#include "collective/mapped_window.h"
#include "collective/shared/memory.h"

namespace protium {
namespace {

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
      new MappedWindow(meeting->rank(), std::move(bytes_of), std::move(memory)));
}

}  // namespace protium
