// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/event_tail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "base/fault.h"
#include "os/fd.h"
#include "os/file.h"

namespace protium {
namespace {

std::optional<EventWriter> ReadName(const std::string& name) {
  EventWriter read;
  int bytes = 0;
  std::sscanf(name.c_str(), "%d-%ld.jsonl%n", &read.partition, &read.task_attempt, &bytes);
  if (bytes == 0 || size_t(bytes) != name.size()) return std::nullopt;
  return read;
}

}  // namespace

bool Forward(const TailedLine& line, const Call& call) {
  if (line.type() == "saved") {
    call.Saved();
    return true;
  }
  const auto event = line.line.find("event");
  if (line.type() != "event" || event == line.line.end()) return false;
  call.Forward(*event);
  return true;
}

std::string EventFileName(int32_t partition, int64_t task_attempt) {
  return fmt::format("{:03}-{}.jsonl", partition, task_attempt);
}

Result<std::vector<TailedLine>> EventTail::Read() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (const auto writer = ReadName(name)) {
      files_.try_emplace(name, File{*writer, LineTail(entry.path())});
    }
  }
  if (error) return SystemFault("read the folder " + folder_.string(), error.value());
  std::vector<TailedLine> events;
  for (auto& [name, file] : files_) {
    if (file.ended) continue;
    const EventWriter& writer = file.writer;
    PT_LET(std::vector<Json> lines, file.lines.Read());
    for (Json& each : lines) {
      events.push_back({writer.partition, writer.task_attempt, std::move(each)});
    }
    // Some lines may be left, if there were more than one Read() returns.
    file.ended = file.lines.released() && lines.empty();
    if (file.ended) ended_.push_back(writer);
  }
  return events;
}

Status EventTail::ShowLife() {
  const std::string text = std::to_string(++signs_) + "\n";
  const UniqueFd fd(::open((folder_ / kDriverFile).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  const bool written = fd && ::pwrite(fd.get(), text.data(), text.size(), 0) >= 0;
  return written ? Status::OK() : SystemFault("write to " + folder_.string(), errno);
}

std::string WhereFile(int64_t task_attempt) { return fmt::format("where-{}", task_attempt); }

Status EventTail::AskWhere(int64_t task_attempt) {
  return WriteFile(folder_ / WhereFile(task_attempt), std::to_string(++questions_));
}

Status EventTail::AskToStop() const { return WriteFile(folder_ / kStopFile, "stop\n"); }

}  // namespace protium
