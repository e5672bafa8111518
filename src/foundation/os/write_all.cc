// SPDX-License-Identifier: Apache-2.0
#include "os/write_all.h"

#include <unistd.h>

#include <cerrno>

#include "os/fd.h"

namespace protium {

Status WriteAll(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemFault("write " + path.string(), errno);
    bytes.remove_prefix(size_t(written));
  }
  return Status::OK();
}

}  // namespace protium
