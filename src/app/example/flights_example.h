// SPDX-License-Identifier: Apache-2.0
// Tables to try a job on, of the same shape as those of nycflights13: flights, weather, planes,
// airports, airlines. Everything in them is invented.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct FlightsExample {
  int64_t rows = 32735;  // Flights; the other tables have a size of their own.
  int64_t seed = 1;
};

// The names of the five files.
std::vector<std::string> FlightsExampleFiles();

// Writes the five CSV files into `folder`, which is made. The same options give the same bytes on
// every machine. A file appears whole or not at all.
//
// How late a flight lands depends on when it left, on the hour, the weather at its origin, its
// airline, the age of its plane and the wind along its way, and on luck.
Status WriteFlightsExample(const std::filesystem::path& folder, const FlightsExample& options);

}  // namespace protium
