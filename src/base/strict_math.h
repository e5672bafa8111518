// SPDX-License-Identifier: Apache-2.0
// Logarithm and exponential to the bits of Java's StrictMath, which Spark's ln, log1p and expm1
// are. The C library's may differ in the last bit, from release to release, too. The method and its
// constants are those of fdlibm (Sun Microsystems, 1993), by which StrictMath is defined: each
// operation is rounded once, in the order written, so none may be fused or moved.
#pragma once

namespace protium {

// As IEEE functions outside their domain: -infinity at its end and NaN beyond.
double StrictLog(double x);
double StrictLog1p(double x);  // log(1 + x), exact to the last bit but one near 0.
double StrictExpm1(double x);  // exp(x) - 1, likewise.

}  // namespace protium
