// SPDX-License-Identifier: Apache-2.0
#include "statistics/exact_mean.h"

#include <cmath>

namespace protium {

// A first quotient, corrected by the exact remainder.
double ExactMean(const ExactSum& sum, int64_t count) {
  const double near = sum.Rounded() / double(count);
  if (!std::isfinite(near)) return near;
  ExactSum rest = sum;
  // Exact: the remainder of the first quotient, which the second line divides in turn. (A double
  // represents counts exactly up to 2^53.)
  rest.AddProduct(-near, double(count));
  return near + rest.Rounded() / double(count);
}

double CentredSum(const ExactSum& xy, const ExactSum& x, const ExactSum& y, int64_t count) {
  const double mean_x = ExactMean(x, count), mean_y = ExactMean(y, count);
  if (!std::isfinite(mean_x) || !std::isfinite(mean_y)) return std::nan("");
  // sum (x - a)(y - b) = xy - a y - b x + n a b holds for any a and b; the rounded means keep the
  // result small, and the sum is exact, so it is rounded just once.
  ExactSum centred = xy, count_a;
  centred.AddScaled(y, -mean_x);
  centred.AddScaled(x, -mean_y);
  count_a.AddProduct(double(count), mean_x);
  centred.AddScaled(count_a, mean_y);
  return centred.Rounded();
}

}  // namespace protium
