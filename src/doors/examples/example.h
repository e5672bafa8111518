// SPDX-License-Identifier: Apache-2.0
// Tables to try a job on. Everything in them is invented, so nothing has to be downloaded or
// licensed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// How much to write, and the seed.
struct ExampleSize {
  // Of the largest table, approximately; the other tables have sizes of their own.
  int64_t rows = 0;
  int64_t seed = 1;
  int64_t ids = 100'000;  // Of "clicks": how many ids all columns have together, about.
};

// An example with its name. `write` puts its files into a folder, which it creates, replacing files
// of the same names, and returns the rows of the largest table. The same size gives the same bytes
// on every machine. Each file appears whole or not at all; after a failure (Exit::kEnvironment,
// kNoRoom) those written before it remain.
struct Example {
  const char* name;
  int64_t rows;                    // The default.
  const char* noun;                // What a row of the largest table is: "flights".
  const char* also;                // What comes with it: " and four more tables".
  std::vector<std::string> files;  // CSV files, and folders with other files.
  Result<int64_t> (*write)(const std::filesystem::path& folder, const ExampleSize& size);
};

std::span<const Example> ListExamples();

// Flights, weather, planes, airports and airlines with the columns of the R package nycflights13.
//
// How late a flight lands depends on its delay at departure, the hour, the weather at its origin,
// its airline, the age of its plane, the wind on its way, and noise: a linear fit to the departure
// delay is a good baseline, and a net can do better.
Result<int64_t> WriteFlightsExample(const std::filesystem::path& folder, const ExampleSize& size);

// A chain of shops: what each sold on every day of two and a half years, the days to come, and
// tables about shops, their regions, the weather there and how often people searched for the chain.
//
// A shop's sales depend on the shop, the weekday, the season, promotions and how long ago they
// were, holidays, nearby competitors, the weather, demand in its region, and noise: the mean of a
// shop on a weekday is the baseline.
Result<int64_t> WriteStoresExample(const std::filesystem::path& folder, const ExampleSize& size);

// Handwritten digits, each a PNG file of 28 x 28 grey pixels, and the table digits.csv with a row
// for each: its path, who wrote it, which digit it is. Writers differ in slant, pen, paper, and in
// how they write a 1, 2, 3, 4, 7 or 9.
Result<int64_t> WriteDigitsExample(const std::filesystem::path& folder, const ExampleSize& size);

// Visits to a web shop, about 4 in 100 of which end with an order: dates, a list of pages in one
// cell, a message, and words with typing mistakes.
//
// The logarithm of the odds is a sum over what happened, except for a few terms that need two
// columns.
Result<int64_t> WriteVisitsExample(const std::filesystem::path& folder, const ExampleSize& size);

// Advertisements that were shown, about a fifth of which were clicked: 13 counts and 26 columns of
// ids, whose frequencies follow Zipf's law. Takes little memory for any number of rows and ids.
//
// The logarithm of the odds is a sum over counts and ids, and over four pairs of columns: of each
// value's two hidden factors, multiplied.
Result<int64_t> WriteClicksExample(const std::filesystem::path& folder, const ExampleSize& size);

}  // namespace protium
