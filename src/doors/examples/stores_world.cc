// SPDX-License-Identifier: Apache-2.0
#include "examples/stores_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/strict_math.h"

namespace protium::stores {
namespace {

constexpr std::chrono::sys_days kFirstDay{std::chrono::year{2013} / 1 / 1};

struct Place {
  const char* code;
  const char* name;
  double warmth;  // Degrees above the mean of the country.
};

constexpr std::array<Place, 12> kPlaces = {{{"AB", "Amberland", 0.8},
                                            {"BH", "Brackholm", -1.4},
                                            {"CO", "Corvane", 1.9},
                                            {"DL", "Dellmark", 0.2},
                                            {"EF", "Esterfeld", -0.6},
                                            {"FR", "Farrow", 1.1},
                                            {"GL", "Glenmoor", -2.0},
                                            {"HV", "Havenau", 0.9},
                                            {"KS", "Kesterby", -0.3},
                                            {"LW", "Lowmark", 0.4},
                                            {"MT", "Merrant", 1.5},
                                            {"NV", "Norvale", -2.6}}};

// 0 in the middle of winter, 1 in the middle of summer.
double Summer(int day) { return 1 - std::abs((day + 10) % 365 - 183) / 183.0; }

const char* EventsOf(double wet, int mean, bool fog) {
  if (wet > 0.93) return mean < 1 ? "Rain-Snow" : "Rain-Thunderstorm";
  if (wet > 0.6) return mean < 0 ? "Snow" : "Rain";
  return fog ? "Fog" : "";
}

// Weather persists for some days: each day takes most of its own from the day before.
void FillWeather(const Place& place, Random& random, Region& region) {
  double warm = 0, wet = 0.4;
  for (int day = 0; day < kDays; ++day) {
    warm = 0.78 * warm + 2.2 * random.Normal();
    wet = std::clamp(0.6 * wet + 0.4 * random.Uniform() + 0.12 * random.Normal(), 0.0, 1.0);
    const double mean = place.warmth + 1.5 + 16.5 * Summer(day) + warm;
    const double spread = 2 + 4 * random.Uniform();
    DayWeather& w = region.weather[static_cast<size_t>(day)];
    w.mean = static_cast<int>(std::floor(mean));
    w.low = static_cast<int>(std::floor(mean - spread));
    w.high = static_cast<int>(std::floor(mean + spread));
    w.humidity = std::clamp(static_cast<int>(55 + 40 * wet + 4 * random.Normal()), 25, 100);
    w.wind = std::max(2, static_cast<int>(11 + 6 * random.Normal() + 6 * wet));
    const int cloud = std::clamp(static_cast<int>(9 * wet), 0, 8);
    w.cloud = random.Chance(0.08) ? -1 : cloud;
    w.events = EventsOf(wet, w.mean, random.Chance(0.05));
  }
}

// Two weeks around the new year, one in spring, and six in summer that begin earlier in some
// regions.
void FillHolidays(size_t place, Region& region) {
  const int shift = static_cast<int>(place) * 4;
  for (int day = 0; day < kDays; ++day) {
    const Date date = ToDate(day);
    const int of_year = day - (date.year - 2013) * 365;
    const bool winter = of_year < 6 || of_year >= 356;
    const bool spring = of_year >= 84 + shift / 4 && of_year < 98 + shift / 4;
    const bool summer = of_year >= 172 + shift && of_year < 214 + shift;
    region.school_holiday[static_cast<size_t>(day)] = winter || spring || summer;

    char kind = '0';
    if ((date.month == 1 && date.day == 1) || (date.month == 5 && date.day == 1) ||
        (date.month == 10 && date.day == 3)) {
      kind = 'a';
    }
    if (place % 3 == 0 && date.month == 6 && date.day == 4) kind = 'a';  // In some regions only.
    if (of_year == 87 || of_year == 90) kind = 'b';
    if (date.month == 12 && (date.day == 25 || date.day == 26)) kind = 'c';
    region.public_holiday[static_cast<size_t>(day)] = kind;
  }
}

void FillDemand(Random& random, Region& region) {
  double demand = 0;
  for (int week = 0; week <= kDays / 7 + 1; ++week) {
    demand = 0.8 * demand + 0.6 * random.Normal();
    region.demand.push_back(std::clamp(demand, -2.5, 2.5));
  }
}

// Kinds a and d are common; b is a small shop in a station that opens on Sundays.
char DrawKind(Random& random) {
  const double draw = random.Uniform();
  return draw < 0.54 ? 'a' : draw < 0.56 ? 'b' : draw < 0.69 ? 'c' : 'd';
}

// Most competitors are near, some far: exponential with a mean of 5 km.
std::optional<int> DrawCompetitor(Random& random) {
  if (random.Chance(0.01)) return std::nullopt;
  const double far = -5000 * StrictLog(1 - random.Uniform());
  return std::clamp(static_cast<int>(far / 10) * 10, 20, 60'000);
}

Shop DrawShop(Random& random, size_t regions) {
  Shop shop;
  shop.region = std::min(random.Below(regions), random.Below(regions));
  shop.kind = DrawKind(random);
  const double assortment = random.Uniform();
  shop.assortment = shop.kind == 'b' ? 'b' : assortment < 0.53 ? 'a' : 'c';
  shop.competitor_m = DrawCompetitor(random);
  if (random.Chance(0.68)) shop.competitor_since = static_cast<int>(random.Below(4600)) - 3700;
  if (random.Chance(0.51)) shop.coupons_since = static_cast<int>(random.Below(2000)) - 1200;
  shop.coupon_months = random.Below(kCouponMonths.size());
  shop.level = 8.55 + 0.33 * random.Normal() + (shop.assortment == 'c' ? 0.09 : 0) +
               (shop.kind == 'b' ? 0.35 : 0) + (shop.competitor_m.value_or(0) > 8000 ? 0.07 : 0);
  shop.promotable = 0.30 + 0.09 * random.Normal() - (shop.kind == 'b' ? 0.2 : 0);
  if (random.Chance(0.15)) {
    shop.closed_from = static_cast<int>(random.Below(kKnownDays));
    shop.closed_to = shop.closed_from + 8 + static_cast<int>(random.Below(30));
  }
  shop.silent_half_year = random.Chance(0.16);
  return shop;
}

// From Monday to Friday, every other week; occasionally two in a row.
void FillPromotions(Random& random, World& world) {
  bool on = false;
  for (int day = 0; day < kDays; ++day) {
    if (WeekdayOf(day) == 1) on = random.Chance(0.08) ? on : !on;
    world.promotion[static_cast<size_t>(day)] = on && WeekdayOf(day) <= 5;
  }
}

}  // namespace

Date ToDate(int day) {
  const std::chrono::year_month_day date(kFirstDay + std::chrono::days(day));
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

std::string DateText(int day) {
  const Date date = ToDate(day);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

int WeekdayOf(int day) { return (day + 1) % 7 + 1; }

World MakeWorld(int shops, Random& random) {
  World world;
  for (size_t i = 0; i < kPlaces.size(); ++i) {
    Region& region = world.regions.emplace_back();
    region.code = kPlaces[i].code;
    region.name = kPlaces[i].name;
    FillWeather(kPlaces[i], random, region);
    FillHolidays(i, region);
    FillDemand(random, region);
  }
  for (int i = 0; i < shops; ++i) world.shops.push_back(DrawShop(random, world.regions.size()));
  FillPromotions(random, world);
  return world;
}

}  // namespace protium::stores
