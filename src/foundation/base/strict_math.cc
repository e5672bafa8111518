// SPDX-License-Identifier: Apache-2.0
#include "base/strict_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// Follows e_log.c, s_log1p.c, s_expm1.c, s_cbrt.c and e_hypot.c of fdlibm, Copyright (C) 1993 and
// 2004 by Sun Microsystems, Inc.; NOTICE holds its notices. The names differ, and shared steps are
// functions here, but each double is computed by the same operations in the same order. Constants
// such as 0x3fd62e42 are the upper halves of doubles, compared as integers: positive doubles have
// the same order as these integers.

namespace protium {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// ln 2 as a sum of two doubles. The first ends in zeros, so that its product with an exponent, a
// whole number of at most 11 bits, is exact.
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
// fdlibm's Lg1 to Lg7. With s = f / (2 + f), log(1 + f) = log(1 + s) - log(1 - s) = 2s + s R, and R
// is this polynomial in z = s * s, within 2^-58.
constexpr double kL1 = 0x1.5555555555593p-1, kL2 = 0x1.999999997fa04p-2, kL3 = 0x1.2492494229359p-2,
                 kL4 = 0x1.c71c51d8e78afp-3, kL5 = 0x1.7466496cb03dep-3, kL6 = 0x1.39a09d078c69fp-3,
                 kL7 = 0x1.2f112df3e5244p-3;

// The upper half of the bits: sign, exponent and 20 bits of the fraction.
int32_t High(double x) { return static_cast<int32_t>(std::bit_cast<uint64_t>(x) >> 32); }
double WithHigh(double x, int32_t high) {
  const uint64_t low = std::bit_cast<uint64_t>(x) & 0xffffffffu;
  return std::bit_cast<double>(uint64_t{static_cast<uint32_t>(high)} << 32 | low);
}
// Multiplies by 2^power, by changing the exponent's bits only.
double Scaled(double x, int32_t power) {
  return WithHigh(x, static_cast<int32_t>(static_cast<uint32_t>(High(x)) +
                                          (static_cast<uint32_t>(power) << 20)));
}
int32_t ExponentOf(int32_t high) { return (high >> 20) - 1023; }

// log(1 + f) + k ln 2, if the fraction of 1 + f begins with these bits.
double LogOf(double f, int32_t k, int32_t bits) {
  const double times = k;
  if ((0xfffff & (2 + bits)) < 3) {
    if (f == 0) return k == 0 ? 0 : times * kLn2High + times * kLn2Low;
    const double rest = f * f * (0.5 - 0.33333333333333333 * f);
    return k == 0 ? f - rest : times * kLn2High - ((rest - times * kLn2Low) - f);
  }
  const double s = f / (2 + f), z = s * s, w = z * z;
  const double even = w * (kL2 + w * (kL4 + w * kL6));
  const double odd = z * (kL1 + w * (kL3 + w * (kL5 + w * kL7)));
  const double rest = odd + even;
  if (((bits - 0x6147a) | (0x6b851 - bits)) > 0) {
    const double half = 0.5 * f * f;
    if (k == 0) return f - (half - s * (half + rest));
    return times * kLn2High - ((half - (s * (half + rest) + times * kLn2Low)) - f);
  }
  if (k == 0) return f - s * (f - rest);
  return times * kLn2High - ((s * (f - rest) - times * kLn2Low) - f);
}

// 1 + x as 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); c corrects the rounding error of 1
// + x.
struct OnePlus {
  double f = 0;
  double c = 0;
  int32_t k = 0;
  int32_t bits = 1;  // 0 if f is nearly 0.
};

OnePlus SplitOnePlus(double x) {
  OnePlus split;
  const bool small = High(x) < 0x43400000;  // Below 2^53: from there on 1 + x rounds to x.
  double u = small ? 1 + x : x;
  split.k = ExponentOf(High(u));
  if (small) split.c = (split.k > 0 ? 1 - (u - x) : x - (u - 1)) / u;
  split.bits = High(u) & 0xfffff;
  if (split.bits < 0x6a09e) {
    u = WithHigh(u, split.bits | 0x3ff00000);
  } else {
    ++split.k;
    u = WithHigh(u, split.bits | 0x3fe00000);
    split.bits = (0x100000 - split.bits) >> 2;
  }
  split.f = u - 1;
  return split;
}

// x - k ln 2, between -ln 2 / 2 and ln 2 / 2; c corrects the rounding error of the difference.
struct Reduced {
  double x = 0;
  double c = 0;
  int32_t k = 0;
};

Reduced WithoutLn2(double x) {
  Reduced reduced{.x = x};
  const int32_t size = High(x) & 0x7fffffff;
  if (size <= 0x3fd62e42) return reduced;  // Up to ln 2 / 2.
  const bool once = size < 0x3ff0a2b2;     // Below 1.5 ln 2.
  constexpr double kOneByLn2 = 0x1.71547652b82fep+0;
  reduced.k = once ? (x > 0 ? 1 : -1) : static_cast<int32_t>(kOneByLn2 * x + (x > 0 ? 0.5 : -0.5));
  const double high = x - reduced.k * kLn2High, low = reduced.k * kLn2Low;
  reduced.x = high - low;
  reduced.c = (high - reduced.x) - low;
  return reduced;
}

// 2^k (1 + x - e) - 1. Five forms by k, as in fdlibm, so that subtracting 1 loses no digits for
// any k.
double ScaledMinusOne(double x, double e, int32_t k) {
  if (k == -1) return 0.5 * (x - e) - 0.5;
  if (k == 1) return x < -0.25 ? -2 * (e - (x + 0.5)) : 1 + 2 * (x - e);
  if (k <= -2 || k > 56) return Scaled(1 - (e - x), k) - 1;
  if (k < 20) return Scaled(WithHigh(1, 0x3ff00000 - (0x200000 >> k)) - (e - x), k);
  return Scaled((x - (e + WithHigh(1, (0x3ff - k) << 20))) + 1, k);
}

// The double with this upper half and zeros below.
double OfHigh(int32_t high) { return WithHigh(0, high); }

// A cube root of x > 0 to 5 bits: a third of the exponent's bits, and a constant.
double RoughCbrt(double x) {
  constexpr int32_t kOffset = 715094163;  // (1023 * 2/3 - 0.03306235651) * 2^20
  if (High(x) >= 0x100000) return OfHigh(High(x) / 3 + kOffset);
  constexpr int32_t kOffsetOfSubnormal = 696219795;  // 54/3 less in the exponent.
  return OfHigh(High(x * 0x1p54) / 3 + kOffsetOfSubnormal);
}

// sqrt(a^2 + b^2) for a >= b > 0 whose squares neither overflow nor vanish. A square is taken in
// parts, the first of which has these upper halves and so few digits that its own square is exact.
double HypotOf(double a, double b, int32_t high_a, int32_t high_b) {
  const double difference = a - b;
  if (difference > b) {
    const double first = OfHigh(high_a), rest = a - first;
    return std::sqrt(first * first - (b * (-b) - rest * (a + first)));
  }
  const double first_b = OfHigh(high_b), rest_b = b - first_b;
  const double first = OfHigh(high_a + 0x100000), rest = (a + a) - first;  // Of 2 a.
  return std::sqrt(first * first_b - (difference * (-difference) - (first * rest_b + rest * b)));
}

}  // namespace

double StrictLog(double x) {
  if (!(x > 0)) return x == 0 ? -kInfinity : kNan;
  if (std::isinf(x)) return x;
  const bool tiny = High(x) < 0x100000;
  if (tiny) x *= 0x1p54;  // A subnormal number has no exponent of its own to split off.
  const int32_t bits = High(x) & 0xfffff;
  const int32_t up = (bits + 0x95f64) & 0x100000;  // Set if the fraction is above sqrt 2.
  const int32_t k = ExponentOf(High(x)) + (up >> 20) - (tiny ? 54 : 0);
  return LogOf(WithHigh(x, bits | (up ^ 0x3ff00000)) - 1, k, bits);
}

// From sqrt(1/2) - 1 to sqrt(2) - 1, f is x itself, without rounding; elsewhere 1 + x is split.
double StrictLog1p(double x) {
  if (!(x > -1)) return x == -1 ? -kInfinity : kNan;
  if (std::isinf(x)) return x;
  const int32_t high = High(x), size = high & 0x7fffffff;
  // Below 2^-29 two terms of the series suffice; below 2^-54 one.
  if (size < 0x3e200000) return size < 0x3c900000 ? x : x - x * x * 0.5;
  const bool near = high < 0x3fda827a && (high > 0 || high <= static_cast<int32_t>(0xbfd2bec3));
  const OnePlus split = near ? OnePlus{.f = x} : SplitOnePlus(x);
  const double f = split.f, half = 0.5 * f * f, k = split.k;
  if (split.bits == 0) {
    if (f == 0) return k == 0 ? 0 : k * kLn2High + (split.c + k * kLn2Low);
    const double rest = half * (1 - 0.66666666666666666 * f);
    return k == 0 ? f - rest : k * kLn2High - ((rest - (k * kLn2Low + split.c)) - f);
  }
  const double s = f / (2 + f), z = s * s;
  const double rest =
      z * (kL1 + z * (kL2 + z * (kL3 + z * (kL4 + z * (kL5 + z * (kL6 + z * kL7))))));
  if (k == 0) return f - (half - s * (half + rest));
  return k * kLn2High - ((half - (s * (half + rest) + (k * kLn2Low + split.c))) - f);
}

// A rational approximation of exp(r) - 1 for the reduced r (fdlibm's Q1 to Q5), then scaled by 2^k.
double StrictExpm1(double x) {
  constexpr double kMost = 0x1.62e42fefa39efp+9;  // Beyond it, exp(x) overflows.
  const int32_t size = High(x) & 0x7fffffff;
  if (std::isnan(x)) return x;
  if (x > kMost) return kInfinity;
  if (size >= 0x4043687a && x < 0) return -1;  // Below -56 ln 2.
  if (size < 0x3c900000) return x;             // Below 2^-54.
  const Reduced reduced = WithoutLn2(x);
  constexpr double kQ1 = -0x1.11111111110f4p-5, kQ2 = 0x1.a01a019fe5585p-10,
                   kQ3 = -0x1.4ce199eaadbb7p-14, kQ4 = 0x1.0cfca86e65239p-18,
                   kQ5 = -0x1.afdb76e09c32dp-23;
  const double r = reduced.x, half = 0.5 * r, square = r * half;
  const double q =
      1 + square * (kQ1 + square * (kQ2 + square * (kQ3 + square * (kQ4 + square * kQ5))));
  const double t = 3 - q * half;
  double e = square * ((q - t) / (6 - r * t));
  if (reduced.k == 0) return r - (r * e - square);
  e = (r * (e - reduced.c) - reduced.c) - square;
  return ScaledMinusOne(r, e, reduced.k);
}

// A rational function takes the rough root to 23 bits; cut to 20 and rounded up, its square is
// exact, and one of Newton's steps gives the rest.
double StrictCbrt(double x) {
  if (!std::isfinite(x) || x == 0) return x + x;
  constexpr double kC = 19.0 / 35, kD = -864.0 / 1225, kE = 99.0 / 70, kF = 45.0 / 28,
                   kG = 5.0 / 14;
  const double size = std::fabs(x);
  const double rough = RoughCbrt(size);
  const double s = kC + rough * rough / size * rough;
  const double t = OfHigh(High(rough * (kG + kF / (s + kE + kD / s))) + 1);
  const double quotient = size / (t * t);
  const double root = t + t * ((quotient - t) / ((t + t) + quotient));
  return std::copysign(root, x);
}

// The bits depend on subnormal numbers being divided where they were before they were scaled.
double StrictHypot(double x, double y) {
  if (std::isinf(x) || std::isinf(y)) return kInfinity;
  if (std::isnan(x) || std::isnan(y)) return kNan;
  double a = std::max(std::fabs(x), std::fabs(y)), b = std::min(std::fabs(x), std::fabs(y));
  const int32_t high_a = High(a), high_b = High(b);
  if (high_a - high_b > 0x3c00000 || b == 0) return a + b;  // More than 2^60 times as large.
  if (high_b < 0x100000) {                                  // Subnormal.
    return HypotOf(a * 0x1p1022, b * 0x1p1022, high_a, high_b) * 0x1p-1022;
  }
  int32_t power = 0;
  if (high_a > 0x5f300000) power = -600;  // Above 2^500.
  if (high_b < 0x20b00000) power = 600;   // Below 2^-500.
  a = Scaled(a, power), b = Scaled(b, power);
  return HypotOf(a, b, High(a), High(b)) * Scaled(1, -power);
}

}  // namespace protium
