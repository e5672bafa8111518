// SPDX-License-Identifier: Apache-2.0
#include "search/normal_mass.h"

#include <array>
#include <cstddef>

#include "base/strict_math.h"

namespace protium {
namespace {

constexpr double kLogRootOf2Pi = 0.91893853320467274178;

// The upper tail is expanded at multiples of 1 / kGridSteps up to kGridEnd.
constexpr int kGridSteps = 16;
constexpr int kGridEnd = 9;
// At 1/32 from a multiple the first term left out is below 1e-15 of the tail.
constexpr size_t kTerms = 12;
using Expansion = std::array<double, kTerms>;

double Density(double x) { return ExpOfNegative(-0.5 * x * x) / kRootOf2Pi; }

// P(z > x) = density(x) / (x + 1 / (x + 2 / (x + 3 / ...))), for x >= 3: returns the denominator.
double TailFraction(double x) {
  double rest = x;
  for (int i = 80; i > 0; --i) rest = x + i / rest;
  return rest;
}

// P(z > x): below 3 as 1/2 - density(x) (x + x^3 / 3 + x^5 / (3 * 5) + ...).
double TailAt(double x) {
  if (x >= 3) return Density(x) / TailFraction(x);
  double term = x, sum = x;
  for (int i = 3; i < 120; i += 2) {
    term *= x * x / i;
    sum += term;
  }
  return 0.5 - Density(x) * sum;
}

// Taylor's coefficients: the tail's derivatives are the density times Hermite's polynomials.
Expansion ExpandAt(double x) {
  Expansion terms = {TailAt(x)};
  double before = 0, hermite = 1, factor = -Density(x);
  for (size_t i = 1; i < kTerms; ++i) {
    factor /= double(i);
    terms[i] = factor * hermite;
    const double next = x * hermite - double(i - 1) * before;
    before = hermite;
    hermite = next;
    factor = -factor;
  }
  return terms;
}

using Grid = std::array<Expansion, size_t(kGridSteps* kGridEnd + 1)>;

Grid MakeGrid() {
  Grid grid;
  for (size_t i = 0; i < grid.size(); ++i) grid[i] = ExpandAt(double(i) / kGridSteps);
  return grid;
}

// P(z > x), for x from 0 to kGridEnd.
double Tail(double x) {
  static const Grid grid = MakeGrid();
  const auto at = size_t(x * kGridSteps + 0.5);
  const double rest = x - double(at) / kGridSteps;
  const Expansion& terms = grid[at];
  // Two sums at a time, of which neither waits for the other.
  const double square = rest * rest;
  double even = terms[kTerms - 2], odd = terms[kTerms - 1];
  for (size_t i = kTerms - 2; i > 0; i -= 2) {
    even = even * square + terms[i - 2];
    odd = odd * square + terms[i - 1];
  }
  return even + rest * odd;
}

double LogTail(double x) {
  if (x < kGridEnd) return StrictLog(Tail(x));
  return -0.5 * x * x - kLogRootOf2Pi - StrictLog(TailFraction(x));
}

// For 0 <= a < b.
double LogUpperMass(double a, double b) {
  if (b < kGridEnd) return StrictLog(Tail(a) - Tail(b));
  const double log = LogTail(a);
  return log + StrictLog1p(-ExpOfNegative(LogTail(b) - log));
}

// P(0 < z < x).
double MassFromMiddle(double x) { return x < kGridEnd ? 0.5 - Tail(x) : 0.5; }

}  // namespace

double NormalMassAround(double a, double b) { return MassFromMiddle(-a) + MassFromMiddle(b); }

double LogNormalMass(double a, double b) {
  if (a >= 0) return LogUpperMass(a, b);
  if (b <= 0) return LogUpperMass(-b, -a);
  return StrictLog(NormalMassAround(a, b));
}

}  // namespace protium
