// SPDX-License-Identifier: Apache-2.0
// Writes the tables of a chain of shops (stores_world.h). The largest is written shop by shop, so
// that only the world is held in memory; each shop draws from its own generator.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "base/strict_math.h"
#include "examples/example.h"
#include "examples/stores_world.h"
#include "examples/table_file.h"

namespace protium {

namespace fs = std::filesystem;

namespace stores {
namespace {

using example::TableFile;

// As such tables are in practice: file names contain codes of regions, weeks are given by their
// first and last day, months of coupons are a list in one cell, and unknown values are empty cells.

Status WriteShops(const fs::path& folder, const World& world) {
  TableFile file(folder / "stores.csv");
  file.Line(
      "store,kind,assortment,competitor_m,competitor_month,competitor_year,coupons,"
      "coupons_week,coupons_year,coupon_months");
  for (size_t i = 0; i < world.shops.size(); ++i) {
    const Shop& shop = world.shops[i];
    std::string rival = ",", coupons = "0,,,";
    if (shop.competitor_since) {
      const Date since = ToDate(*shop.competitor_since);
      rival = fmt::format("{},{}", since.month, since.year);
    }
    if (shop.coupons_since) {
      const Date since = ToDate(*shop.coupons_since);
      const int week = (since.month - 1) * 52 / 12 + (since.day - 1) / 7 + 1;
      coupons = fmt::format("1,{},{},\"{}\"", week, since.year, kCouponMonths[shop.coupon_months]);
    }
    file.Line(fmt::format("{},{},{},{},{},{}", i + 1, shop.kind, shop.assortment,
                          shop.competitor_m ? std::to_string(*shop.competitor_m) : "", rival,
                          coupons));
  }
  return file.Finish();
}

Status WriteRegions(const fs::path& folder, const World& world) {
  TableFile regions(folder / "regions.csv");
  regions.Line("region,region_name");
  for (const Region& each : world.regions) regions.Line(fmt::format("{},{}", each.code, each.name));
  PT_TRY(regions.Finish());
  TableFile file(folder / "store_regions.csv");
  file.Line("store,region");
  for (size_t i = 0; i < world.shops.size(); ++i) {
    file.Line(fmt::format("{},{}", i + 1, world.regions[world.shops[i].region].code));
  }
  return file.Finish();
}

Status WriteWeather(const fs::path& folder, const World& world) {
  TableFile file(folder / "weather.csv");
  file.Line("place,date,low_c,mean_c,high_c,humidity,wind_kmh,cloud_cover,events");
  for (const Region& region : world.regions) {
    for (int day = 0; day < kDays; ++day) {
      const DayWeather& w = region.weather[static_cast<size_t>(day)];
      file.Line(fmt::format("{},{},{},{},{},{},{},{},{}", region.name, DateText(day), w.low, w.mean,
                            w.high, w.humidity, w.wind, w.cloud < 0 ? "" : std::to_string(w.cloud),
                            w.events));
    }
  }
  return file.Finish();
}

// Weeks of searches run from Sunday to Saturday; the first began on 2012-12-30.
size_t TrendWeekOf(int day) { return static_cast<size_t>((day + 2) / 7); }

void AddTrend(TableFile& file, const std::string& name, size_t week, double demand) {
  const int first = static_cast<int>(week) * 7 - 2;
  const int index = std::clamp(static_cast<int>(62 + 13 * demand), 0, 100);
  file.Line(fmt::format("{},{} - {},{}", name, DateText(first), DateText(first + 6), index));
}

Status WriteTrends(const fs::path& folder, const World& world) {
  TableFile file(folder / "trends.csv");
  file.Line("file,week,trend");
  const size_t weeks = TrendWeekOf(kDays - 1) + 1;
  for (size_t week = 0; week < weeks; ++week) {
    double all = 0;
    for (const Region& region : world.regions) all += region.demand[week];
    AddTrend(file, "searches_of_shops", week, all / double(world.regions.size()));
  }
  for (const Region& region : world.regions) {
    for (size_t week = 0; week < weeks; ++week) {
      AddTrend(file, fmt::format("searches_of_shops_{}", region.code), week, region.demand[week]);
    }
  }
  return file.Finish();
}

bool IsOpen(const Region& region, const Shop& shop, int day) {
  if (day >= shop.closed_from && day < shop.closed_to) return false;
  if (region.public_holiday[static_cast<size_t>(day)] != '0') return shop.kind == 'b';
  return WeekdayOf(day) != 7 || shop.kind == 'b';
}

// Returns what the calendar adds to the logarithm of sales: the weekday, Christmas, and pay days
// around the end of a month.
double CalendarEffect(const Date& date, int weekday) {
  static constexpr double kWeekdays[] = {0, 0.17, 0.03, -0.03, -0.02, 0.03, -0.12, 0.05};
  double effect = kWeekdays[weekday];
  if (date.month == 12) effect += date.day < 24 ? 0.012 * date.day + 0.06 : -0.15;
  if (date.day >= 29 || date.day <= 3) effect += 0.07;
  if (date.month == 7 || date.month == 8) effect -= 0.04;
  return effect + 0.03 * (date.year - 2013);
}

double WeatherEffect(const DayWeather& w) {
  const bool wet = w.events[0] == 'R' || w.events[0] == 'S';
  return (wet ? -0.045 : 0) + (w.mean > 22 ? -0.01 * (w.mean - 22) : 0) - (w.wind > 28 ? 0.03 : 0);
}

// Nearby competitors take most when they have just opened. Those with an unknown opening date have
// existed for long.
double CompetitorEffect(const Shop& shop, int day) {
  const int since = shop.competitor_since.value_or(-2000);
  if (!shop.competitor_m || day < since) return 0;
  const double near = 1 / (1 + *shop.competitor_m / 1500.0);
  return -near * (0.08 + 0.16 / (1 + (day - since) / 90.0));
}

// Whether a comma-separated list contains the month's three letters.
bool HasMonth(std::string_view months, int month) {
  static constexpr std::string_view kNames = "JanFebMarAprMayJunJulAugSepOctNovDec";
  return months.find(kNames.substr(static_cast<size_t>(month - 1) * 3, 3)) != months.npos;
}

// Customers come back after days on which the shop was closed, and wait for a promotion that they
// know of.
double WaitingEffect(const World& world, const Shop& shop, int day, int days_closed) {
  double effect = 0.06 * std::min(days_closed, 12) / 2.0;
  if (days_closed == 1) effect = 0.02;
  const auto promotion = [&](int on) {
    return on >= 0 && on < kDays && world.promotion[static_cast<size_t>(on)];
  };
  if (!promotion(day) && promotion(day + 2)) effect -= 0.04;
  if (promotion(day) && !promotion(day - 3)) effect += 0.25 * shop.promotable;
  return effect;
}

double ExpectedLog(const World& world, const Shop& shop, int day, int days_closed) {
  const Region& region = world.regions[shop.region];
  const Date date = ToDate(day);
  double log = shop.level + CalendarEffect(date, WeekdayOf(day)) +
               WeatherEffect(region.weather[static_cast<size_t>(day)]) +
               CompetitorEffect(shop, day) + WaitingEffect(world, shop, day, days_closed);
  if (world.promotion[static_cast<size_t>(day)]) log += shop.promotable;
  if (region.school_holiday[static_cast<size_t>(day)]) log += 0.04;
  const bool coupons = shop.coupons_since && day >= *shop.coupons_since;
  if (coupons && HasMonth(kCouponMonths[shop.coupon_months], date.month)) log += 0.05;
  return log + 0.05 * region.demand[TrendWeekOf(day)];
}

// Returns the columns that both tables of days share after the first: what is known beforehand.
std::string DayCells(const World& world, size_t shop, int day, bool open) {
  const Region& region = world.regions[world.shops[shop].region];
  const auto at = static_cast<size_t>(day);
  return fmt::format("{},{},{},{},{},{},{}", shop + 1, DateText(day), WeekdayOf(day), open ? 1 : 0,
                     world.promotion[at] ? 1 : 0, region.public_holiday[at],
                     region.school_holiday[at] ? 1 : 0);
}

// Returns the days with known sales.
int64_t AddDaysOf(const World& world, size_t index, Random random, TableFile& sales,
                  TableFile& future) {
  const Shop& shop = world.shops[index];
  int days_closed = 0;
  int64_t known = 0;
  for (int day = 0; day < kDays; ++day) {
    const bool open = IsOpen(world.regions[shop.region], shop, day);
    const double log = ExpectedLog(world, shop, day, days_closed) + 0.085 * random.Normal();
    const double basket = 8.6 + 1.1 * random.Normal() + (shop.kind == 'd' ? 2 : 0);
    days_closed = open ? 0 : days_closed + 1;
    const std::string cells = DayCells(world, index, day, open);
    if (day >= kKnownDays) {
      future.Line(cells);
      continue;
    }
    if (shop.silent_half_year && day >= 546 && day < 730) continue;
    const double sold = open ? std::floor(StrictExpm1(log)) : 0;
    const double customers = open ? std::floor(sold / std::max(4.0, basket)) : 0;
    sales.Line(fmt::format("{},{:.0f},{:.0f}", cells, sold, customers));
    ++known;
  }
  return known;
}

Result<int64_t> WriteDays(const fs::path& folder, const World& world, uint64_t seed) {
  static constexpr const char* kShared =
      "store,date,weekday,open,promo,public_holiday,school_holiday";
  TableFile sales(folder / "sales.csv"), future(folder / "future.csv");
  sales.Line(std::string(kShared) + ",sales,customers");
  future.Line(kShared);
  int64_t known = 0;
  for (size_t i = 0; i < world.shops.size(); ++i) {
    known += AddDaysOf(world, i, Random(seed + i), sales, future);
  }
  PT_TRY(future.Finish());
  PT_TRY(sales.Finish());
  return known;
}

}  // namespace
}  // namespace stores

Result<int64_t> WriteStoresExample(const fs::path& folder, const ExampleSize& size) {
  PT_TRY(example::MakeFolder(folder));
  Random random(static_cast<uint64_t>(size.seed));
  // Whole shops only, and at least one.
  const int64_t shops = (std::max<int64_t>(size.rows, 1) - 1) / stores::kKnownDays + 1;
  const stores::World world = stores::MakeWorld(static_cast<int>(shops), random);
  PT_TRY(stores::WriteShops(folder, world));
  PT_TRY(stores::WriteRegions(folder, world));
  PT_TRY(stores::WriteWeather(folder, world));
  PT_TRY(stores::WriteTrends(folder, world));
  return stores::WriteDays(folder, world, random.Next());
}

}  // namespace protium
