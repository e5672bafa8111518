// SPDX-License-Identifier: Apache-2.0
#include "java/decimal_arithmetic.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

__int128 Read(const char* digits) {
  __int128 value = 0;
  const bool negative = *digits == '-';
  for (const char* at = digits + (negative ? 1 : 0); *at != 0; ++at)
    value = value * 10 + (*at - '0');
  return negative ? -value : value;
}

std::string Write(const DecimalAnswer& answer) {
  if (answer.fault == DecimalFault::kZero) return "zero";
  if (answer.fault == DecimalFault::kOverflow) return "overflow";
  __int128 rest = answer.value < 0 ? -answer.value : answer.value;
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return (answer.value < 0 ? "-" : "") + text;
}

std::string Compute(char operation, DecimalNumber a, DecimalNumber b, int scale) {
  return Write(ComputeDecimal(operation, a, b, scale));
}

const char* const kMost = "99999999999999999999999999999999999999";

TEST(DecimalArithmetic, RoundsHalfAwayFromZeroToTheResultsScale) {
  EXPECT_EQ("1333333", Compute('/', {400, 2}, {3, 0}, 6));
  EXPECT_EQ("-666667", Compute('/', {-2, 0}, {3, 0}, 6));
  EXPECT_EQ("13", Compute('*', {25, 1}, {5, 1}, 1));
  EXPECT_EQ("-13", Compute('*', {-25, 1}, {5, 1}, 1));
  EXPECT_EQ("375", Compute('+', {25, 1}, {125, 2}, 2));
  EXPECT_EQ("125", Compute('-', {25, 1}, {125, 2}, 2));
  EXPECT_EQ("-15", Compute('%', {-55, 1}, {20, 1}, 1));
  EXPECT_EQ("5", Compute('p', {-75, 1}, {2, 0}, 1));
  EXPECT_EQ("-2", Compute('d', {-55, 1}, {20, 1}, 0));
  EXPECT_EQ("-687399551400673279", Compute('d', {Read(kMost), 0}, {-1, 0}, 0));
}

TEST(DecimalArithmetic, HoldsWhatLiesBetweenWidestNumbers) {
  EXPECT_EQ("1000000", Compute('/', {Read(kMost), 38}, {Read(kMost), 38}, 6));
  EXPECT_EQ("0", Compute('/', {1, 38}, {Read(kMost), 0}, 6));
  EXPECT_EQ("1", Compute('*', {Read(kMost), 38}, {Read(kMost), 38}, 0));
  EXPECT_EQ("0", Compute('%', {Read(kMost), 0}, {1, 38}, 0));
}

TEST(DecimalArithmetic, TellsOverflowAndDivisionByZero) {
  EXPECT_EQ("overflow", Compute('+', {Read(kMost), 0}, {1, 0}, 0));
  EXPECT_EQ("overflow", Compute('*', {Read(kMost), 0}, {10, 0}, 0));
  EXPECT_EQ("overflow", Compute('/', {Read(kMost), 0}, {1, 38}, 0));
  EXPECT_EQ("overflow", Compute('d', {Read(kMost), 0}, {1, 1}, 0));
  EXPECT_EQ("zero", Compute('/', {1, 0}, {0, 5}, 6));
  EXPECT_EQ("zero", Compute('%', {1, 0}, {0, 5}, 6));
}

TEST(DecimalArithmetic, RoundsInEveryWay) {
  const auto round = [](char how, int64_t value, int digits, int scale) {
    return Write(RoundDecimalNumber(how, {value, 2}, digits, scale));
  };
  EXPECT_EQ("126", round('r', 1255, 1, 1));
  EXPECT_EQ("-126", round('r', -1255, 1, 1));
  EXPECT_EQ("124", round('e', 1245, 1, 1));
  EXPECT_EQ("126", round('e', 1255, 1, 1));
  EXPECT_EQ("-13", round('f', -1201, 0, 0));
  EXPECT_EQ("-12", round('c', -1299, 0, 0));
  EXPECT_EQ("20", round('r', 1500, -1, 0));
  EXPECT_EQ("0", round('r', 1500, -40, 0));
  EXPECT_EQ("1500", round('r', 1500, 7, 2));
}

}  // namespace
}  // namespace protium
