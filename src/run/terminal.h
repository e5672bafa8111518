// SPDX-License-Identifier: Apache-2.0
// What the place where progress goes can show.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

struct Terminal {
  bool live = false;  // A person watches: a line may be drawn again and again.
  bool color = false;
  bool unicode = false;  // Block characters come out as such.
  int32_t width = 80;    // Columns.

  // Asks the descriptor and the environment: TERM=dumb is not live, NO_COLOR has no color.
  static Terminal Of(int fd);
};

// "32,735"
std::string Grouped(int64_t number);
// "410k", "12.3M", "87"
std::string Short(double number);
// "0.41 s", "12 s", "3 min 20 s", "2 h 5 min"
std::string Seconds(double seconds);
// "about 5 s", "about 2 min": a guess that does not look more exact than it is.
std::string RoughSeconds(double seconds);
// Up to `most` blocks that show how the last numbers went.
std::string Sparkline(const double* values, size_t count, size_t most);
// How many columns UTF-8 text takes, at one a character.
int32_t TextWidth(std::string_view text);
// Cuts UTF-8 text to a number of columns, with "..." where something is missing.
std::string CutToWidth(std::string_view text, int32_t width);

}  // namespace protium
