// SPDX-License-Identifier: Apache-2.0
// Writes the tables of an invented world (world.h), row by row; each large table draws from its own
// generator. Only the world is held in memory, so any number of flights can be made.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "examples/example.h"
#include "examples/table_file.h"
#include "examples/world.h"

namespace protium {

namespace fs = std::filesystem;

namespace example {

namespace {

// As in the original data, missing values are "NA", some planes and airports have no row in their
// table, and a cancelled flight has no arrival: a job on these tables needs outer joins, an imputer
// and a rule for rows without a label.
//
// Two draws share a statement only if their order does not matter: C++ does not fix the order in
// which arguments are evaluated, and another order would give other tables.

Status WriteAirlines(const fs::path& folder, const World& world) {
  TableFile file(folder / "airlines.csv");
  file.Line("carrier,name");
  for (const Airline& each : world.airlines) file.Line(each.carrier + "," + each.name);
  return file.Finish();
}

Status WriteAirports(const fs::path& folder, const World& world) {
  // By zone, from UTC - 8 to UTC - 5.
  static constexpr const char* kZones[] = {"America/Los_Angeles", "America/Denver",
                                           "America/Chicago", "America/New_York"};
  TableFile file(folder / "airports.csv");
  file.Line("faa,name,lat,lon,alt,tz,dst,tzone");
  for (const Airport& each : world.airports) {
    if (!each.listed) continue;
    file.Line(fmt::format("{},{},{:.6f},{:.6f},{},{},A,{}", each.code, each.name, each.lat,
                          each.lon, each.altitude, each.zone, kZones[each.zone + 8]));
  }
  return file.Finish();
}

Status WritePlanes(const fs::path& folder, const World& world) {
  TableFile file(folder / "planes.csv");
  file.Line("tailnum,year,type,manufacturer,model,engines,seats,speed,engine");
  for (const Plane& each : world.planes) {
    if (!each.listed) continue;
    const Model& model = kModels[each.model];
    file.Line(fmt::format("{},{},Fixed wing {} engine,{},{},{},{},NA,{}", each.tail,
                          each.year_known ? std::to_string(each.built) : "NA",
                          model.engines > 1 ? "multi" : "single", model.manufacturer, model.name,
                          model.engines, model.seats, model.engine));
  }
  return file.Finish();
}

// Local time is UTC - 5 all year: this world has no daylight saving time.
std::string UtcHour(int hour_of_year) {
  const int utc = hour_of_year + 5;
  if (utc >= kHours) return fmt::format("2014-01-01T{:02}:00:00Z", utc - kHours);
  const Date date = ToDate(utc / 24);
  return fmt::format("2013-{:02}-{:02}T{:02}:00:00Z", date.month, date.day, utc % 24);
}

std::string WeatherLine(Random& random, size_t origin, int hour, const Weather& w) {
  const Date date = ToDate(hour / 24);
  // Still air has no direction.
  const bool calm = w.wind_speed == 0;
  const std::string direction = calm || random.Chance(0.015) ? "NA" : std::to_string(w.wind_dir);
  const bool gusts = w.wind_speed > 17 && random.Chance(0.8);
  const std::string gust =
      gusts ? fmt::format("{:.5f}", w.wind_speed * random.Between(1.2, 1.6)) : "NA";
  const std::string pressure = random.Chance(0.1) ? "NA" : fmt::format("{:.1f}", w.pressure);
  return fmt::format("{},2013,{},{},{},{:.2f},{:.2f},{:.2f},{},{:.5f},{},{:.2f},{},{:g},{}",
                     kOrigins[origin], date.month, date.day, hour % 24, w.temp, w.dewp, w.humid,
                     direction, w.wind_speed, gust, w.precip, pressure, w.visib, UtcHour(hour));
}

Status WriteWeather(const fs::path& folder, const World& world, Random random) {
  TableFile file(folder / "weather.csv");
  file.Line(
      "origin,year,month,day,hour,temp,dewp,humid,wind_dir,wind_speed,wind_gust,precip,pressure,"
      "visib,time_hour");
  for (size_t origin = 0; origin < kOrigins.size(); ++origin) {
    for (int hour = 0; hour < kHours; ++hour) {
      if (random.Chance(0.006)) continue;  // The station did not report.
      file.Line(
          WeatherLine(random, origin, hour, world.weather[origin][static_cast<size_t>(hour)]));
    }
  }
  return file.Finish();
}

// A flight as planned; delays are drawn when its line is written.
struct Flight {
  int32_t day = 0;
  int32_t minute = 0;  // Of the day, 0 to 1439.
  size_t origin = 0;
  size_t plane = 0;
  size_t airport = 0;
};

// Mornings and late afternoons are busy, and hardly anyone leaves before five.
int32_t PlannedMinute(Random& random) {
  if (random.Chance(0.004)) return static_cast<int32_t>(random.Below(5 * 60));
  const double hour = random.Chance(0.45) ? 6 + 4 * random.Uniform() * random.Uniform() * 2
                                          : 10 + 6.6 * (random.Uniform() + random.Uniform());
  return std::min(static_cast<int32_t>(hour * 60), 23 * 60 + 59);
}

Flight PlanFlight(Random& random, const World& world) {
  Flight flight;
  flight.day = static_cast<int32_t>(random.Below(365));
  flight.minute = PlannedMinute(random);
  flight.origin = random.Below(3);
  flight.plane = random.Below(world.planes.size());
  // The smaller of two draws: airports at the front of the list have more flights.
  const size_t near = random.Below(world.airports.size());
  flight.airport = std::min(near, random.Below(world.airports.size()));
  return flight;
}

// The weather at the origin in the hour of departure.
const Weather& FindWeather(const World& world, const Flight& flight) {
  return world.weather[flight.origin][static_cast<size_t>(flight.day * 24 + flight.minute / 60)];
}

// Most flights leave on time or a little early; delays grow over the day, and bad weather delays
// some for long: 1 / (1.04 - u) of a uniform u has the heavy tail of real delays.
double DepartureDelay(Random& random, const World& world, const Flight& flight) {
  const Weather& w = FindWeather(world, flight);
  const double hour = flight.minute / 60.0;
  const double busy = std::max(0.0, hour - 5) / 18;
  const double storm =
      std::min(1.0, 6 * w.precip + (10 - w.visib) / 14 + (w.wind_speed > 25 ? 0.3 : 0));
  double delay = -5 + 5 * random.Normal() * 0.8 + 2 * busy;
  if (random.Chance(0.10 + 0.24 * busy + 0.35 * storm)) {
    const double luck = random.Uniform();
    delay += (14 + 20 * busy + 30 * storm) * (1 / (1.04 - luck) - 0.9) * 0.55;
  }
  return std::round(std::clamp(delay, -25.0, 900.0));
}

// The minutes that the flight itself adds to its delay at departure; may be negative.
double DelayOnTheWay(Random& random, const World& world, const Flight& flight) {
  const Weather& w = FindWeather(world, flight);
  const Plane& plane = world.planes[flight.plane];
  const Airport& airport = world.airports[flight.airport];
  const double hour = flight.minute / 60.0;
  const double winter = std::abs(flight.day - 182) / 182.0;
  double minutes = -9 + world.airlines[plane.airline].lateness;
  const double rush = std::max(0.0, 1 - std::abs(hour - 17.5) / 3.5);
  minutes += rush * (flight.origin == 1 ? 13 : 6);
  // The jet stream is strong in winter and blows to the east.
  minutes += -10 * airport.eastward * airport.distance / 1500 * (winter - 0.45);
  minutes += 45 * std::min(w.precip, 0.4) + 1.1 * (10 - w.visib);
  if (w.wind_speed > 18) minutes += 0.45 * (w.wind_speed - 18) * (w.wind_dir > 230 ? 1.5 : 0.5);
  if (w.temp < 30) minutes += 0.35 * (30 - w.temp);
  minutes += 0.25 * (2013 - plane.built - 11);
  const double luck = random.Uniform();
  const double jam = random.Chance(0.08) ? 9 * (1 / (1.06 - luck) - 0.9) : 0;
  return std::round(minutes + 11 * random.Normal() + jam);
}

// Writes times like nycflights13: 517 for 5:17.
std::string ClockText(int32_t minute_of_day) {
  const int32_t minute = ((minute_of_day % 1440) + 1440) % 1440;
  return std::to_string(minute / 60 * 100 + minute % 60);
}

std::string FlightLine(Random& random, const World& world, const Flight& flight) {
  const Plane& plane = world.planes[flight.plane];
  const Airport& airport = world.airports[flight.airport];
  const Date date = ToDate(flight.day);
  const double late = DepartureDelay(random, world, flight);
  const double added = DelayOnTheWay(random, world, flight);
  const auto leaves = std::clamp(flight.minute + static_cast<int32_t>(late), 0, 1439);
  // Minutes in the air at 7.7 miles a minute; a delay on the way is partly spent there.
  const auto air = static_cast<int32_t>(18 + airport.distance / 7.7 + 0.3 * added);
  // 22 minutes on the ground; local time at the destination.
  const int32_t lands = leaves + air + 22 + 60 * (airport.zone + 5);
  const bool cancelled = random.Chance(0.012);
  // A few flights do not say which plane they used.
  const std::string tail = random.Chance(0.004) ? "NA" : plane.tail;
  const std::string end =
      fmt::format("{:.0f},{},{}", std::round(airport.distance), leaves / 60, leaves % 60);
  return fmt::format("2013,{},{},{},{:.0f},{},{},{},{},{},{},{},{},{}", date.month, date.day,
                     ClockText(leaves), late, cancelled ? "NA" : ClockText(lands),
                     cancelled ? "NA" : fmt::format("{:.0f}", late + added),
                     world.airlines[plane.airline].carrier, tail, 1 + random.Below(5999),
                     kOrigins[flight.origin], airport.code,
                     cancelled ? "NA" : std::to_string(std::max(20, air)), end);
}

Status WriteFlights(const fs::path& folder, const World& world, int64_t rows, Random random) {
  TableFile file(folder / "flights.csv");
  file.Line(
      "year,month,day,dep_time,dep_delay,arr_time,arr_delay,carrier,tailnum,flight,origin,dest,"
      "air_time,distance,hour,minute");
  for (int64_t row = 0; row < rows; ++row) {
    file.Line(FlightLine(random, world, PlanFlight(random, world)));
  }
  return file.Finish();
}

}  // namespace

}  // namespace example

Result<int64_t> WriteFlightsExample(const fs::path& folder, const ExampleSize& options) {
  PT_TRY(example::MakeFolder(folder));
  Random random(static_cast<uint64_t>(options.seed));
  const example::World world = example::MakeWorld(random);
  PT_TRY(example::WriteAirlines(folder, world));
  PT_TRY(example::WriteAirports(folder, world));
  PT_TRY(example::WritePlanes(folder, world));
  // The two large tables draw from their own generators: another draw in one does not change the
  // other.
  PT_TRY(example::WriteWeather(folder, world, Random(random.Next())));
  PT_TRY(example::WriteFlights(folder, world, options.rows, Random(random.Next())));
  return options.rows;
}

}  // namespace protium
