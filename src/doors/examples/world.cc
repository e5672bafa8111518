// SPDX-License-Identifier: Apache-2.0
// How the world is drawn. Constants are chosen so that the tables look like those of nycflights13:
// the same ranges, gaps and shares, without any of its rows.
#include "examples/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace protium::example {

const std::array<Model, 9> kModels = {{{"ALTAIR", "A-220", "Turbo-fan", 2, 180},
                                       {"ALTAIR", "A-330", "Turbo-fan", 2, 379},
                                       {"BORELLI", "717-B", "Turbo-fan", 2, 100},
                                       {"BORELLI", "738-B", "Turbo-fan", 2, 149},
                                       {"BORELLI", "757-B", "Turbo-jet", 2, 178},
                                       {"CORVID WORKS", "RJ-145", "Turbo-fan", 2, 55},
                                       {"CORVID WORKS", "RJ-190", "Turbo-fan", 2, 20},
                                       {"DUFRESNE", "D-80", "Turbo-jet", 2, 142},
                                       {"DUFRESNE", "D-9 LIGHT", "Reciprocating", 1, 8}}};

namespace {

// New York.
constexpr double kHomeLat = 40.7;
constexpr double kHomeLon = -74.0;

std::vector<Airline> MakeAirlines() {
  return {{"AQ", "Aquila Air Inc.", 0.17, -2},
          {"BR", "Borealis Airways", 0.16, 3},
          {"CD", "Condor Lines Inc.", 0.15, 1},
          {"DN", "Dune Air Lines Inc.", 0.12, -5},
          {"EG", "Egret Express Inc.", 0.10, 6},
          {"FA", "Falcon Airlines Co.", 0.08, -1},
          {"GL", "Gull Atlantic", 0.06, 4},
          {"HN", "Heron Airlines Inc.", 0.05, -3},
          {"IB", "Ibis Regional Corp.", 0.04, 8},
          {"JY", "Jay Airways Corp.", 0.03, 2},
          {"KT", "Kestrel Air", 0.015, -7},
          {"LK", "Lark Airlines Inc.", 0.01, 5},
          {"MG", "Magpie America", 0.005, 0},
          {"NJ", "Nightjar Airlines Inc.", 0.005, -4},
          {"OW", "Owl Island Airlines Inc.", 0.004, 10},
          {"PL", "Pelican Air Inc.", 0.001, 7}};
}

// Computes distances and directions on a flat map: 69 miles per degree of latitude, 55 per degree
// of longitude at this latitude. No trigonometry, which may differ in the last bit between
// libraries (random.h).
void Measure(Airport& airport) {
  const double north = (airport.lat - kHomeLat) * 69.0;
  const double east = (airport.lon - kHomeLon) * 55.0;
  airport.distance = std::max(80.0, std::sqrt(north * north + east * east));
  airport.eastward = std::clamp(east / airport.distance, -1.0, 1.0);
}

std::string Letters(Random& random, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text.push_back(static_cast<char>('A' + random.Below(26)));
  return text;
}

// Two words of the lists, some followed by "Regional".
std::string PlaceName(Random& random) {
  static constexpr const char* kFirst[] = {"Amber", "Birch",   "Cedar",   "Drift",
                                           "Elm",   "Fern",    "Granite", "Hazel",
                                           "Iron",  "Juniper", "Laurel",  "Maple"};
  static constexpr const char* kSecond[] = {"Falls", "Harbor", "Hill",  "Junction", "Lake",
                                            "Mesa",  "Point",  "Ridge", "Springs",  "Valley"};
  // One draw per statement: C++ does not fix the order in which arguments are evaluated, and
  // another order would give other tables.
  const char* first = kFirst[random.Below(std::size(kFirst))];
  const char* second = kSecond[random.Below(std::size(kSecond))];
  return fmt::format("{} {}{}", first, second, random.Chance(0.4) ? " Regional" : "");
}

std::vector<Airport> MakeAirports(Random& random) {
  std::vector<Airport> airports;
  std::set<std::string> taken(kOrigins.begin(), kOrigins.end());
  while (airports.size() < 104) {
    Airport airport;
    airport.code = Letters(random, 3);
    if (!taken.insert(airport.code).second) continue;
    airport.name = PlaceName(random);
    airport.lat = std::floor(random.Between(25, 48) * 1e6) / 1e6;
    airport.lon = std::floor(random.Between(-122, -70) * 1e6) / 1e6;
    airport.altitude = static_cast<int32_t>(random.Below(5400));
    // Zones by longitude only, in hours from UTC without daylight saving time.
    airport.zone = airport.lon < -115 ? -8 : airport.lon < -102 ? -7 : airport.lon < -87 ? -6 : -5;
    // Four of 104 have no row, just as in the original a few destinations are not listed.
    airport.listed = airports.size() % 26 != 7;
    Measure(airport);
    airports.push_back(std::move(airport));
  }
  return airports;
}

// Draws an airline by its share. Shares need not add up to 1: the first gets the remainder.
size_t PickAirline(Random& random, const std::vector<Airline>& airlines) {
  double left = random.Uniform();
  for (size_t i = 0; i < airlines.size(); ++i) {
    left -= airlines[i].share;
    if (left < 0) return i;
  }
  return 0;
}

std::vector<Plane> MakePlanes(Random& random, const std::vector<Airline>& airlines) {
  std::vector<Plane> planes;
  std::set<std::string> taken;
  while (planes.size() < 3800) {
    Plane plane;
    const size_t number = 100 + random.Below(900);
    plane.tail = fmt::format("N{}{}", number, Letters(random, 2));
    if (!taken.insert(plane.tail).second) continue;
    // Squared: most planes are young, and none is older than 28 years.
    const double youth = random.Uniform();
    plane.built = 2013 - static_cast<int32_t>(28 * youth * youth) - 1;
    plane.year_known = !random.Chance(0.02);
    const size_t model = random.Below(kModels.size());
    plane.model = std::min(model, random.Below(kModels.size()) + 2);
    plane.airline = PickAirline(random, airlines);
    plane.listed = !random.Chance(0.14);
    planes.push_back(std::move(plane));
  }
  return planes;
}

// A wave between -1 and 1 with period 1, made of two parabolas in place of a sine (random.h).
double Wave(double turn) {
  const double x = 4 * (turn - std::floor(turn));
  const double t = x < 2 ? x - 1 : x - 3;
  return x < 2 ? 1 - t * t : t * t - 1;
}

double Rounded(double value, double step) { return std::round(value / step) * step; }

// Makes a year of weather at one origin. Each hour is mostly the hour before, plus noise (an
// autoregressive process), added to the season and the time of day. `shore` dampens the daily swing
// near the sea.
std::vector<Weather> MakeWeather(Random& random, double shore) {
  std::vector<Weather> hours(kHours);
  double warm = 0, wet = -1, wind = 10, direction = 250, pressure = 1017;
  for (int hour = 0; hour < kHours; ++hour) {
    warm = 0.97 * warm + 1.6 * random.Normal();
    wet = 0.94 * wet + 0.06 * -0.9 + 0.30 * random.Normal();
    wind = std::max(0.0, 0.9 * wind + 1.0 + 1.9 * random.Normal() + 0.3 * std::max(0.0, wet));
    direction += 14 * random.Normal();
    pressure = 0.985 * pressure + 0.015 * 1017 + 0.7 * random.Normal() - 0.12 * wet;
    Weather& w = hours[static_cast<size_t>(hour)];
    const double season = Wave(hour / double(kHours) - 0.30);
    const double day = Wave((hour % 24) / 24.0 - 0.40);
    w.temp = Rounded(55 + 23 * season + 6 * day * shore + warm, 0.18);
    w.humid = std::clamp(Rounded(62 + 22 * wet - 8 * day, 0.01), 15.0, 100.0);
    w.dewp = Rounded(w.temp - (100 - w.humid) * 0.36, 0.18);
    w.wind_dir = ((static_cast<int32_t>(direction / 10) * 10) % 360 + 360) % 360;
    w.wind_speed = std::floor(wind) * 1.15078;
    w.precip = wet > 0.45 ? Rounded(0.16 * (wet - 0.45) * random.Between(0.3, 1.7), 0.01) : 0;
    w.pressure = Rounded(pressure, 0.1);
    w.visib = wet > 0.3
                  ? std::max(0.25, Rounded(10 - 13 * (wet - 0.3) * random.Between(0.6, 1.4), 0.25))
                  : 10;
  }
  return hours;
}

}  // namespace

World MakeWorld(Random& random) {
  World world;
  world.airlines = MakeAirlines();
  world.airports = MakeAirports(random);
  world.planes = MakePlanes(random, world.airlines);
  for (size_t i = 0; i < kOrigins.size(); ++i) {
    world.weather[i] = MakeWeather(random, i == 1 ? 0.7 : 1.0);
  }
  return world;
}

Date ToDate(int32_t day_of_year) {
  static constexpr int32_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  Date date;
  for (const int32_t days : kDays) {
    if (day_of_year < days) break;
    day_of_year -= days;
    ++date.month;
  }
  date.day = day_of_year + 1;
  return date;
}

}  // namespace protium::example
