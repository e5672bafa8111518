// SPDX-License-Identifier: Apache-2.0
#include "examples/table_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fault.h"

namespace protium::example {

Status MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = "cannot make folder " + folder.string() + ": " + error.message()});
}

TableFile::TableFile(std::filesystem::path path)
    : path_(std::move(path)), part_(path_.string() + ".part") {
  file_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file_ < 0) error_ = errno;
}

TableFile::~TableFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(part_.c_str());
}

void TableFile::Add(std::string_view bytes) {
  pending_.append(bytes);
  if (pending_.size() > (1 << 20)) Flush();
}

void TableFile::Line(std::string_view text) {
  pending_.append(text);
  Add("\n");
}

void TableFile::Flush() {
  size_t done = 0;
  while (error_ == 0 && done < pending_.size()) {
    const ssize_t n = write(file_, pending_.data() + done, pending_.size() - done);
    // If a signal interrupted the write, the same piece is written again.
    if (n < 0 && errno != EINTR) error_ = errno;
    if (n > 0) done += static_cast<size_t>(n);
  }
  pending_.clear();
}

// Not synced to disk: an example can be made again.
Status TableFile::Finish() {
  Flush();
  if (file_ >= 0 && close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && rename(part_.c_str(), path_.c_str()) != 0) error_ = errno;
  if (error_ == 0) return Status::OK();
  unlink(part_.c_str());
  return Fail({.exit = error_ == ENOSPC || error_ == EDQUOT ? Exit::kNoRoom : Exit::kEnvironment,
               .what = fmt::format("cannot write {}: {}", path_.string(), std::strerror(error_))});
}

}  // namespace protium::example
