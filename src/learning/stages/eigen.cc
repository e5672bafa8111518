// SPDX-License-Identifier: Apache-2.0
// The cyclic Jacobi method (Golub and Van Loan, "Matrix Computations", section 8.5): rotations in a
// fixed order zero one element after the other until only the diagonal is left. Uses only sums,
// products, quotients and square roots, each rounded once and in a fixed order, so neither the
// machine nor its libraries change a bit.
#include "stages/eigen.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace protium {
namespace {

// The method converges quadratically: about ten sweeps suffice for any matrix that fits here.
constexpr int kMostSweeps = 100;

class Jacobi {
 public:
  Jacobi(std::vector<double> matrix, size_t size)
      : a_(std::move(matrix)), v_(size * size), size_(size) {
    for (size_t i = 0; i < size_; ++i) v_[i * size_ + i] = 1;
  }

  void Run() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      bool rotated = false;
      for (size_t p = 0; p + 1 < size_; ++p) {
        for (size_t q = p + 1; q < size_; ++q) rotated = RotateAt(p, q) || rotated;
      }
      if (!rotated) return;
    }
  }

  double Value(size_t i) const { return a_[i * size_ + i]; }
  std::vector<double> Vector(size_t i) const {
    std::vector<double> vector;
    for (size_t row = 0; row < size_; ++row) vector.push_back(v_[row * size_ + i]);
    return vector;
  }

 private:
  // Zeroes the element at (p, q). Returns false if it is too small to change either diagonal
  // element.
  bool RotateAt(size_t p, size_t q) {
    const double off = a_[p * size_ + q];
    const double app = Value(p), aqq = Value(q);
    const double small = std::fabs(off) * 0x1p-3;
    const bool none =
        std::fabs(app) + small == std::fabs(app) && std::fabs(aqq) + small == std::fabs(aqq);
    if (off == 0 || none) {
      a_[p * size_ + q] = a_[q * size_ + p] = 0;
      return false;
    }
    // The smaller of the two angles: tangent t = sign / (|theta| + sqrt(theta^2 + 1)).
    const double theta = (aqq - app) / (2 * off);
    const double root =
        std::fabs(theta) > 0x1p500 ? std::fabs(theta) : std::sqrt(theta * theta + 1);
    const double t = (theta < 0 ? -1.0 : 1.0) / (std::fabs(theta) + root);
    const double c = 1 / std::sqrt(t * t + 1), s = t * c;
    for (size_t k = 0; k < size_; ++k) Turn(a_[k * size_ + p], a_[k * size_ + q], c, s);
    for (size_t k = 0; k < size_; ++k) Turn(a_[p * size_ + k], a_[q * size_ + k], c, s);
    for (size_t k = 0; k < size_; ++k) Turn(v_[k * size_ + p], v_[k * size_ + q], c, s);
    a_[p * size_ + q] = a_[q * size_ + p] = 0;
    return true;
  }

  static void Turn(double& x, double& y, double c, double s) {
    const double turned = c * x - s * y;
    y = s * x + c * y;
    x = turned;
  }

  std::vector<double> a_;
  std::vector<double> v_;
  size_t size_;
};

void FixSign(std::vector<double>& vector) {
  const auto smaller = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  if (*std::max_element(vector.begin(), vector.end(), smaller) >= 0) return;
  for (double& entry : vector) entry = -entry;
}

}  // namespace

std::vector<Eigenpair> Eigenpairs(std::vector<double> matrix, size_t size) {
  Jacobi jacobi(std::move(matrix), size);
  jacobi.Run();
  std::vector<size_t> order(size);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return jacobi.Value(a) > jacobi.Value(b); });
  std::vector<Eigenpair> pairs;
  for (const size_t i : order) {
    pairs.push_back({jacobi.Value(i), jacobi.Vector(i)});
    FixSign(pairs.back().vector);
  }
  return pairs;
}

}  // namespace protium
