// SPDX-License-Identifier: Apache-2.0
// Tables to try a job on: flights, weather, planes, airports and airlines with the columns of the R
// package nycflights13. Everything in them is invented, so nothing has to be downloaded or
// licensed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// How much to write, and which of the possible worlds.
struct FlightsExample {
  int64_t rows = 32735;  // Flights; the other tables have a size of their own.
  int64_t seed = 1;
};

// The names of the five files, without a folder.
std::vector<std::string> FlightsExampleFiles();

// Writes the five CSV files into `folder`, which is created, over files of the same names. The same
// options give the same bytes on every machine. Each file appears whole or not at all; after a
// failure (Exit::kEnvironment, kNoRoom) those written before it stay.
//
// How late a flight lands depends on its delay at departure, the hour, the weather at its origin,
// its airline, the age of its plane, the wind on its way, and noise: a straight line in the
// departure delay is a good baseline, and a net can do better.
Status WriteFlightsExample(const std::filesystem::path& folder, const FlightsExample& options);

}  // namespace protium
