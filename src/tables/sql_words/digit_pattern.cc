// SPDX-License-Identifier: Apache-2.0
#include "sql_words/digit_pattern.h"

#include <algorithm>

#include "base/text.h"

namespace protium {
namespace {

using Kind = DigitPart::Kind;

constexpr int kMostDigits = 38;

// The rank of a part in the order that Spark requires; commas and digits share one.
int Rank(Kind kind, bool behind_digits) {
  switch (kind) {
    case Kind::kOpen:
      return 0;
    case Kind::kSign:
    case Kind::kMinus:
      return behind_digits ? 6 : 1;
    case Kind::kDollar:
      return 2;
    case Kind::kPoint:
      return 4;
    case Kind::kClose:
      return 6;
    default:
      return 3;
  }
}

struct Mark {
  std::string_view text;
  Kind kind;
};
constexpr Mark kMarks[] = {{",", Kind::kComma},  {"G", Kind::kComma},  {".", Kind::kPoint},
                           {"D", Kind::kPoint},  {"$", Kind::kDollar}, {"S", Kind::kSign},
                           {"MI", Kind::kMinus}, {"PR", Kind::kClose}};

// Takes one part off the front.
std::optional<DigitPart> TakePart(std::string_view& rest, bool behind_point) {
  const size_t run = std::min(rest.find_first_not_of("09"), rest.size());
  if (run > 0) {
    const DigitPart digits{Kind::kDigits, static_cast<int>(run), rest[0] == '0' && !behind_point};
    rest.remove_prefix(run);
    return digits;
  }
  for (const Mark& mark : kMarks) {
    if (!rest.starts_with(mark.text)) continue;
    rest.remove_prefix(mark.text.size());
    return DigitPart{mark.kind};
  }
  return std::nullopt;
}

// Digits on both sides of each comma, and every part once and in its position.
bool IsInOrder(const std::vector<DigitPart>& parts) {
  bool digits = false;
  int last = -1;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Kind kind = parts[i].kind;
    const auto is_digits = [&](size_t at) {
      return at < parts.size() && parts[at].kind == Kind::kDigits;
    };
    if (kind == Kind::kComma && (i == 0 || !is_digits(i - 1) || !is_digits(i + 1))) return false;
    int rank = Rank(kind, digits);
    if (rank == 3 && last >= 4) rank = 5;
    // Only digits and the commas between them may repeat.
    if (rank < last || (rank == last && rank != 3)) return false;
    last = rank;
    digits = digits || kind == Kind::kDigits;
  }
  return true;
}

}  // namespace

std::optional<DigitPattern> ReadDigitPattern(std::string_view pattern) {
  const std::string capitals = Upper(pattern);
  std::string_view rest = capitals;
  DigitPattern read;
  bool behind_point = false;
  while (!rest.empty()) {
    const auto part = TakePart(rest, behind_point);
    if (!part) return std::nullopt;
    if (part->kind == Kind::kDigits) (behind_point ? read.fraction : read.whole) += part->digits;
    behind_point = behind_point || part->kind == Kind::kPoint;
    if (part->kind == Kind::kClose) read.parts.insert(read.parts.begin(), {Kind::kOpen});
    read.parts.push_back(*part);
  }
  const int digits = read.whole + read.fraction;
  const bool fits = digits > 0 && digits <= kMostDigits;
  return fits && IsInOrder(read.parts) ? std::optional(read) : std::nullopt;
}

}  // namespace protium
