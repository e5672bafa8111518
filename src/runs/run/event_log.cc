// SPDX-License-Identifier: Apache-2.0
#include "run/event_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include "base/fault.h"

namespace protium {

namespace {

constexpr size_t kLongestLine = 16 << 20;  // A longer line is damage and not worth the memory.

Status FileFault(const std::filesystem::path& path, const char* doing, int error) {
  // EFBIG means RLIMIT_FSIZE, in a process that ignores SIGXFSZ.
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return Fail({.exit = full ? Exit::kNoRoom : Exit::kEnvironment,
               .what = fmt::format("cannot {} {}: {}", doing, path.string(), std::strerror(error)),
               .fix = full ? "free some disk space, or use another --runs-dir" : ""});
}

}  // namespace

std::string TimeText() {
  const auto now = std::chrono::system_clock::now();
  return TimeText(
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
}

std::string TimeText(int64_t millis) {
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", parts, millis % 1000);
}

std::optional<double> ReadTimeText(const std::string& text) {
  std::tm parts{};
  int millis = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &millis) != 7) {
    return std::nullopt;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return double(timegm(&parts)) * 1000 + millis;
}

EventLog::EventLog(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}

EventLog::~EventLog() { close(file_); }

Result<std::unique_ptr<EventLog>> EventLog::Open(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return FileFault(file, "open", errno);
  std::unique_ptr<EventLog> log(new EventLog(fd, file));
  struct stat info {};
  if (fstat(fd, &info) != 0) return FileFault(file, "read", errno);
  char last = '\n';
  if (info.st_size > 0 && pread(fd, &last, 1, info.st_size - 1) != 1) {
    return FileFault(file, "read", errno);
  }
  if (last != '\n') PT_TRY(log->WriteLine("\n"));
  return log;
}

Status EventLog::Append(const Json& event) {
  Json line = Json::object();
  line["time"] = TimeText();
  line.update(event);
  const std::string text = Dump(line) + "\n";
  const std::lock_guard lock(mutex_);
  const Status status = WriteLine(text);
  if (first_failure_.ok()) first_failure_ = status;
  return status;
}

Status EventLog::status() const {
  const std::lock_guard lock(mutex_);
  return first_failure_;
}

// Writes the whole line or nothing. Undoes a partial write, as on a full disk, by truncating to the
// earlier size; that is safe because the folder is locked and nobody else appends.
Status EventLog::WriteLine(const std::string& line) {
  struct stat before {};
  if (fstat(file_, &before) != 0) return FileFault(path_, "read", errno);
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = write(file_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      if (ftruncate(file_, before.st_size) != 0) return FileFault(path_, "shorten", errno);
      return FileFault(path_, "append to", error);
    }
    done += static_cast<size_t>(n);
  }
  return Status::OK();
}

namespace {

// Splits a file into lines, a block at a time, so that a line that never ends takes no memory.
class LineReader {
 public:
  LineReader(const std::filesystem::path& file, int64_t from) : end_(from) {
    std::error_code ignored;
    // Opening a pipe would wait for a writer.
    if (!std::filesystem::is_regular_file(file, ignored)) return;
    in_.open(file, std::ios::binary);
    in_.seekg(from);
  }

  // Sets `line` to the next whole line without its break, or to empty if it is too long. False at
  // the end; then `line` is what follows the last break.
  bool Next(std::string& line) {
    line.clear();
    bool long_line = false;
    int64_t length = 0;
    while (true) {
      if (at_ == block_.size() && !Fill()) return false;
      const size_t found = block_.find('\n', at_);
      const size_t stop = found == block_.npos ? block_.size() : found;
      length += int64_t(stop - at_);
      long_line = long_line || length > int64_t(kLongestLine);
      if (long_line)
        line.clear();
      else
        line.append(block_, at_, stop - at_);
      at_ = stop;
      if (found == block_.npos) continue;
      ++at_;
      end_ += length + 1;
      return true;
    }
  }

  int64_t end() const { return end_; }  // The byte behind the last whole line.
  bool broken() const { return in_.bad(); }

 private:
  bool Fill() {
    constexpr size_t kBlock = 256 << 10;
    block_.resize(kBlock);
    in_.read(block_.data(), std::streamsize(kBlock));
    block_.resize(size_t(in_.gcount()));
    at_ = 0;
    return !block_.empty();
  }

  std::ifstream in_;
  std::string block_;
  size_t at_ = 0;
  int64_t end_;
};

bool IsWholeEvent(const Result<Json>& json) { return json.ok() && json->is_object(); }

}  // namespace

Result<EventPiece> ReadEventsFrom(const std::filesystem::path& file, int64_t from,
                                  int64_t most_bytes) {
  EventPiece piece{.next = from};
  LineReader lines(file, from);
  for (std::string line; lines.Next(line);) {
    if (piece.next > from && lines.end() - from > most_bytes) {
      piece.more = true;  // This line stays for the next piece.
      break;
    }
    piece.next = lines.end();
    Result<Json> event = ParseJson(line);
    if (IsWholeEvent(event))
      piece.events.push_back({lines.end(), event.MoveValueUnsafe()});
    else
      ++piece.skipped;
  }
  if (lines.broken()) return FileFault(file, "read", EIO);
  return piece;
}

Result<std::vector<Json>> ReadEvents(const std::filesystem::path& file) {
  std::vector<Json> events;
  LineReader lines(file, 0);
  std::string line;
  for (bool whole = true; whole;) {
    whole = lines.Next(line);
    Result<Json> event = ParseJson(line);
    if (IsWholeEvent(event)) events.push_back(event.MoveValueUnsafe());
  }
  if (lines.broken()) return FileFault(file, "read", EIO);
  return events;
}

}  // namespace protium
