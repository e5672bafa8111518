// SPDX-License-Identifier: Apache-2.0
#include "stages/holiday_rules.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>

namespace protium {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::weekday;

enum class On {
  kDate,         // Of `month` and `day`.
  kEaster,       // `day` days after Easter Sunday.
  kWeekday,      // The `day`-th `weekday` of `month`; -1: the last.
  kExceptSunday  // Of `month` and `day`; the day before if that is a Sunday.
};

struct Rule {
  On on = On::kDate;
  int month = 0;
  int day = 0;
  int from = kFirstHolidayYear;
  int to = kLastHolidayYear;
  int every = 1;    // Only in years that this divides.
  int weekday = 1;  // 1: Monday.
};

// The day off for a holiday on a weekend.
enum class Instead { kNone, kNearest, kNextFree };

constexpr Rule Date(int month, int day, int from = kFirstHolidayYear, int to = kLastHolidayYear) {
  return {On::kDate, month, day, from, to};
}
constexpr Rule Easter(int after, int from = kFirstHolidayYear, int to = kLastHolidayYear) {
  return {On::kEaster, 0, after, from, to};
}
constexpr Rule Monday(int month, int number, int from = kFirstHolidayYear,
                      int to = kLastHolidayYear) {
  return {On::kWeekday, month, number, from, to};
}
constexpr Rule Once(int year, int month, int day) { return Date(month, day, year, year); }

constexpr int kGoodFriday = -2, kEasterMonday = 1, kAscension = 39, kWhitSunday = 49,
              kWhitMonday = 50, kCorpusChristi = 60;

constexpr Rule kAustria[] = {Date(1, 1),
                             Date(1, 6),
                             Easter(kEasterMonday),
                             Date(5, 1),
                             Easter(kAscension),
                             Easter(kWhitMonday),
                             Easter(kCorpusChristi),
                             Date(8, 15),
                             Date(10, 26),
                             Date(11, 1),
                             Date(12, 8),
                             Date(12, 25),
                             Date(12, 26)};
constexpr Rule kBelgium[] = {Date(1, 1),          Easter(0),          Easter(kEasterMonday),
                             Date(5, 1),          Easter(kAscension), Easter(kWhitSunday),
                             Easter(kWhitMonday), Date(7, 21),        Date(8, 15),
                             Date(11, 1),         Date(11, 11),       Date(12, 25)};
constexpr Rule kBrazil[] = {Date(1, 1),         Easter(kGoodFriday), Date(4, 21), Date(5, 1),
                            Date(9, 7),         Date(10, 12),        Date(11, 2), Date(11, 15),
                            Date(11, 20, 2024), Date(12, 25)};
constexpr Rule kCzechia[] = {Date(1, 1),
                             Easter(kGoodFriday, 2016),
                             Easter(kEasterMonday),
                             Date(5, 1),
                             Date(5, 8),
                             Date(7, 5),
                             Date(7, 6),
                             Date(9, 28, 2000),
                             Date(10, 28),
                             Date(11, 17),
                             Date(12, 24),
                             Date(12, 25),
                             Date(12, 26)};
constexpr Rule kGermany[] = {Date(1, 1),  Easter(kGoodFriday), Easter(kEasterMonday),
                             Date(5, 1),  Easter(kAscension),  Easter(kWhitMonday),
                             Date(10, 3), Once(2017, 10, 31),  Date(12, 25),
                             Date(12, 26)};
constexpr Rule kDenmark[] = {Date(1, 1),
                             Easter(-3),
                             Easter(kGoodFriday),
                             Easter(0),
                             Easter(kEasterMonday),
                             Easter(26, kFirstHolidayYear, 2023),
                             Easter(kAscension),
                             Easter(kWhitSunday),
                             Easter(kWhitMonday),
                             Date(12, 25),
                             Date(12, 26)};
// Whit Monday was a day of work from 2005 to 2007.
constexpr Rule kFrance[] = {Date(1, 1),
                            Easter(kEasterMonday),
                            Date(5, 1),
                            Date(5, 8),
                            Easter(kAscension),
                            Easter(kWhitMonday, kFirstHolidayYear, 2004),
                            Easter(kWhitMonday, 2008),
                            Date(7, 14),
                            Date(8, 15),
                            Date(11, 1),
                            Date(11, 11),
                            Date(12, 25)};
// Early May and Spring have moved for anniversaries.
constexpr Rule kEngland[] = {Date(1, 1),
                             Easter(kGoodFriday),
                             Easter(kEasterMonday),
                             Once(1995, 5, 8),
                             Monday(5, 1, 1996, 2019),
                             Once(2020, 5, 8),
                             Monday(5, 1, 2021),
                             Monday(5, -1, kFirstHolidayYear, 2001),
                             Once(2002, 6, 3),
                             Once(2002, 6, 4),
                             Monday(5, -1, 2003, 2011),
                             Once(2012, 6, 4),
                             Once(2012, 6, 5),
                             Monday(5, -1, 2013, 2021),
                             Once(2022, 6, 2),
                             Once(2022, 6, 3),
                             Monday(5, -1, 2023),
                             Monday(8, -1),
                             Once(1999, 12, 31),
                             Once(2011, 4, 29),
                             Once(2022, 9, 19),
                             Once(2023, 5, 8),
                             Date(12, 25),
                             Date(12, 26)};
constexpr Rule kItaly[] = {Date(1, 1),
                           Date(1, 6),
                           Once(2011, 3, 17),
                           Easter(0),
                           Easter(kEasterMonday),
                           Date(4, 25),
                           Date(5, 1),
                           Date(6, 2, 2001),
                           Date(10, 4, 2026),
                           {On::kWeekday, 6, 1, kFirstHolidayYear, 2000, 1, 7},
                           {.on = On::kWeekday, .month = 11, .day = 1, .weekday = 7},
                           Date(8, 15),
                           Date(11, 1),
                           Date(12, 8),
                           Date(12, 25),
                           Date(12, 26)};
constexpr Rule kNetherlands[] = {Date(1, 1),
                                 Easter(0),
                                 Easter(kEasterMonday),
                                 {On::kExceptSunday, 4, 30, kFirstHolidayYear, 2013},
                                 {On::kExceptSunday, 4, 27, 2014},
                                 {On::kDate, 5, 5, kFirstHolidayYear, kLastHolidayYear, 5},
                                 Easter(kAscension),
                                 Easter(kWhitSunday),
                                 Easter(kWhitMonday),
                                 Date(12, 25),
                                 Date(12, 26)};
constexpr Rule kNorway[] = {
    Date(1, 1),   Easter(-3),  Easter(kGoodFriday), Easter(0),           Easter(kEasterMonday),
    Date(5, 1),   Date(5, 17), Easter(kAscension),  Easter(kWhitSunday), Easter(kWhitMonday),
    Date(12, 25), Date(12, 26)};
constexpr Rule kPoland[] = {
    Date(1, 1),         Date(1, 6, 2011), Easter(0),           Easter(kEasterMonday),
    Date(5, 1),         Date(5, 3),       Easter(kWhitSunday), Easter(kCorpusChristi),
    Date(8, 15),        Date(11, 1),      Date(11, 11),        Once(2018, 11, 12),
    Date(12, 24, 2025), Date(12, 25),     Date(12, 26)};
// Four were suspended from 2013 to 2015.
constexpr Rule kPortugal[] = {Date(1, 1),
                              Easter(kGoodFriday),
                              Easter(0),
                              Date(4, 25),
                              Date(5, 1),
                              Easter(kCorpusChristi, kFirstHolidayYear, 2012),
                              Easter(kCorpusChristi, 2016),
                              Date(6, 10),
                              Date(8, 15),
                              Date(10, 5, kFirstHolidayYear, 2012),
                              Date(10, 5, 2016),
                              Date(11, 1, kFirstHolidayYear, 2012),
                              Date(11, 1, 2016),
                              Date(12, 1, kFirstHolidayYear, 2012),
                              Date(12, 1, 2016),
                              Date(12, 8),
                              Date(12, 25)};
// Those of federal law.
constexpr Rule kUnitedStates[] = {
    Date(1, 1),        Monday(1, 3),
    Monday(2, 3),      Monday(5, -1),
    Date(6, 19, 2021), Date(7, 4),
    Monday(9, 1),      Monday(10, 2),
    Date(11, 11),      {.on = On::kWeekday, .month = 11, .day = 4, .weekday = 4},
    Date(12, 25)};

struct Country {
  std::span<const Rule> rules;
  Instead instead = Instead::kNone;
};

const std::map<std::string, Country>& Countries() {
  static const std::map<std::string, Country> all = {
      {"AT", {kAustria}},  {"BE", {kBelgium}},
      {"BR", {kBrazil}},   {"CZ", {kCzechia}},
      {"DE", {kGermany}},  {"DK", {kDenmark}},
      {"FR", {kFrance}},   {"GB", {kEngland, Instead::kNextFree}},
      {"IT", {kItaly}},    {"NL", {kNetherlands}},
      {"NO", {kNorway}},   {"PL", {kPoland}},
      {"PT", {kPortugal}}, {"US", {kUnitedStates, Instead::kNearest}},
  };
  return all;
}

sys_days DayOf(int year, int month, int day) {
  using namespace std::chrono;
  return sys_days(year_month_day{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                 std::chrono::day(unsigned(day))});
}

// Easter Sunday of the Gregorian calendar, by the algorithm that Butcher's Ecclesiastical Calendar
// (1876) gives.
sys_days EasterOf(int year) {
  const int a = year % 19, b = year / 100, c = year % 100;
  const int d = b / 4, e = b % 4, f = (b + 8) / 25, g = (b - f + 1) / 3;
  const int h = (19 * a + b - d - g + 15) % 30, i = c / 4, k = c % 4;
  const int l = (32 + 2 * e + 2 * i - h - k) % 7, m = (a + 11 * h + 22 * l) / 451;
  const int sum = h + l - 7 * m + 114;
  return DayOf(year, sum / 31, sum % 31 + 1);
}

sys_days WeekdayOf(int year, const Rule& rule) {
  using namespace std::chrono;
  const auto of = std::chrono::year(year) / month(unsigned(rule.month));
  const weekday day(unsigned(rule.weekday));
  return rule.day < 0 ? sys_days(of / day[last]) : sys_days(of / day[unsigned(rule.day)]);
}

sys_days DayOf(int year, const Rule& rule) {
  if (rule.on == On::kEaster) return EasterOf(year) + days(rule.day);
  if (rule.on == On::kWeekday) return WeekdayOf(year, rule);
  const sys_days day = DayOf(year, rule.month, rule.day);
  const bool sunday = weekday(day) == std::chrono::Sunday;
  return rule.on == On::kExceptSunday && sunday ? day - days(1) : day;
}

bool OnWeekend(sys_days day) {
  return weekday(day) == std::chrono::Saturday || weekday(day) == std::chrono::Sunday;
}

sys_days InsteadOf(sys_days day, Instead instead, const std::set<sys_days>& taken) {
  if (instead == Instead::kNearest) {
    return weekday(day) == std::chrono::Saturday ? day - days(1) : day + days(1);
  }
  while (OnWeekend(day) || taken.contains(day)) day += days(1);
  return day;
}

}  // namespace

std::vector<std::string> HolidayCountries() {
  std::vector<std::string> codes;
  for (const auto& [code, country] : Countries()) codes.push_back(code);
  return codes;
}

std::vector<int32_t> HolidaysOf(const std::string& code) {
  const auto found = Countries().find(code);
  if (found == Countries().end()) return {};
  std::set<sys_days> all;
  // The first of January of the year after may be observed in this one.
  for (int year = kFirstHolidayYear; year <= kLastHolidayYear + 1; ++year) {
    for (const Rule& rule : found->second.rules) {
      const bool open = rule.to == kLastHolidayYear && year > rule.to;
      const bool held = year >= rule.from && (year <= rule.to || open) && year % rule.every == 0;
      if (held) all.insert(DayOf(year, rule));
    }
  }
  const Instead instead = found->second.instead;
  const std::set<sys_days> as_written = all;
  for (const sys_days day : as_written) {
    if (instead != Instead::kNone && OnWeekend(day)) all.insert(InsteadOf(day, instead, all));
  }
  std::vector<int32_t> out;
  const sys_days end = DayOf(kLastHolidayYear + 1, 1, 1);
  for (const sys_days day : all) {
    if (day < end) out.push_back(int32_t(day.time_since_epoch().count()));
  }
  return out;
}

}  // namespace protium
