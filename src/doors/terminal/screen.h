// SPDX-License-Identifier: Apache-2.0
// Text on stdout that replaces the previous text, as --watch shows it. If stdout is not a terminal,
// texts follow each other.
#pragma once

#include <chrono>
#include <string>

#include "base/status.h"

namespace protium {

class Screen {
 public:
  // Shows lines, made safe and cut to the terminal's width.
  Status Show(const std::string& text);

  // Waits until the next update. Ctrl-C ends the process meanwhile: there is nothing to save.
  void Wait(std::chrono::milliseconds time) const;

 private:
  int lines_ = 0;  // Lines on the screen from the last time.
};

}  // namespace protium
