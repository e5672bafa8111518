// SPDX-License-Identifier: Apache-2.0
// Text on stdout that takes the place of the text before, as --watch shows it. Where stdout is no
// terminal, texts follow each other.
#pragma once

#include <chrono>
#include <string>

#include "base/status.h"

namespace protium {

class Screen {
 public:
  // Shows lines, made safe and cut to the terminal's width.
  Status Show(const std::string& text);

  // Until the next look. Ctrl-C ends the process meanwhile: there is nothing to keep.
  void Wait(std::chrono::milliseconds time) const;

 private:
  int lines_ = 0;  // That stand there from the last time.
};

}  // namespace protium
