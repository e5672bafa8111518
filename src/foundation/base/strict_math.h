// SPDX-License-Identifier: Apache-2.0
// ln(x), ln(1 + x), exp(x) - 1, cube roots and hypotenuses with the bits of Java's StrictMath,
// which Spark's SQL functions of these names call. The C library's functions may differ in the last
// bit, and from one release or processor to the next. StrictMath is defined as fdlibm 5.3 (Sun
// Microsystems, 1993); these are fdlibm's algorithms and constants. Every operation is rounded
// once, in the order written: a compiler that reassociates, or fuses a product and a sum, changes
// the bits (hence -ffp-contract=off in cmake/Room.cmake).
#pragma once

namespace protium {

// At the end of their domain (0 for StrictLog, -1 for StrictLog1p) logarithms are -infinity, below
// it NaN; NaN gives NaN and infinity gives infinity. Spark returns NULL at and below the end; that
// is up to the caller.
double StrictLog(double x);
double StrictLog1p(double x);  // ln(1 + x); accurate near 0, where 1 + x would lose digits.
double StrictExpm1(double x);  // exp(x) - 1, likewise; infinity where exp(x) overflows, x > 709.78.
double StrictCbrt(double x);   // The cube root, with the sign of x.
// sqrt(x^2 + y^2), which overflows only if the result does; infinity if either is infinite, even
// beside NaN.
double StrictHypot(double x, double y);

}  // namespace protium
