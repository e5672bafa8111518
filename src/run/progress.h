// SPDX-License-Identifier: Apache-2.0
// Shows a run's events to whoever watches: on a terminal one live line, elsewhere a plain line
// every 10 % or 30 s, without escapes.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "run/progress_state.h"
#include "run/terminal.h"

namespace protium {

// Takes text as it is to be shown: what events say is Printable() in it, colors are not.
using TextOut = std::function<void(std::string_view)>;
TextOut ToStderr();

// The display without a clock of its own. One thread.
class ProgressLines {
 public:
  ProgressLines(Terminal terminal, TextOut out);
  void On(const Json& event, Deadline now);
  void Tick(Deadline now);   // Call about ten times a second.
  void Close(Deadline now);  // Ends the display; what is printed next starts on a line of its own.

 private:
  void Print(const std::vector<std::string>& lines);
  void DrawLive(Deadline now);
  void MaybePlain(Deadline now);

  const Terminal terminal_;
  const TextOut out_;
  ProgressState state_;
  std::string drawn_;
  int last_tenth_ = 0;
  Deadline last_line_{};
};

// The display with its clock: events from any thread, redrawn ten times a second.
class ProgressDisplay {
 public:
  ProgressDisplay(Terminal terminal, TextOut out);
  ~ProgressDisplay();
  void On(const Json& event);
  void Close();

 private:
  std::mutex mutex_;
  ProgressLines lines_;
  std::jthread clock_;
};

}  // namespace protium
