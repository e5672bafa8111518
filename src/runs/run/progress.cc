// SPDX-License-Identifier: Apache-2.0
#include "run/progress.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <utility>

#include "run/printable.h"

namespace protium {

namespace {

constexpr auto kQuietest = std::chrono::seconds(30);  // The longest silence without a terminal.
constexpr auto kRedraw = std::chrono::milliseconds(100);

std::string Colored(const std::string& line) {
  const size_t word = line.find(' ');
  if (word == line.npos) return line;
  return "\x1b[36m" + line.substr(0, word) + "\x1b[0m" + line.substr(word);
}

}  // namespace

TextOut ToStderr() {
  return [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
}

ProgressLines::ProgressLines(Terminal terminal, TextOut out, bool details)
    : terminal_(terminal), details_(details), out_(std::move(out)), state_(details) {}

void ProgressLines::On(const Json& event, Deadline now) {
  const std::vector<std::string> lines = state_.On(event, now);
  if (last_line_ == Deadline{} || !lines.empty()) {
    last_line_ = now;
    last_tenth_ = 0;
  }
  Print(lines);
  if (!terminal_.live) MaybePlain(now);
}

void ProgressLines::Tick(Deadline now) {
  if (terminal_.live) {
    DrawLive(now);
  } else {
    MaybePlain(now);
  }
}

void ProgressLines::Close(Deadline now) {
  Print(state_.Finish(now));
  if (!drawn_.empty()) out_("\r\x1b[K");
  drawn_.clear();
}

void ProgressLines::Print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const bool alarm = line.starts_with("warning ") || line.starts_with("restart ");
    if (terminal_.quiet && !alarm) continue;
    std::string text = terminal_.live && !drawn_.empty() ? "\r\x1b[K" : "";
    drawn_.clear();
    const std::string shown = Printable(line);
    text += terminal_.color ? Colored(shown) : shown;
    out_(text + "\n");
  }
}

// Overwrites the line from its start and erases what is left of the old one (ESC [ K); erasing
// first would flicker. Stays one column short of the width: if a terminal wraps at the last column,
// the line could not be redrawn.
void ProgressLines::DrawLive(Deadline now) {
  if (terminal_.quiet) return;
  std::string line = CutToWidth(Printable(state_.Line(now, terminal_.unicode, terminal_.width - 1)),
                                terminal_.width - 1);
  if (line.empty() || line == drawn_) return;
  out_("\r" + (terminal_.color ? Colored(line) : line) + "\x1b[K");
  drawn_ = std::move(line);
}

void ProgressLines::MaybePlain(Deadline now) {
  if (terminal_.quiet) return;
  const std::string line = Printable(state_.Line(now, false));
  if (line.empty() || last_line_ == Deadline{}) return;
  // Details show the progress; this line only interrupts a long silence.
  if (details_ && now - last_line_ < kQuietest) return;
  const int tenth = static_cast<int>(state_.percent().value_or(0) / 10);
  if (tenth <= last_tenth_ && now - last_line_ < kQuietest) return;
  // At 100 % the phase is about to print its summary.
  if (tenth >= 10) return;
  // After a note the line may be unchanged.
  if (line == last_plain_ && now - last_line_ < kQuietest) return;
  last_tenth_ = tenth;
  last_plain_ = line;
  last_line_ = now;
  out_(line + "\n");
}

ProgressDisplay::ProgressDisplay(Terminal terminal, TextOut out)
    : lines_(terminal, std::move(out), WantsDetails()) {
  clock_ = std::jthread([this](const std::stop_token& stop) {
    std::condition_variable_any wake;
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake.wait_for(lock, stop, kRedraw, [] { return false; });
      if (!stop.stop_requested()) lines_.Tick(Clock::now());
    }
  });
}

ProgressDisplay::~ProgressDisplay() { Close(); }

void ProgressDisplay::On(const Json& event) {
  const std::lock_guard lock(mutex_);
  lines_.On(event, Clock::now());
}

void ProgressDisplay::Close() {
  if (!clock_.joinable()) return;
  clock_.request_stop();
  clock_.join();
  lines_.Close(Clock::now());
}

}  // namespace protium
