// SPDX-License-Identifier: Apache-2.0
#include "run/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace protium {

namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// POSIX: LC_ALL overrides LC_CTYPE, which overrides LANG; the first that is set decides.
bool SpeaksUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = Environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos ||
           value.find("utf-8") != value.npos;
  }
  return false;
}

// Terminals under test or over serial lines report a width of 0; below 20 columns nothing fits.
int32_t FindWidth(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  const std::string_view columns = Environment("COLUMNS");
  int32_t width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  return width >= 20 && width <= 1000 ? width : 80;
}

bool StartsACharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

Terminal Terminal::Of(int fd) {
  Terminal terminal;
  const std::string_view kind = Environment("TERM");
  terminal.live = isatty(fd) == 1 && !kind.empty() && kind != "dumb";
  const bool forced = !Environment("CLICOLOR_FORCE").empty();
  terminal.color = (terminal.live || forced) && Environment("NO_COLOR").empty();
  terminal.quiet = !Environment("PROTIUM_QUIET").empty();
  terminal.unicode = SpeaksUtf8();
  terminal.width = FindWidth(fd);
  return terminal;
}

std::string Grouped(int64_t number) {
  std::string text = std::to_string(number);
  const std::ptrdiff_t first = number < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > first; at -= 3) {
    text.insert(static_cast<size_t>(at), ",");
  }
  return text;
}

std::string Figure(double value, int digits) {
  const double size = std::fabs(value);
  constexpr double kMost = 1e15;  // Doubles have no more whole digits.
  const bool whole = size >= std::pow(10, digits) - 0.5 && size < kMost;
  return whole ? Grouped(std::llround(value)) : fmt::format("{:.{}g}", value, digits);
}

// Bounds such as 9.95e3 are where the shorter form would round up to one more digit ("10.0k").
std::string Short(double number) {
  if (!std::isfinite(number)) return "?";
  if (number >= 9.95e9) return fmt::format("{:.0f}G", number / 1e9);
  if (number >= 9.95e6) return fmt::format("{:.0f}M", number / 1e6);
  if (number >= 9.995e5) return fmt::format("{:.1f}M", number / 1e6);
  if (number >= 9.95e3) return fmt::format("{:.0f}k", number / 1e3);
  if (number >= 1e3) return fmt::format("{:.1f}k", number / 1e3);
  return fmt::format("{:.0f}", number);
}

std::string Seconds(double seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 9.95) return fmt::format("{:.{}f} s", seconds, seconds < 0.995 ? 2 : 1);
  if (seconds < 119.5) return fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<int64_t>(std::lround(seconds));
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string RoughSeconds(double seconds) {
  if (!(seconds >= 0) || seconds > 1e7) return "?";
  for (const int step : {1, 2, 5, 10, 15, 20, 30, 45, 60}) {
    if (seconds <= step) return fmt::format("about {} s", step);
  }
  const double minutes = std::ceil(seconds / 60);
  if (minutes < 90) return fmt::format("about {:.0f} min", minutes);
  return fmt::format("about {:.0f} h", std::ceil(minutes / 60));
}

std::string Sparkline(const double* values, size_t count, size_t most) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t first = count > most ? count - most : 0;
  if (count - first < 2) return {};
  const auto [low, high] = std::minmax_element(values + first, values + count);
  const double span = *high - *low;
  std::string line;
  for (size_t i = first; i < count; ++i) {
    const double share = span > 0 ? (values[i] - *low) / span : 0;
    line += kBlocks[std::clamp<int>(static_cast<int>(std::lround(share * 7)), 0, 7)];
  }
  return line;
}

int32_t TextWidth(std::string_view text) {
  return static_cast<int32_t>(std::count_if(text.begin(), text.end(), StartsACharacter));
}

std::string CutToWidth(std::string_view text, int32_t width) {
  if (TextWidth(text) <= width) return std::string(text);
  std::string cut;
  int32_t used = 0;
  for (const char byte : text) {
    if (StartsACharacter(byte) && ++used > std::max(0, width - 3)) break;
    cut.push_back(byte);
  }
  return cut + "...";
}

}  // namespace protium
