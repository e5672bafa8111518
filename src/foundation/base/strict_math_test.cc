// SPDX-License-Identifier: Apache-2.0
#include "base/strict_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace protium {
namespace {

constexpr double kPlusInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNone = -12345;  // Spark returns NULL: outside the domain.

struct Answer {
  double x, ln, log1p, expm1;
};

// What Spark 4.2.1 returned for SELECT ln(x), log1p(x), expm1(x) (of 20,036 numbers, all were equal
// to the bit; glibc 2.36 differs in 333 results).
constexpr Answer kAnswers[] = {
    {0x0.0p+0, kNone, 0x0.0p+0, 0x0.0p+0},
    {-0.0, kNone, -0.0, -0.0},
    {0x1.0000000000000p+0, 0x0.0p+0, 0x1.62e42fefa39efp-1, 0x1.b7e151628aed2p+0},
    {-0x1.0000000000000p+0, kNone, kNone, -0x1.43a54e4e98864p-1},
    {0x1.0000000000000p+1, 0x1.62e42fefa39efp-1, 0x1.193ea7aad030ap+0, 0x1.98e64b8d4ddaep+2},
    {0x1.0000000000000p-1, -0x1.62e42fefa39efp-1, 0x1.9f323ecbf984cp-2, 0x1.4c2531c3c0d38p-1},
    {-0x1.0000000000000p-1, kNone, -0x1.62e42fefa39efp-1, -0x1.92e9a0720d3ecp-2},
    {0x1.56e1fc2f8f359p-997, -0x1.5963447f87fb5p+9, 0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-997},
    {0x0.0000000000001p-1022, -0x1.74385446d71c3p+9, 0x0.0000000000001p-1022,
     0x0.0000000000001p-1022},
    {0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp+9, 0x1.62e42fefa39efp+9, kPlusInfinity},
    {kPlusInfinity, kPlusInfinity, kPlusInfinity, kPlusInfinity},
    {-kPlusInfinity, kNone, kNone, -0x1.0000000000000p+0},
    {kNan, kNan, kNan, kNan},
    {0x1.79ca10c924223p-67, -0x1.7069e2aa2aa5bp+5, 0x1.79ca10c924223p-67, 0x1.79ca10c924223p-67},
    {-0x1.79ca10c924223p-67, kNone, -0x1.79ca10c924223p-67, -0x1.79ca10c924223p-67},
    {0x1.a827997709f7ap-2, -0x1.c3436648d3cfdp-1, 0x1.62e42fd2cf8f5p-2, 0x1.06bf8fb4f57ebp-1},
    {-0x1.2beb5b2d4d402p-2, kNone, -0x1.62e2fe73833b5p-2, -0x1.03fd4233012fcp-2},
    {0x1.fffffffffffffp-1, -0x1.0000000000000p-53, 0x1.62e42fefa39efp-1, 0x1.b7e151628aed1p+0},
    {0x1.0000000000001p+0, 0x1.fffffffffffffp-53, 0x1.62e42fefa39f0p-1, 0x1.b7e151628aed6p+0},
    {0x1.8000000000000p+1, 0x1.193ea7aad030ap+0, 0x1.62e42fefa39efp+0, 0x1.315e5bf6fb106p+4},
    {0x1.4000000000000p+3, 0x1.26bb1bbb55516p+1, 0x1.32ee3b77f374cp+1, 0x1.5825dcf950560p+14},
    {0x1.9000000000000p+6, 0x1.26bb1bbb55516p+2, 0x1.275e2271bba31p+2, 0x1.3494a9b171bf5p+144},
    {0x1.0000000000000p+53, 0x1.25e4f7b2737fap+5, 0x1.25e4f7b2737fap+5, kPlusInfinity},
    {0x1.1c37937e08000p+53, 0x1.26bb1bbb55516p+5, 0x1.26bb1bbb55516p+5, kPlusInfinity},
    {0x1.62e3d70a3d70ap+9, 0x1.a4283947ad848p+2, 0x1.a43f4a6c2f964p+2, 0x1.fe9ce5c4c52b4p+1023},
    {-0x1.748cccccccccdp+9, kNone, kNone, -0x1.0000000000000p+0},
    {0x1.62e42fead449cp-2, -0x1.0f45e26abfb60p+0, 0x1.30b46dff0a452p-2, 0x1.a827999901951p-2},
    {0x1.0a2b22c37966fp+0, 0x1.3f1883dce05c1p-5, 0x1.6cf5cf893e5c5p-1, 0x1.d413c973573c4p+0},
    {-0x1.5c28f5c28f5c3p-2, kNone, -0x1.a97ce16b316f2p-2, -0x1.2725ae35e2895p-2},
    {0x1.259999999999ap+5, 0x1.cd27c9e8e3110p+1, 0x1.d098b3b4a355ap+1, 0x1.ed8026b267153p+52},
    {-0x1.3000000000000p+5, kNone, kNone, -0x1.0000000000000p+0},
    {0x1.3687a4a48f96ep+5, 0x1.d454d1fe2b2c2p+1, 0x1.d7964ff5019ccp+1, 0x1.fffeacb88b5c9p+55},
    {0x1.0000000000000p-54, -0x1.2b708872320e2p+5, 0x1.0000000000000p-54, 0x1.0000000000000p-54},
    {0x1.0000000000000p-29, -0x1.419ecb712c481p+4, 0x1.fffffff800000p-30, 0x1.0000000400000p-29},
    {0x1.0000000000000p-28, -0x1.3687a9f1af2b1p+4, 0x1.fffffff000000p-29, 0x1.0000000800000p-28},
    {-0x1.40ac3ba3416adp+9, kNone, kNone, -0x1.0000000000000p+0},
    {-0x1.1311b06ace67cp-1, kNone, -0x1.8a86539555c13p-1, -0x1.a99e7eb04b2acp-2},
    {0x1.675cc81e74ef5p-144, -0x1.8de56abeeed8fp+6, 0x1.675cc81e74ef5p-144, 0x1.675cc81e74ef5p-144},
    {-0x1.16ece1738f7d9p-814, kNone, -0x1.16ece1738f7d9p-814, -0x1.16ece1738f7d9p-814},
    {0x1.4fc81df08cb06p+9, 0x1.a09d6cbfcecbdp+2, 0x1.a0b5cdaf6e8cbp+2, 0x1.d109dfb5eba78p+968},
    {-0x1.7eceafeb76aa4p+7, kNone, kNone, -0x1.0000000000000p+0},
    {0x1.80240b2bf702ep+0, 0x1.9f92581409087p-2, 0x1.d540e3fafe814p-1, 0x1.bdf8c7221cf7bp+1},
    {0x1.3f9c5390d2755p-9, -0x1.810cac6ea89a3p+2, 0x1.3f38bb4345a5ep-9, 0x1.40002a13e2154p-9},
    {-0x1.48506b12615f1p+9, kNone, kNone, -0x1.0000000000000p+0},
    {0x1.7735efc35f54cp+8, 0x1.7b5bf566cf489p+2, 0x1.7b87910fd28d0p+2, 0x1.3e61065b6e397p+541},
    {0x1.c945c43fc0527p+90, 0x1.f7b4effb8e170p+5, 0x1.f7b4effb8e170p+5, kPlusInfinity},
    {0x1.e200db57e666ap+1, 0x1.536f8b8ef030cp+0, 0x1.8fba2681dba2cp+0, 0x1.5188d96dd80e0p+5},
    {-0x1.da2ef65322a48p-352, kNone, -0x1.da2ef65322a48p-352, -0x1.da2ef65322a48p-352},
    {0x1.ab465d5704724p+899, 0x1.37d3667ea3531p+9, 0x1.37d3667ea3531p+9, kPlusInfinity},
    {-0x1.216828fde9ebep+672, kNone, kNone, -0x1.0000000000000p+0},
};

bool Same(double spark, double ours) {
  if (spark == kNone) return std::isnan(ours) || ours == -kPlusInfinity;
  if (std::isnan(spark)) return std::isnan(ours);
  return std::bit_cast<uint64_t>(spark) == std::bit_cast<uint64_t>(ours);
}

TEST(StrictMath, AnswersAsSparkToTheBit) {
  for (const Answer& each : kAnswers) {
    EXPECT_TRUE(Same(each.ln, StrictLog(each.x))) << each.x << " " << StrictLog(each.x);
    EXPECT_TRUE(Same(each.log1p, StrictLog1p(each.x))) << each.x << " " << StrictLog1p(each.x);
    EXPECT_TRUE(Same(each.expm1, StrictExpm1(each.x))) << each.x << " " << StrictExpm1(each.x);
  }
}

struct RootAnswer {
  double x, y, cbrt, hypot;
};

// What StrictMath.cbrt(x) and StrictMath.hypot(x, y) of Java 17 returned (of 2,000,000 pairs, all
// were equal to the bit).
constexpr RootAnswer kRootAnswers[] = {
    {0, -0.0, 0, 0},
    {0x1.8p1, 0x1.0p2, 0x1.7137449123ef6p0, 0x1.4p2},
    {-0x1.8p1, 0x1.0p2, -0x1.7137449123ef6p0, 0x1.4p2},
    {0x1.0p0, 0x1.0p0, 0x1.0p0, 0x1.6a09e667f3bcdp0},
    {0x1.bp4, 0x1.0p0, 0x1.8p1, 0x1.b04bd36b63b23p4},
    {-0x1.0p3, 0x1.0p-1, -0x1.0p1, 0x1.007fe00ff607p3},
    {0x1.fffffffffffffp1023, 0x1.0p0, 0x1.428a2f98d728bp341, 0x1.fffffffffffffp1023},
    {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0x1.428a2f98d728bp341, kPlusInfinity},
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.0p-358, 0x0.0000000000001p-1022},
    {0x0.000000000001p-1022, 0x0.0000000006p-1022, 0x1.428a2f98d728bp-357, 0x0.0000000006p-1022},
    {kPlusInfinity, kNan, kPlusInfinity, kPlusInfinity},
    {kNan, 0x1.0p0, kNan, kNan},
    {0x1.3f9c5390d2755p-9, 0x1.80240b2bf702ep0, 0x1.13a7df4d7c141p-3, 0x1.80242c696b7cdp0},
    {0x1.56e1fc2f8f359p-997, 0x1.16ece1738f7d9p-990, 0x1.bff2ee48e053p-333, 0x1.16f02c7174086p-990},
    {0x1.c945c43fc0527p700, -0x1.ab465d5704724p701, 0x1.8758c176d7c3ap233, 0x1.e499e9f1a6653p701},
    {0x1.c945c43fc0527p30, 0x1.12e0be826d695p-30, 0x1.369cb17cc834p10, 0x1.c945c43fc0527p30},
    {-0x1.1311b06ace67cp-1, 0x1.b7e151628aed2p0, -0x1.a0395fce9e141p-1, 0x1.cce1422af2dbap0},
    {0x1.9p6, 0x1.999999999999ap-4, 0x1.290fca9c761f8p2, 0x1.90000d1b713e9p6},
    {0x0.1010e63554a1cp-1022, 0x0.5032f305295fp-1022, 0x1.005a0173b3474p-342,
     0x0.51cadbec40e46p-1022},
};

TEST(StrictMath, TakesRootsAsJavaToTheBit) {
  for (const RootAnswer& each : kRootAnswers) {
    EXPECT_TRUE(Same(each.cbrt, StrictCbrt(each.x))) << each.x << " " << StrictCbrt(each.x);
    EXPECT_TRUE(Same(each.hypot, StrictHypot(each.x, each.y)))
        << each.x << " " << each.y << " " << StrictHypot(each.x, each.y);
    EXPECT_TRUE(Same(each.hypot, StrictHypot(each.y, each.x))) << each.y << " " << each.x;
  }
}

TEST(StrictMath, GoesWithTheLibraryToTheLastBitButOne) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    EXPECT_DOUBLE_EQ(StrictLog(x), std::log(x));
    EXPECT_DOUBLE_EQ(StrictLog1p(x), std::log1p(x));
  }
  for (double x = -50; x < 700; x += 0.37) EXPECT_DOUBLE_EQ(StrictExpm1(x), std::expm1(x));
}

}  // namespace
}  // namespace protium
