// SPDX-License-Identifier: Apache-2.0
#include "os/past_cache.h"

#include <fcntl.h>

#include <string>

namespace protium {

UniqueFd OpenPastCache(const UniqueFd& fd, int access) {
  const std::string own = "/proc/self/fd/" + std::to_string(fd.get());
  return UniqueFd(::open(own.c_str(), access | O_DIRECT | O_CLOEXEC));
}

bool FitsPastCache(int64_t at, std::span<const std::byte> bytes) {
  const auto memory = reinterpret_cast<uintptr_t>(bytes.data());
  return int64_t(bytes.size()) >= kPastCacheLeast &&
         (uint64_t(at) | bytes.size() | memory) % kPastCachePage == 0;
}

}  // namespace protium
