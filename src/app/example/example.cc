// SPDX-License-Identifier: Apache-2.0
#include "app/example/example.h"

namespace protium {

std::span<const Example> ListExamples() {
  static const Example kExamples[] = {
      {.name = "flights",
       .rows = 32'735,
       .noun = "flights",
       .files = {"airlines.csv", "airports.csv", "planes.csv", "weather.csv", "flights.csv"},
       .write = WriteFlightsExample},
      {.name = "stores",
       .rows = 1'050'330,  // 1,115 shops over 942 days.
       .noun = "days of shops",
       .files = {"stores.csv", "regions.csv", "store_regions.csv", "weather.csv", "trends.csv",
                 "future.csv", "sales.csv"},
       .write = WriteStoresExample}};
  return kExamples;
}

}  // namespace protium
