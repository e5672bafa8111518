// SPDX-License-Identifier: Apache-2.0
#include "app/gang/printer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "events/events.h"

namespace protium {

namespace {

std::string Dropped(int64_t bytes) {
  return fmt::format("... ({} bytes were not shown: they were not read in time)\n", bytes);
}

std::string WithPrefix(const std::string& prefix, const std::string& lines) {
  std::string text;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    text.append(prefix).append(lines, at, end - at);
    at = end;
  }
  return text;
}

// If the other end is closed, nobody wants the rest.
void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    text.remove_prefix(size_t(std::max<ssize_t>(written, 0)));
  }
}

}  // namespace

RankPrinter::RankPrinter(int out, int err) : out_(out), err_(err), thread_([this] { Print(); }) {}

RankPrinter::~RankPrinter() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (dropped_ > 0) pieces_.push_back({err_, Dropped(dropped_)});
  }
  changed_.notify_all();
  thread_.join();
}

void RankPrinter::On(const Printed& event) {
  const int fd = event.stream == 2 ? err_ : out_;
  std::string text = WithPrefix(fmt::format("[{}] ", event.rank), event.text);
  std::unique_lock lock(mutex_);
  const auto room = [&] { return bytes_ == 0 || bytes_ + text.size() <= kMostBytes; };
  // After dropping something it does not wait again until there is room: it must keep reading the
  // ranks' output.
  if (!changed_.wait_for(lock, dropped_ > 0 ? std::chrono::seconds(0) : kPatience, room)) {
    dropped_ += int64_t(text.size());
    return;
  }
  if (dropped_ > 0) {
    text = Dropped(dropped_) + text;
    dropped_ = 0;
  }
  bytes_ += text.size();
  pieces_.push_back({fd, std::move(text)});
  changed_.notify_all();
}

void RankPrinter::Print() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !pieces_.empty(); });
    if (pieces_.empty()) return;
    const Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    lock.unlock();
    WriteAll(piece.fd, piece.text);
    lock.lock();
    bytes_ -= std::min(bytes_, piece.text.size());
    changed_.notify_all();
  }
}

}  // namespace protium
