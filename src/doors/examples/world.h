// SPDX-License-Identifier: Apache-2.0
// The invented world of the example: airlines, airports, planes, and a year of weather at three
// origins. All of it follows from the seed; flights are drawn from it (flights_example.cc).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "examples/random.h"

namespace protium::example {

// In 2013, which has no leap day.
inline constexpr int kHours = 365 * 24;
inline constexpr std::array<const char*, 3> kOrigins = {"EWR", "JFK", "LGA"};

struct Airline {
  std::string carrier;
  std::string name;
  double share = 0;     // Of all flights.
  double lateness = 0;  // Minutes lost between departure and arrival, on average.
};

// A destination. Names, codes and positions are invented.
struct Airport {
  std::string code;
  std::string name;
  double lat = 0;
  double lon = 0;
  int32_t altitude = 0;
  int32_t zone = 0;     // Hours from UTC.
  bool listed = true;   // Has a row in airports.csv.
  double distance = 0;  // Miles from New York, on a flat map.
  double eastward = 0;  // -1 due west, 1 due east.
};

// A plane, which belongs to one airline.
struct Plane {
  std::string tail;
  int32_t built = 0;
  bool year_known = true;
  size_t model = 0;    // In kModels.
  size_t airline = 0;  // In World::airlines.
  bool listed = true;  // Has a row in planes.csv.
};

// A type of plane, as planes.csv describes it.
struct Model {
  const char* manufacturer;
  const char* name;
  const char* engine;
  int32_t engines;
  int32_t seats;
};
extern const std::array<Model, 9> kModels;

// The weather at one origin in one hour.
struct Weather {
  double temp = 0;  // Fahrenheit, as is dewp.
  double dewp = 0;
  double humid = 0;  // Percent.
  int32_t wind_dir = 0;
  double wind_speed = 0;  // Miles an hour.
  double precip = 0;      // Inches in the hour.
  // Millibars.
  double pressure = 0;
  double visib = 0;  // Miles
};

// Everything that flights are drawn from. Indices into it are stable.
struct World {
  std::vector<Airline> airlines;
  std::vector<Airport> airports;
  std::vector<Plane> planes;
  std::array<std::vector<Weather>, 3> weather;  // [origin][hour of the year]
};

// Draws a world; the same state of `random` gives the same world.
World MakeWorld(Random& random);

struct Date {
  int32_t month = 1;
  int32_t day = 1;
};
// The date of a day of 2013; day 0 is January 1st.
Date ToDate(int32_t day_of_year);

}  // namespace protium::example
