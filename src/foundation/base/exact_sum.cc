// SPDX-License-Identifier: Apache-2.0
#include "base/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

using Wide = unsigned __int128;
constexpr int64_t kDigitMask = 0xffffffff;
// An addition adds less than 2^32 to a digit, so 2^30 of them, on a digit below 2^32, stay below
// 2^63: no carry is lost.
constexpr int64_t kMaxPending = int64_t{1} << 30;

// x = mantissa * 2^exponent, with a separate sign. x is finite.
//
// IEEE 754: a double is a sign, 11 bits of exponent (biased by 1023) and 52 bits of fraction, so
// that x = 1.fraction * 2^(biased - 1023) = (2^52 + fraction) * 2^(biased - 1075). If `biased` is
// 0, the leading one is missing and the exponent is that of 1.
struct Parts {
  uint64_t mantissa;
  int exponent;
  bool negative;
};

Parts Split(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  const int biased = int(bits >> 52) & 0x7ff;
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const uint64_t leading = uint64_t{biased != 0} << 52;
  return {fraction | leading, std::max(biased, 1) - 1075, bits >> 63 != 0};
}

Status Damaged(const Json& json) {
  return Fail({.exit = Exit::kInput, .what = "damaged exact sum " + Dump(json).substr(0, 80)});
}

}  // namespace

// A right shift rounds down, also below zero (C++20), and the mask yields the remainder: d = 2^32
// (d >> 32) + (d & mask) for any sign, so the value does not change. The digits become those of the
// two's complement, whose sign moves up into the last digit.
void ExactSum::Carry(Digits& digits) {
  for (int i = 0; i + 1 < kDigits; ++i) {
    digits[i + 1] += digits[i] >> 32;
    digits[i] &= kDigitMask;
  }
}

// Adds a term of a magnitude below 2^126 as the 32-bit digits of its two's complement, of which
// only the last has a sign. The number of digits is fixed, so that no branch depends on the term.
//
// With t = term and s = shift < 32: the lowest digit is (t 2^s) mod 2^32, and rest = floor(t 2^s /
// 2^32), because an arithmetic shift rounds down. The same step takes three more digits off `rest`,
// and what is left, below 2^30 in size, retains the sign. So the five digits add up to t 2^s
// exactly. Products have 106 bits and scaled digits 85, both below 126. The highest of the 140
// digits that a product touches is number 132: 2^(2 * 971) begins in 128, and four more follow; a
// scaled sum of doubles touches number 135.
void ExactSum::AddBits(Wide magnitude, int exponent, bool negative) {
  const int position = exponent - kLowest;
  const int shift = position % 32;
  int64_t* const digit = digits_.data() + position / 32;
  // If all bits are set, ^ and - negate a number; if none is, they leave it unchanged.
  const __int128 sign = -__int128(negative);
  const __int128 term = (__int128(magnitude) ^ sign) - sign;
  const __int128 rest = term >> (32 - shift);
  digit[0] += uint32_t(uint64_t(term) << shift);
  digit[1] += uint32_t(rest);
  digit[2] += uint32_t(rest >> 32);
  digit[3] += uint32_t(rest >> 64);
  digit[4] += int64_t(rest >> 96);
  if (++pending_ < kMaxPending) return;
  Carry(digits_);
  pending_ = 0;
}

void ExactSum::CountSpecial(double x) {
  if (std::isnan(x)) {
    ++nan_;
  } else {
    ++(x > 0 ? infinite_ : minus_infinite_);
  }
}

void ExactSum::Add(double x) {
  if (!std::isfinite(x)) return CountSpecial(x);
  const Parts parts = Split(x);
  const int position = parts.exponent - kLowest;
  int64_t* const digit = digits_.data() + position / 32;
  const int64_t sign = -int64_t(parts.negative);
  // A mantissa has 53 bits, so the shifted term has at most 84 and fits into three digits; as in
  // AddBits(), but with a single shift.
  const __int128 term = __int128((int64_t(parts.mantissa) ^ sign) - sign) << (position % 32);
  digit[0] += uint32_t(term);
  digit[1] += uint32_t(term >> 32);
  digit[2] += int64_t(term >> 64);
  if (++pending_ < kMaxPending) return;
  Carry(digits_);
  pending_ = 0;
}

void ExactSum::AddProduct(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return CountSpecial(a * b);
  const Parts x = Split(a), y = Split(b);
  AddBits(Wide(x.mantissa) * y.mantissa, x.exponent + y.exponent, x.negative != y.negative);
}

// After Carry() digits are below 2^32, so adding them counts as one addition.
void ExactSum::Merge(const ExactSum& other) {
  Digits theirs = other.digits_;
  Carry(theirs);
  Carry(digits_);
  for (int i = 0; i < kDigits; ++i) digits_[i] += theirs[i];
  pending_ = 1;
  nan_ += other.nan_;
  infinite_ += other.infinite_;
  minus_infinite_ += other.minus_infinite_;
}

void ExactSum::AddScaled(const ExactSum& other, double factor) {
  bool negative = false;
  const Digits theirs = other.Magnitude(negative);
  const Parts parts = Split(factor);
  for (int i = 0; i < kDigits; ++i) {
    if (theirs[i] == 0 || parts.mantissa == 0) continue;
    const int exponent = parts.exponent + kLowest + 32 * i;
    Wide product = Wide(uint64_t(theirs[i])) * parts.mantissa;
    // Below the lowest digit there can only be zeros: see what the header requires of `other`.
    const int below = exponent < kLowest ? kLowest - exponent : 0;
    if ((exponent + below - kLowest) / 32 + 5 > kDigits) {  // Far beyond the largest double.
      CountSpecial(negative != parts.negative ? -HUGE_VAL : HUGE_VAL);
      continue;
    }
    AddBits(product >> below, exponent + below, negative != parts.negative);
  }
  const double limit = std::numeric_limits<double>::infinity();
  nan_ += other.nan_;
  if (other.infinite_ > 0) CountSpecial(limit * factor);
  if (other.minus_infinite_ > 0) CountSpecial(-limit * factor);
}

ExactSum::Digits ExactSum::Magnitude(bool& negative) const {
  Digits digits = digits_;
  Carry(digits);
  negative = digits.back() < 0;
  if (!negative) return digits;
  for (int64_t& digit : digits) digit = -digit;
  Carry(digits);
  return digits;
}

bool ExactSum::IsZero() const {
  bool negative = false;
  const Digits digits = Magnitude(negative);
  for (const int64_t digit : digits) {
    if (digit != 0) return false;
  }
  return nan_ + infinite_ + minus_infinite_ == 0;
}

double ExactSum::Rounded() const {
  const double infinity = std::numeric_limits<double>::infinity();
  if (nan_ > 0 || (infinite_ > 0 && minus_infinite_ > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (infinite_ > 0) return infinity;
  if (minus_infinite_ > 0) return -infinity;
  bool negative = false;
  const Digits digits = Magnitude(negative);
  int top = kDigits - 1;
  while (top >= 0 && digits[top] == 0) --top;
  if (top < 0) return 0;
  const int high = 32 * top + std::bit_width(uint64_t(digits[top])) - 1;
  // A double has 53 bits, and none below 2^-1074.
  const int last = std::max(high - 52, -1074 - kLowest);
  const auto bit = [&](int i) { return i < 32 * kDigits && (digits[i / 32] >> (i % 32) & 1) != 0; };
  uint64_t kept = 0;
  for (int i = high; i >= last; --i) kept = kept << 1 | uint64_t(bit(i));
  // Bit last - 1 is half a unit of the last bit retained, `rest` is whether any bit below it is
  // set: rounds up if that is more than a half, or exactly a half and the retained number is odd.
  bool rest = (digits[(last - 1) / 32] & ((int64_t{1} << ((last - 1) % 32)) - 1)) != 0;
  for (int i = 0; i < (last - 1) / 32; ++i) rest = rest || digits[i] != 0;
  // This may carry into 2^53, which is a double as well.
  if (bit(last - 1) && (rest || (kept & 1) != 0)) ++kept;
  const double magnitude = std::ldexp(double(kept), last + kLowest);
  return negative ? -magnitude : magnitude;
}

Json ExactSum::ToJson() const {
  // Omits zeros on either side, so that equal sums give equal texts.
  bool negative = false;
  const Digits digits = Magnitude(negative);
  int low = 0, top = kDigits - 1;
  while (low < kDigits && digits[low] == 0) ++low;
  while (top > low && digits[top] == 0) --top;
  Json json = Json::object();
  if (low < kDigits) {
    std::string text = negative ? "-" : "";
    char digit[24];
    for (int i = top; i >= low; --i) {
      std::snprintf(digit, sizeof digit, i == top ? "%llx" : "%08llx",
                    static_cast<unsigned long long>(digits[i]));
      text += digit;
    }
    json["digits"] = text;
    json["scale"] = kLowest + 32 * low;
  }
  if (nan_ > 0) json["nan"] = nan_;
  if (infinite_ > 0) json["infinity"] = infinite_;
  if (minus_infinite_ > 0) json["minus_infinity"] = minus_infinite_;
  return json;
}

Status ExactSum::ReadDigits(const std::string& text, int scale, Digits& digits) {
  const bool negative = text.starts_with('-');
  const size_t begin = negative ? 1 : 0;
  const int first = (scale - kLowest) / 32;
  if (scale < kLowest || (scale - kLowest) % 32 != 0 || text.size() == begin ||
      text.size() - begin > size_t(8 * kDigits)) {
    return Damaged(text);
  }
  // From the end, eight hex characters per digit.
  size_t end = text.size();
  for (int i = first; end > begin; ++i) {
    const size_t start = end - begin > 8 ? end - 8 : begin;
    const std::string part = text.substr(start, end - start);
    if (i >= kDigits || part.find_first_not_of("0123456789abcdef") != std::string::npos) {
      return Damaged(text);
    }
    const auto digit = int64_t(std::stoull(part, nullptr, 16));
    digits[i] = negative ? -digit : digit;
    end = start;
  }
  Carry(digits);
  return Status::OK();
}

Result<ExactSum> ExactSum::FromJson(const Json& json) {
  if (!json.is_object()) return Damaged(json);
  ExactSum sum;
  const auto count = [&](const char* key, int64_t& out) {
    if (!json.contains(key)) return true;
    if (!json[key].is_number_integer()) return false;
    out = json[key].get<int64_t>();
    return out >= 0;
  };
  if (!count("nan", sum.nan_) || !count("infinity", sum.infinite_) ||
      !count("minus_infinity", sum.minus_infinite_)) {
    return Damaged(json);
  }
  if (!json.contains("digits")) return sum;
  if (!json["digits"].is_string() || !json.contains("scale") ||
      !json["scale"].is_number_integer()) {
    return Damaged(json);
  }
  const int64_t scale = json["scale"].get<int64_t>();
  if (scale < kLowest || scale >= kLowest + 32 * kDigits) return Damaged(json);
  PT_TRY(ReadDigits(json["digits"].get<std::string>(), int(scale), sum.digits_));
  sum.pending_ = 1;
  return sum;
}

}  // namespace protium
