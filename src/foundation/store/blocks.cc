// SPDX-License-Identifier: Apache-2.0
#include "store/blocks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <span>

#include "os/fd.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace protium {
namespace {

std::string HexOf(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Status ReadBlock(int fd, int64_t at, std::span<std::byte> block) {
  while (!block.empty()) {
    const ssize_t got = ::pread(fd, block.data(), block.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemFault("read a file", errno);
    if (got == 0) {
      return Fail({.exit = Exit::kInput, .what = "a file became shorter while it was read"});
    }
    block = block.subspan(size_t(got));
    at += got;
  }
  return Status::OK();
}

Status EachBlock(int fd, int64_t bytes,
                 const std::function<void(std::span<const std::byte>)>& visit) {
  std::vector<std::byte> buffer(size_t(std::min(bytes, kBlockBytes)));
  for (int64_t at = 0; at < bytes; at += kBlockBytes) {
    const std::span block(buffer.data(), size_t(std::min(bytes - at, kBlockBytes)));
    PT_TRY(ReadBlock(fd, at, block));
    visit(block);
  }
  return Status::OK();
}

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

}  // namespace

Result<std::vector<std::string>> HashBlocks(int fd, int64_t bytes) {
  std::vector<std::string> hashes;
  PT_TRY(EachBlock(fd, bytes, [&](std::span<const std::byte> block) {
    hashes.push_back(HexOf(XXH3_128bits(block.data(), block.size())));
  }));
  return hashes;
}

Result<std::string> HashBytesOf(int fd, int64_t bytes) {
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  if (state == nullptr) return Status::OutOfMemory("no memory for a checksum");
  XXH3_128bits_reset(state.get());
  PT_TRY(EachBlock(fd, bytes, [&](std::span<const std::byte> block) {
    XXH3_128bits_update(state.get(), block.data(), block.size());
  }));
  return HexOf(XXH3_128bits_digest(state.get()));
}

std::string HashText(std::string_view text) {
  return HexOf(XXH3_128bits(text.data(), text.size()));
}

}  // namespace protium
