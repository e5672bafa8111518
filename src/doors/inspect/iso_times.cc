// SPDX-License-Identifier: Apache-2.0
#include "inspect/iso_times.h"

#include "base/text.h"

namespace protium {
namespace {

// Takes exactly `digits` digits from the front, as a number of at most `most`.
bool TakeDigits(std::string_view& text, size_t digits, int most) {
  if (text.size() < digits) return false;
  int number = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (!IsDigit(text[i])) return false;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return number <= most;
}

bool TakeSign(std::string_view& text, std::string_view signs) {
  if (text.empty() || signs.find(text[0]) == signs.npos) return false;
  text.remove_prefix(1);
  return true;
}

bool TakeDate(std::string_view& text) {
  return TakeDigits(text, 4, 9999) && TakeSign(text, "-") && TakeDigits(text, 2, 12) &&
         TakeSign(text, "-") && TakeDigits(text, 2, 31);
}

bool TakeTime(std::string_view& text) {
  if (!TakeDigits(text, 2, 23) || !TakeSign(text, ":") || !TakeDigits(text, 2, 59)) return false;
  if (!TakeSign(text, ":")) return true;
  if (!TakeDigits(text, 2, 59)) return false;
  if (!TakeSign(text, ".")) return true;
  size_t digits = 0;
  for (; digits < 9 && TakeDigits(text, 1, 9); ++digits) {
  }
  return digits > 0;
}

// Nothing, "Z", "+02:00".
bool TakeOffset(std::string_view& text) {
  if (text.empty() || TakeSign(text, "Z")) return true;
  return TakeSign(text, "+-") && TakeDigits(text, 2, 18) && TakeSign(text, ":") &&
         TakeDigits(text, 2, 59);
}

}  // namespace

bool IsIsoTime(std::string_view text) {
  return TakeDate(text) && TakeSign(text, "T ") && TakeTime(text) && TakeOffset(text) &&
         text.empty();
}

}  // namespace protium
