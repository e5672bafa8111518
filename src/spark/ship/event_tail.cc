// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/event_tail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/fault.h"
#include "os/fd.h"
#include "os/file.h"

namespace protium {
namespace {

// Read of one file at a time.
constexpr size_t kPieceBytes = 4 << 20;
// The longest line that is believed. States of ranking metrics take about 4 bytes a scored row.
constexpr size_t kMostLineBytes = size_t{1} << 30;

struct Name {
  int32_t partition = 0;
  int64_t task_attempt = 0;
};

std::optional<Name> ReadName(const std::string& name) {
  if (!name.ends_with(".jsonl")) return std::nullopt;
  const char* const end = name.data() + name.size() - 6;
  Name read;
  const auto first = std::from_chars(name.data(), end, read.partition);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, read.task_attempt);
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  return read;
}

// What stands in the file from `begin` on: a piece of it, or more where that holds no whole line.
Result<std::string> ReadWholeLine(int fd, const std::filesystem::path& path, int64_t begin) {
  std::string text;
  for (size_t size = kPieceBytes;; size *= 2) {
    const size_t had = text.size();
    text.resize(size);
    const ssize_t got = ::pread(fd, text.data() + had, size - had, begin + int64_t(had));
    if (got < 0) return SystemFault("read " + path.string(), errno);
    text.resize(had + size_t(got));
    if (text.size() < size || text.find('\n', had) != std::string::npos) return text;
    if (size < kMostLineBytes) continue;
    return Fail({.exit = Exit::kFailed,
                 .what = "a task's event is longer than 1 GiB",
                 .where = path.string()});
  }
}

}  // namespace

std::string EventFileName(int32_t partition, int64_t task_attempt) {
  return fmt::format("{:03}-{}.jsonl", partition, task_attempt);
}

Result<std::vector<TailedEvent>> EventTail::Read() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (const auto read = ReadName(name)) {
      files_.try_emplace(name, File{read->partition, read->task_attempt, 0});
    }
  }
  if (error) return SystemFault("read the folder " + folder_.string(), error.value());
  std::vector<TailedEvent> events;
  for (auto& [name, file] : files_) PT_TRY(ReadFile(folder_ / name, file, events));
  return events;
}

Status EventTail::ReadFile(const std::filesystem::path& path, File& file,
                           std::vector<TailedEvent>& out) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return SystemFault("read " + path.string(), errno);
  PT_LET(const std::string text, ReadWholeLine(fd.get(), path, file.read));
  // A line that its task is still writing has no end yet, and is left for the next time.
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    auto event = ParseJson(std::string_view(text).substr(begin, end - begin));
    if (event.ok() && event->is_object()) {
      out.push_back({file.partition, file.task_attempt, *std::move(event)});
    }
  }
  file.read += int64_t(begin);
  return Status::OK();
}

Status EventTail::ShowLife() {
  const std::string text = std::to_string(++signs_) + "\n";
  const UniqueFd fd(::open((folder_ / kDriverFile).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  const bool written = fd && ::pwrite(fd.get(), text.data(), text.size(), 0) >= 0;
  return written ? Status::OK() : SystemFault("write to " + folder_.string(), errno);
}

Status EventTail::AskToStop() const { return WriteFile(folder_ / kStopFile, "stop\n"); }

}  // namespace protium
