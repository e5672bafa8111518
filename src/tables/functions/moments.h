// SPDX-License-Identifier: Apache-2.0
// Sums over rows, and the variance and related values computed from them, after Spark's
// CentralMomentAgg, Covariance and PearsonCorrelation. `Real` is the type in which they are stored.
// DuckDB stores states at multiples of 8 bytes.
#pragma once

#include <cmath>
#include <optional>

namespace protium {

// The mean of the values so far, and the sums of the second to fourth powers of their distances
// from it.
template <class Real>
struct [[gnu::packed, gnu::aligned(8)]] Moments {
  Real n = 0, mean = 0, m2 = 0, m3 = 0, m4 = 0;

  void Add(Real x) {
    n += 1;
    const Real delta = x - mean, delta_n = delta / n;
    mean += delta_n;
    m2 += delta * (delta - delta_n);
    const Real delta2 = delta * delta, delta_n2 = delta_n * delta_n;
    m3 = m3 - 3 * delta_n * m2 + delta * (delta2 - delta_n2);
    m4 = m4 - 4 * delta_n * m3 - 6 * delta_n2 * m2 + delta * (delta * delta2 - delta_n * delta_n2);
  }
  void Merge(const Moments& other) {
    if (other.n == 0) return;
    const Real n1 = n, n2 = other.n, sum = n1 + n2;
    const Real delta = other.mean - mean, delta_n = delta / sum;
    const Real delta_n2 = delta_n * delta_n;
    m4 += other.m4 + delta_n2 * delta_n * delta * n1 * n2 * (n1 * n1 - n1 * n2 + n2 * n2) +
          6 * delta_n2 * (n1 * n1 * other.m2 + n2 * n2 * m2) +
          4 * delta_n * (n1 * other.m3 - n2 * m3);
    m3 +=
        other.m3 + delta_n2 * delta * n1 * n2 * (n1 - n2) + 3 * delta_n * (n1 * other.m2 - n2 * m2);
    m2 += other.m2 + delta * delta_n * n1 * n2;
    mean += delta_n * n2;
    n = sum;
  }
};

// The same for pairs: `products` is the sum of the products of both distances.
template <class Real>
struct [[gnu::packed, gnu::aligned(8)]] Pairs {
  Real n = 0, mean_x = 0, mean_y = 0, products = 0, squares_x = 0, squares_y = 0;

  void Add(Real x, Real y) {
    n += 1;
    const Real dx = x - mean_x, dy = y - mean_y;
    mean_x += dx / n;
    mean_y += dy / n;
    products += dx * (y - mean_y);
    squares_x += dx * (x - mean_x);
    squares_y += dy * (y - mean_y);
  }
  void Merge(const Pairs& other) {
    if (other.n == 0) return;
    const Real n1 = n, n2 = other.n, sum = n1 + n2;
    const Real dx = other.mean_x - mean_x, dy = other.mean_y - mean_y;
    const Real dx_n = dx / sum, dy_n = dy / sum;
    products += other.products + dx * dy_n * n1 * n2;
    squares_x += other.squares_x + dx * dx_n * n1 * n2;
    squares_y += other.squares_y + dy * dy_n * n1 * n2;
    mean_x += dx_n * n2;
    mean_y += dy_n * n2;
    n = sum;
  }
};

// For pairs as Spark's regr_...() take them, the dependent value first: those of x alone are summed
// up as Moments, which round differently from Pairs.
template <class Real>
struct [[gnu::packed, gnu::aligned(8)]] Regression {
  Pairs<Real> pairs;
  Moments<Real> x, y;

  void Add(Real dependent, Real independent) {
    pairs.Add(independent, dependent);
    x.Add(independent);
    y.Add(dependent);
  }
  void Merge(const Regression& other) {
    pairs.Merge(other.pairs);
    x.Merge(other.x);
    y.Merge(other.y);
  }
};

template <class Real>
using Maybe = std::optional<Real>;

template <class Real>
Maybe<Real> Over(Real value, Real count) {
  return count > 0 ? Maybe<Real>(value / count) : std::nullopt;
}
template <class Real>
Maybe<Real> RootOver(Real value, Real count) {
  return count > 0 ? Maybe<Real>(std::sqrt(value / count)) : std::nullopt;
}

struct PopulationVariance {
  template <class Real>
  static Maybe<Real> Of(const Moments<Real>& m) {
    return Over<Real>(m.m2, m.n);
  }
};
struct SampleVariance {
  template <class Real>
  static Maybe<Real> Of(const Moments<Real>& m) {
    return Over<Real>(m.m2, m.n - 1);
  }
};
struct PopulationDeviation {
  template <class Real>
  static Maybe<Real> Of(const Moments<Real>& m) {
    return RootOver<Real>(m.m2, m.n);
  }
};
struct SampleDeviation {
  template <class Real>
  static Maybe<Real> Of(const Moments<Real>& m) {
    return RootOver<Real>(m.m2, m.n - 1);
  }
};
struct Skewness {
  template <class Real>
  static Maybe<Real> Of(const Moments<Real>& m) {
    if (m.n == 0 || m.m2 == 0) return std::nullopt;
    const Real n = m.n, cube = m.m2 * m.m2 * m.m2;
    return std::sqrt(n) * m.m3 / std::sqrt(cube);
  }
};
struct Kurtosis {
  template <class Real>
  static Maybe<Real> Of(const Moments<Real>& m) {
    if (m.n == 0 || m.m2 == 0) return std::nullopt;
    return m.n * m.m4 / (m.m2 * m.m2) - 3;
  }
};

struct PopulationCovariance {
  template <class Real>
  static Maybe<Real> Of(const Pairs<Real>& p) {
    return Over<Real>(p.products, p.n);
  }
};
struct SampleCovariance {
  template <class Real>
  static Maybe<Real> Of(const Pairs<Real>& p) {
    return Over<Real>(p.products, p.n - 1);
  }
};
// Whether there is more than one row and one side does not vary: an error, as in Spark's ANSI mode.
inline bool IsConstant(const Pairs<double>& p) {
  return p.n > 1 && std::sqrt(p.squares_x * p.squares_y) == 0;
}
struct Correlation {
  template <class Real>
  static Maybe<Real> Of(const Pairs<Real>& p) {
    if (p.n <= 1) return std::nullopt;
    const Real squares = p.squares_x * p.squares_y;
    return p.products / std::sqrt(squares);
  }
};

struct SquaresOfX {
  template <class Real>
  static Maybe<Real> Of(const Regression<Real>& r) {
    return r.x.n > 0 ? Maybe<Real>(r.x.m2) : std::nullopt;
  }
};
struct SquaresOfY {
  template <class Real>
  static Maybe<Real> Of(const Regression<Real>& r) {
    return r.y.n > 0 ? Maybe<Real>(r.y.m2) : std::nullopt;
  }
};
struct CrossProducts {
  template <class Real>
  static Maybe<Real> Of(const Regression<Real>& r) {
    return r.pairs.n > 0 ? Maybe<Real>(r.pairs.products) : std::nullopt;
  }
};
struct Slope {
  template <class Real>
  static Maybe<Real> Of(const Regression<Real>& r) {
    if (r.x.n == 0 || r.x.m2 == 0) return std::nullopt;
    return r.pairs.products / r.x.m2;
  }
};
struct Intercept {
  template <class Real>
  static Maybe<Real> Of(const Regression<Real>& r) {
    if (r.x.n == 0 || r.x.m2 == 0) return std::nullopt;
    return r.pairs.mean_y - r.pairs.products / r.x.m2 * r.pairs.mean_x;
  }
};
struct Determination {
  template <class Real>
  static Maybe<Real> Of(const Regression<Real>& r) {
    if (r.pairs.n < 2 || r.pairs.squares_x == 0) return std::nullopt;
    if (r.pairs.squares_y == 0) return Real(1);
    const Real squares = r.pairs.squares_x * r.pairs.squares_y;
    const Real correlation = r.pairs.products / std::sqrt(squares);
    return correlation * correlation;
  }
};

}  // namespace protium
