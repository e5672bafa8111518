// SPDX-License-Identifier: Apache-2.0
// A format specifier of java.util.Formatter, %[index$][flags][width][.precision]conversion, and
// what it writes for a value. The locale is that of the USA.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

struct FormatSpecifier {
  int index = 0;  // From 1; 0 takes the next argument, -1 (%<s) the previous one again.
  std::string flags;
  int width = -1, precision = -1;  // -1: none.
  char conversion = 0;

  bool Has(char flag) const { return flags.find(flag) != std::string::npos; }
  // The conversion as a lower-case letter.
  char kind() const {
    return static_cast<char>(conversion >= 'A' && conversion <= 'Z' ? conversion | 0x20
                                                                    : conversion);
  }
};

// Reads a specifier from `at`, behind its %, and moves `at` past it. False if Java accepts no
// specifier there or rejects its combination of flags.
bool ReadSpecifier(std::string_view format, size_t& at, FormatSpecifier& specifier);

// Each appends what the specifier writes for a value of its kind: s for a text; d, x and o for a
// whole number of `bits` bits; e, f and g for a double.
void WriteFormatted(const FormatSpecifier& specifier, std::string_view text, std::string& out);
void WriteFormatted(const FormatSpecifier& specifier, int64_t value, int bits, std::string& out);
void WriteFormatted(const FormatSpecifier& specifier, double value, std::string& out);

}  // namespace protium
