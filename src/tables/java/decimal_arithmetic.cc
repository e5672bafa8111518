// SPDX-License-Identifier: Apache-2.0
#include "java/decimal_arithmetic.h"

#include <algorithm>
#include <array>
#include <compare>
#include <utility>

namespace protium {
namespace {

using Whole = unsigned __int128;

constexpr int kMostDigits = 38;
// Spark's Decimal.MAX_SCALE + 1, the scale to which it rounds a quotient before rounding to the
// result's scale.
constexpr int kQuotientScale = 39;

// An unsigned number of up to 384 bits, in 32-bit limbs, lowest first. That holds the dividend of
// any quotient: 38 digits of its own, 38 of the divisor's scale and 39 after the point are 115
// digits, 383 bits. Anything wider does not occur.
class Wide {
 public:
  Wide() = default;
  // The low four limbs; the others are 0.
  explicit Wide(Whole value) {
    for (size_t i = 0; i < 4; ++i) limbs_[i] = static_cast<uint32_t>(value >> (32 * i));
  }

  bool IsNarrow() const {
    return std::all_of(limbs_.begin() + 4, limbs_.end(), [](uint32_t limb) { return limb == 0; });
  }

  Whole Low() const {
    Whole value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 32 | limbs_[i];
    return value;
  }

  std::strong_ordering operator<=>(const Wide& other) const {
    return std::lexicographical_compare_three_way(limbs_.rbegin(), limbs_.rend(),
                                                  other.limbs_.rbegin(), other.limbs_.rend());
  }
  bool operator==(const Wide&) const = default;

  Wide operator+(const Wide& other) const {
    Wide sum;
    uint64_t carry = 0;
    for (size_t i = 0; i < limbs_.size(); ++i) {
      carry += uint64_t{limbs_[i]} + other.limbs_[i];
      sum.limbs_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }

  // `other` must not be larger.
  Wide operator-(const Wide& other) const {
    Wide difference;
    int64_t borrow = 0;
    for (size_t i = 0; i < limbs_.size(); ++i) {
      borrow += int64_t{limbs_[i]} - other.limbs_[i];
      difference.limbs_[i] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
    }
    return difference;
  }

  Wide operator*(const Wide& other) const {
    Wide product;
    for (size_t i = 0; i < limbs_.size(); ++i) {
      uint64_t carry = 0;
      for (size_t j = 0; limbs_[i] != 0 && i + j < limbs_.size(); ++j) {
        carry += uint64_t{limbs_[i]} * other.limbs_[j] + product.limbs_[i + j];
        product.limbs_[i + j] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
    }
    return product;
  }

  bool Bit(int at) const { return (limbs_[at / 32] >> (at % 32) & 1) != 0; }
  void SetBit(int at) { limbs_[at / 32] |= uint32_t{1} << (at % 32); }

  // Returns the quotient; `rest` becomes the remainder. Schoolbook division, a bit at a time
  // (Knuth, "The Art of Computer Programming" 4.3.1, in base 2): `rest` is always below `b`, so
  // doubling it and bringing down a bit needs at most one subtraction. Numbers of up to 128 bits,
  // which are nearly all, take a shortcut.
  static Wide Divide(const Wide& a, const Wide& b, Wide& rest) {
    if (a.IsNarrow() && b.IsNarrow()) {
      rest = Wide(a.Low() % b.Low());
      return Wide(a.Low() / b.Low());
    }
    Wide quotient;
    rest = Wide();
    for (int at = 32 * static_cast<int>(a.limbs_.size()); at-- > 0;) {
      rest = rest + rest;
      if (a.Bit(at)) rest.limbs_[0] |= 1;
      if (rest < b) continue;
      rest = rest - b;
      quotient.SetBit(at);
    }
    return quotient;
  }

 private:
  std::array<uint32_t, 12> limbs_{};
};

// Sign and magnitude, as Wide is unsigned.
struct Signed {
  bool negative = false;
  Wide size;

  bool IsZero() const { return size == Wide(); }
};

Signed ToSigned(__int128 value) {
  return {value < 0, Wide(value < 0 ? -static_cast<Whole>(value) : static_cast<Whole>(value))};
}

Wide PowerOfTen(int exponent) {
  Wide power(1);
  for (; exponent >= 19; exponent -= 19) power = power * Wide(Whole{10'000'000'000'000'000'000U});
  uint64_t rest = 1;
  for (; exponent > 0; --exponent) rest *= 10;
  return power * Wide(rest);
}

// Whether a quotient with remainder `rest` of `unit` rounds away from zero; `odd` is the parity of
// its last digit. Floor and ceiling depend on the sign, since magnitudes are rounded here.
bool RoundsUp(char rounding, bool negative, const Wide& rest, const Wide& unit, bool odd) {
  if (rest == Wide()) return false;
  if (rounding == 't') return false;
  if (rounding == 'f') return negative;
  if (rounding == 'c') return !negative;
  // Comparing twice the rest with the unit compares exactly with one half.
  const auto half = rest + rest <=> unit;
  return half > 0 || (half == 0 && (rounding == 'r' || odd));
}

// a / b, rounded to a whole number; `rounding` as in RoundDecimalNumber, or t for truncation.
Signed Quotient(const Signed& a, const Signed& b, char rounding) {
  Wide rest;
  Wide size = Wide::Divide(a.size, b.size, rest);
  const bool negative = a.negative != b.negative;
  if (RoundsUp(rounding, negative, rest, b.size, size.Bit(0))) size = size + Wide(1);
  return {negative, size};
}

// `a` with its point moved from `from` to `to` digits after it.
Signed Scaled(const Signed& a, int from, int to, char rounding = 'r') {
  if (to >= from) return {a.negative, a.size * PowerOfTen(to - from)};
  return Quotient(a, {false, PowerOfTen(from - to)}, rounding);
}

Signed Sum(const Signed& a, const Signed& b) {
  if (a.negative == b.negative) return {a.negative, a.size + b.size};
  if (a.size < b.size) return {b.negative, b.size - a.size};
  return {a.negative, a.size - b.size};
}

DecimalAnswer Answer(const Signed& number) {
  if (!(number.size < PowerOfTen(kMostDigits))) return {0, DecimalFault::kOverflow};
  const auto value = static_cast<__int128>(number.size.Low());
  return {number.negative ? -value : value};
}

// BigDecimal.longValue(): the low 64 bits, without an overflow error.
DecimalAnswer LowestBits(DecimalAnswer answer) {
  answer.value = static_cast<int64_t>(answer.value);
  return answer;
}

// The sign is the dividend's, as in Java; with `positive`, pmod: (a % b + b) % b for a negative
// one.
Signed Remainder(const Signed& a, const Signed& b, bool positive) {
  Signed rest{a.negative, {}};
  Wide::Divide(a.size, b.size, rest.size);
  if (!positive || !rest.negative || rest.IsZero()) return rest;
  return Remainder(Sum(rest, b), b, false);
}

}  // namespace

DecimalAnswer ComputeDecimal(char operation, const DecimalNumber& a, const DecimalNumber& b,
                             int scale) {
  const Signed first = ToSigned(a.value), second = ToSigned(b.value);
  const int common = std::max(a.scale, b.scale);
  if (operation == '*') {
    const Signed product{first.negative != second.negative, first.size * second.size};
    return Answer(Scaled(product, a.scale + b.scale, scale));
  }
  if (operation == '+' || operation == '-') {
    Signed added = second;
    added.negative = added.negative != (operation == '-');
    return Answer(
        Scaled(Sum(Scaled(first, a.scale, common), Scaled(added, b.scale, common)), common, scale));
  }
  if (second.IsZero()) return {0, DecimalFault::kZero};
  if (operation == '/') {
    const Signed dividend{first.negative,
                          first.size * PowerOfTen(kQuotientScale + b.scale - a.scale)};
    // Two roundings, because Spark rounds twice: its results differ from a single rounding in rare
    // last digits.
    return Answer(Scaled(Quotient(dividend, second, 'r'), kQuotientScale, scale));
  }
  const Signed left = Scaled(first, a.scale, common), right = Scaled(second, b.scale, common);
  if (operation == 'd') return LowestBits(Answer(Quotient(left, right, 't')));
  return Answer(Scaled(Remainder(left, right, operation == 'p'), common, scale));
}

DecimalAnswer RoundDecimalNumber(char operation, const DecimalNumber& a, int digits, int scale) {
  // Every decimal is below half of 10^39, and rounds to 0 there.
  if (digits < -kMostDigits) return {};
  const int kept = std::min(digits, a.scale);
  const Signed rounded = Scaled(ToSigned(a.value), a.scale, kept, operation);
  return Answer(Scaled(rounded, kept, scale));
}

}  // namespace protium
