// SPDX-License-Identifier: Apache-2.0
// What the terminal behind a descriptor can show, and numbers and durations in readable form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

struct Terminal {
  bool live = false;     // A person watches: a line may be redrawn in place.
  bool color = false;    // Escapes for colors are understood.
  bool quiet = false;    // Print only what needs a person's attention.
  bool unicode = false;  // Block characters are displayed as such.
  int32_t width = 80;    // Columns.

  // Reads the descriptor and the environment: TERM unset or "dumb" is not live, NO_COLOR
  // (no-color.org) turns colors off and CLICOLOR_FORCE on, LC_ALL, LC_CTYPE or LANG decide on
  // UTF-8, PROTIUM_QUIET on silence. The command's flags --color and --quiet set these.
  static Terminal Of(int fd);
};

// "32,735"
std::string Grouped(int64_t number);
// Writes a figure with this many significant digits; one with more before its point becomes a whole
// number: "40.16", "60,770".
std::string Figure(double value, int digits);
// "410k", "12.3M", "87"
std::string Short(double number);
// "0.41 s", "12 s", "3 min 20 s", "2 h 5 min"
std::string Seconds(double seconds);
// "about 5 s", "about 2 min": a rounded-up estimate that does not look more precise than it is.
std::string RoughSeconds(double seconds);
// The last `most` numbers as block characters, scaled from their least to their greatest.
std::string Sparkline(const double* values, size_t count, size_t most);
// The columns that UTF-8 text takes, counting one per code point: wide characters are undercounted.
int32_t TextWidth(std::string_view text);
// Cuts UTF-8 text to `width` columns, "..." included, between code points.
std::string CutToWidth(std::string_view text, int32_t width);

}  // namespace protium
