// SPDX-License-Identifier: Apache-2.0
#include "terminal/screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <thread>

#include "run/printable.h"
#include "run/terminal.h"
#include "terminal/printing.h"

namespace protium {

Status Screen::Show(const std::string& text) {
  const Terminal terminal = Terminal::Of(STDOUT_FILENO);
  if (!terminal.live) return PrintResult(text);
  std::istringstream lines(text);
  // Moves up to the start of the last text and erases everything below.
  std::string shown = lines_ > 0 ? fmt::format("\x1b[{}A\r\x1b[J", lines_) : "";
  lines_ = 0;
  for (std::string line; std::getline(lines, line); ++lines_) {
    shown += CutToWidth(Printable(line), terminal.width) + "\n";
  }
  std::fwrite(shown.data(), 1, shown.size(), stdout);
  std::fflush(stdout);
  return Status::OK();
}

void Screen::Wait(std::chrono::milliseconds time) const { std::this_thread::sleep_for(time); }

}  // namespace protium
