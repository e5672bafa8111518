// SPDX-License-Identifier: Apache-2.0
#include "prompt/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "os/fd.h"
#include "os/file.h"
#include "run/printable.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMostBytes = 1 << 20;
constexpr mode_t kMine = 0600;

}  // namespace

fs::path HistoryFile() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "protium/sql_history";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return {};
  return fs::path(home) / ".local/state/protium/sql_history";
}

std::vector<std::string> ReadHistory(const fs::path& file) {
  const std::string text = ReadTail(file, kMostBytes);
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (!line.empty() && Printable(line) == line) lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
}

Status AddToHistory(const fs::path& file, const std::string& line) {
  if (file.empty()) return Status::OK();
  PT_TRY(MakeFolder(file.parent_path()));
  std::error_code error;
  if (fs::file_size(file, error) > 2 * kMostBytes && !error) {
    PT_TRY(WriteFile(file, ReadTail(file, kMostBytes)));
  }
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMine));
  // The file may predate this rule, or have been created anew above.
  if (!fd || ::fchmod(fd.get(), kMine) != 0) return SystemFault("write " + file.string(), errno);
  const std::string text = line + "\n";
  if (::write(fd.get(), text.data(), text.size()) == ssize_t(text.size())) return Status::OK();
  return SystemFault("write " + file.string(), errno);
}

}  // namespace protium
