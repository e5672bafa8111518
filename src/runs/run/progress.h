// SPDX-License-Identifier: Apache-2.0
// Shows a run's progress on stderr. On a terminal one line is redrawn in place ten times a second;
// elsewhere (a log file, CI) a plain line without escapes is printed at every 10 % and at least
// every 30 s. Lines of lasting interest, such as the end of a phase, are printed once in both
// cases. A quiet terminal gets only warnings and restarts; --verbose adds a line for each step.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "run/progress_state.h"
#include "run/terminal.h"

namespace protium {

// Receives text that is ready to print: Printable() has cleaned what comes from events; the escapes
// for colors and redrawing are ours.
using TextOut = std::function<void(std::string_view)>;
TextOut ToStderr();

// The display without a clock of its own, so that tests can pass the time in. One thread.
class ProgressLines {
 public:
  ProgressLines(Terminal terminal, TextOut out, bool details = false);
  void On(const Json& event, Deadline now);
  void Tick(Deadline now);   // Call about ten times a second.
  void Close(Deadline now);  // Ends the display; what is printed next starts on a line of its own.

 private:
  void Print(const std::vector<std::string>& lines);
  void DrawLive(Deadline now);
  void MaybePlain(Deadline now);

  const Terminal terminal_;
  const bool details_;
  const TextOut out_;
  ProgressState state_;
  std::string drawn_;       // The live line on the terminal; empty: none.
  int last_tenth_ = 0;      // The last tenth of the running phase that was printed as a plain line.
  std::string last_plain_;  // The last plain line printed in place of a redrawn one.
  Deadline last_line_{};    // When a line was last printed; zero before the first event.
};

// The display with its clock: a thread that redraws ten times a second. On() may be called from any
// thread; Close() once, by the owner.
class ProgressDisplay {
 public:
  ProgressDisplay(Terminal terminal, TextOut out);
  ~ProgressDisplay();
  void On(const Json& event);
  void Close();

 private:
  std::mutex mutex_;
  ProgressLines lines_;  // Under mutex_.
  std::jthread clock_;   // Last, so that it has ended before what it uses is destroyed.
};

}  // namespace protium
