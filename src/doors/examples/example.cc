// SPDX-License-Identifier: Apache-2.0
#include "examples/example.h"

namespace protium {

std::span<const Example> ListExamples() {
  static const Example kExamples[] = {
      {.name = "flights",
       .rows = 32'735,
       .noun = "flights",
       .also = " and four more tables",
       .files = {"airlines.csv", "airports.csv", "planes.csv", "weather.csv", "flights.csv"},
       .write = WriteFlightsExample},
      {.name = "stores",
       .rows = 1'050'330,  // 1,115 shops over 942 days.
       .noun = "days of shops",
       .also = " and six more tables",
       .files = {"stores.csv", "regions.csv", "store_regions.csv", "weather.csv", "trends.csv",
                 "future.csv", "sales.csv"},
       .write = WriteStoresExample},
      {.name = "digits",
       .rows = 5'000,
       .noun = "pictures",
       .also = " and the table of what they show",
       .files = {"digits.csv", "pictures"},
       .write = WriteDigitsExample},
      {.name = "visits",
       .rows = 60'000,
       .noun = "visits",
       .also = "",
       .files = {"visits.csv"},
       .write = WriteVisitsExample},
      {.name = "clicks",
       .rows = 100'000,
       .noun = "advertisements shown",
       .also = "",
       .files = {"clicks.csv"},
       .write = WriteClicksExample}};
  return kExamples;
}

}  // namespace protium
