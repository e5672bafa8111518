// SPDX-License-Identifier: Apache-2.0
// Sums doubles, and products of two doubles, without any rounding until the result is read.
//
// 1. The sum is a fixed-point number wide enough for every product of two doubles and 2^63 terms.
// 2. Adding and merging are integer additions: the result depends on the terms and not on their
//    order or grouping.
// 3. Rounded() is the double nearest to the true sum, ties to even (IEEE 754, roundTiesToEven).
//
// Such an accumulator is known as a superaccumulator (Kulisch, "Computer Arithmetic and Validity";
// with digits that have room for delayed carries: Neal, "Fast exact summation using small and large
// superaccumulators", 2015). Width: products of two doubles range from 2^-2148 to 2^2048, and 2^63
// terms add 63 bits, so bits -2148 to 2111 are needed; the digits below cover bits -2176 to 2303.
// One thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

class ExactSum {
 public:
  // NaN and infinities are counted separately and decide Rounded() as IEEE addition would.
  void Add(double x);
  void AddProduct(double a, double b);
  void Merge(const ExactSum& other);
  // Adds `other` times `factor`. `other` must hold a sum of doubles, or of products whose last bit
  // is no smaller than 2^-1074; factor must be finite.
  void AddScaled(const ExactSum& other, double factor);

  double Rounded() const;
  bool IsZero() const;  // Exactly; false with NaN or infinities.

  // The same sum gives the same JSON, whatever terms were added in whatever order.
  Json ToJson() const;
  static Result<ExactSum> FromJson(const Json& json);

 private:
  static constexpr int kDigits = 140;    // Base 2^32: 4480 bits.
  static constexpr int kLowest = -2176;  // Digit 0 counts units of 2^kLowest.
  // Digits lie in [0, 2^32) except the last, which carries the sign.
  using Digits = std::array<int64_t, kDigits>;

  void AddBits(unsigned __int128 magnitude, int exponent, bool negative);
  void CountSpecial(double x);
  static void Carry(Digits& digits);
  Digits Magnitude(bool& negative) const;
  static Status ReadDigits(const std::string& text, int lowest, Digits& digits);

  Digits digits_{};
  int64_t pending_ = 0;  // Additions since digits_ last had its carries resolved.
  int64_t nan_ = 0;
  int64_t infinite_ = 0;
  int64_t minus_infinite_ = 0;
};

}  // namespace protium
