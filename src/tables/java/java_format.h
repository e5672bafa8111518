// SPDX-License-Identifier: Apache-2.0
// A format specifier of java.util.Formatter, %[index$][flags][width][.precision]conversion, and
// what it writes of a value. Locale is that of the USA.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

struct FormatSpecifier {
  int index = 0;  // From 1; 0 takes the next argument, -1 (%<s) the last one again.
  std::string flags;
  int width = -1, precision = -1;  // -1: none.
  char conversion = 0;

  bool Has(char flag) const { return flags.find(flag) != std::string::npos; }
  // The conversion as a small letter.
  char kind() const {
    return static_cast<char>(conversion >= 'A' && conversion <= 'Z' ? conversion | 0x20
                                                                    : conversion);
  }
};

// Reads a specifier behind its % at `at` and moves behind it. False if Java reads none there, or
// one whose flags do not go together.
bool ReadSpecifier(std::string_view format, size_t& at, FormatSpecifier& specifier);

// Each appends what the specifier writes of a value of its kind: s of a text, d, x and o of a whole
// number of `bits`, e, f and g of a double.
void WriteFormatted(const FormatSpecifier& specifier, std::string_view text, std::string& out);
void WriteFormatted(const FormatSpecifier& specifier, int64_t value, int bits, std::string& out);
void WriteFormatted(const FormatSpecifier& specifier, double value, std::string& out);

}  // namespace protium
