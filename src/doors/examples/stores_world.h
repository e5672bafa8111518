// SPDX-License-Identifier: Apache-2.0
// The invented world of the example "stores": regions with their weather and demand, shops, and the
// calendar of holidays and promotions. All of it follows from the seed; sales are drawn from it
// (stores_example.cc).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "examples/random.h"

namespace protium::stores {

// Days count from 2013-01-01, a Tuesday. Sales are known for the first 942, until 2015-07-31; the
// 48 after them are in the future.
inline constexpr int kKnownDays = 942;
inline constexpr int kDays = kKnownDays + 48;

struct Date {
  int year = 0, month = 0, day = 0;  // Month and day from 1.
};
Date ToDate(int day);
std::string DateText(int day);  // "2013-01-01"
int WeekdayOf(int day);         // 1 is Monday, 7 is Sunday.

struct DayWeather {
  int low = 0, mean = 0, high = 0;  // Degrees Celsius.
  int humidity = 0;                 // Percent.
  int wind = 0;                     // km/h.
  int cloud = -1;                   // Eighths; -1 if not observed.
  const char* events = "";          // "Rain-Snow"; empty on most days.
};

// A region, with its own holidays.
struct Region {
  const char* code;
  const char* name;
  std::array<DayWeather, kDays> weather;
  std::array<bool, kDays> school_holiday;
  // a, b and c are kinds of public holidays; 0 means none.
  std::array<char, kDays> public_holiday;
  // How many people search for the chain each week, relative to an ordinary one; about -2 to 2.
  std::vector<double> demand;
};

struct Shop {
  size_t region = 0;
  char kind = 'a';                      // a to d.
  char assortment = 'a';                // a to c.
  double level = 0;                     // Logarithm of the sales of an ordinary day.
  double promotable = 0;                // What a promotion adds to that.
  std::optional<int> competitor_m;      // Distance of the next competitor, if it is known.
  std::optional<int> competitor_since;  // The day it opened, if known; may be before the first.
  std::optional<int> coupons_since;     // The first day of its coupons, if it has any.
  size_t coupon_months = 0;             // In kCouponMonths.
  int closed_from = 0;                  // Rebuilt from this day to the one before closed_to.
  int closed_to = 0;
  bool silent_half_year = false;  // It reported nothing in the second half of 2014.
};

inline constexpr std::array<const char*, 3> kCouponMonths = {"Jan,Apr,Jul,Oct", "Feb,May,Aug,Nov",
                                                             "Mar,Jun,Sep,Dec"};

struct World {
  std::vector<Region> regions;
  std::vector<Shop> shops;
  std::array<bool, kDays> promotion{};  // The same in all shops.
};

World MakeWorld(int shops, Random& random);

}  // namespace protium::stores
