// SPDX-License-Identifier: Apache-2.0
// A file without a name is opened by the others through the descriptor of its rank, which /proc
// shows to processes of the same user.
#include "collective/disk_window.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "collective/mapped_window.h"
#include "collective/request.h"
#include "os/scratch_file.h"

namespace protium {
namespace {

// Where the others find a rank's bytes. Plain bytes: all ranks run one build.
struct Card {
  int64_t process = 0;
  int64_t fd = 0;
  int64_t bytes = 0;
};

// This rank's bytes. The file is open as long as others may look for it.
struct Own {
  Card card;
  UniqueFd fd;
  Mapping memory;
};

Result<Own> MakeOwn(const std::filesystem::path& folder, int64_t bytes) {
  Own own{.card = {.process = ::getpid(), .bytes = bytes}};
  PT_TRY(CheckWindowSizes({&bytes, 1}));
  if (bytes == 0) return own;
  PT_LET(ScratchFile file, ScratchFile::Make(folder));
  PT_TRY(file.Reserve(bytes));
  PT_LET(own.fd, file.Share());
  own.card.fd = own.fd.get();
  PT_LET(own.memory, file.Map());
  return own;
}

Result<Mapping> MapOther(const Card& card) {
  const std::string path = fmt::format("/proc/{}/fd/{}", card.process, card.fd);
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) {
    return SystemFault(
        fmt::format("open the rows on the disk that process {} shares", card.process), errno);
  }
  PT_LET(const ScratchFile file, ScratchFile::Adopt(std::move(fd), path));
  if (file.reserved() != card.bytes) {
    return Status::IOError("process ", card.process, " shares a file of the wrong size");
  }
  return file.Map();
}

Result<std::unique_ptr<Window>> Open(const std::vector<std::string>& cards, int32_t rank,
                                     Mapping own) {
  std::vector<int64_t> bytes_of;
  std::vector<Mapping> memory(cards.size());
  for (size_t r = 0; r < cards.size(); ++r) {
    Card card;
    PT_CHECK(cards[r].size() == sizeof(card));
    std::memcpy(&card, cards[r].data(), sizeof(card));
    bytes_of.push_back(card.bytes);
    if (int32_t(r) == rank || card.bytes == 0) continue;
    PT_LET(memory[r], MapOther(card));
  }
  memory[size_t(rank)] = std::move(own);
  return std::make_unique<MappedWindow>(rank, std::move(bytes_of), std::move(memory));
}

}  // namespace

Result<std::unique_ptr<Window>> MakeDiskWindow(const std::filesystem::path& folder, int64_t bytes,
                                               Communicator& communicator) {
  Own own;
  PT_TRY(FailTogether(MakeOwn(folder, bytes).Value(&own), communicator));
  const auto* const card = reinterpret_cast<const char*>(&own.card);
  PT_LET(const auto cards, communicator.AllGather({card, sizeof(own.card)}));
  std::unique_ptr<Window> window;
  auto opened = Open(cards, communicator.rank(), std::move(own.memory));
  PT_TRY(FailTogether(std::move(opened).Value(&window), communicator));
  // A rank that has its window may end; the others have opened its file by then.
  PT_TRY(communicator.Barrier("the windows on the disk"));
  return window;
}

}  // namespace protium
