// SPDX-License-Identifier: Apache-2.0
#include "gang/program_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "run/printable.h"

namespace protium {

namespace {

constexpr size_t kMostTailLines = 12;
constexpr size_t kMostTailBytes = 1000;

}  // namespace

void LineCutter::Add(std::string_view bytes, std::string& lines) {
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (end > 0) Take(bytes.substr(0, end));
    if (end == bytes.size()) return;
    if (bytes[end] == '\n') {
      End(lines);
    } else {
      return_ = begun_ = true;
    }
    bytes.remove_prefix(end + 1);
  }
}

void LineCutter::Take(std::string_view bytes) {
  if (return_) {
    line_.clear();
    cut_ = 0;
    return_ = false;
  }
  begun_ = true;
  const size_t kept = std::min(bytes.size(), kLongestLine - line_.size());
  line_ += bytes.substr(0, kept);
  cut_ += int64_t(bytes.size() - kept);
}

void LineCutter::End(std::string& lines) {
  lines += Printable(line_);
  if (cut_ > 0) lines += fmt::format("... ({} bytes more)", cut_);
  lines += '\n';
  line_.clear();
  cut_ = 0;
  begun_ = return_ = false;
}

void LineCutter::Finish(std::string& lines) {
  if (begun_) End(lines);
}

void LastLines::Add(std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    lines_.emplace_back(lines.substr(0, std::min(end, kMostTailBytes)));
    if (lines_.size() > kMostTailLines) lines_.pop_front();
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

std::string LastLines::text() const {
  std::string text;
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    if (!text.empty() && text.size() + line->size() > kMostTailBytes) break;
    text = "\n  " + *line + text;
  }
  return text;
}

Result<PrintedPipe> PrintedPipe::Make(UniqueFd& writer) {
  PT_LET(Pipe ends, Pipe::Make());
  PrintedPipe pipe;
  pipe.fd_ = std::move(ends.read);
  writer = std::move(ends.write);
  // Only our end: the program's own must wait, as programs expect.
  ::fcntl(pipe.fd_.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

std::string PrintedPipe::Read(bool last) {
  std::string lines;
  std::array<char, 64 << 10> block;
  const ssize_t got = ::read(fd_.get(), block.data(), block.size());
  if (got > 0) {
    cutter_.Add({block.data(), size_t(got)}, lines);
    return lines;
  }
  if (got < 0 && errno == EINTR) return lines;
  if (got == 0 || last || errno != EAGAIN) {
    cutter_.Finish(lines);
    fd_.reset();
  }
  return lines;
}

}  // namespace protium
