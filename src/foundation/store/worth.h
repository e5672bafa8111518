// SPDX-License-Identifier: Apache-2.0
// What gives way when the store is full: the objects with the least worth, by the seconds that
// making them again would take, their uses and their bytes (GreedyDual-Size-Frequency, Cherkasova
// 1998). Pure arithmetic: it reads no clock and no file.
//
// The age of a store is the worth of what it gave up last. An object's worth counts from the age at
// its latest use, so that what is not used any more falls behind; a scan of large objects that are
// used once passes through and leaves the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

struct Worth {
  std::string name;
  int64_t bytes = 0;
  double seconds = 0;
  int64_t uses = 1;
  double worth = 0;  // WorthAt() its latest use.
};

// The worth of an object that is used at this age of the store, for which `uses` counts the use.
double WorthAt(double age, double seconds, int64_t uses, int64_t bytes);

struct GivenUp {
  std::vector<std::string> names;  // In the order in which they go.
  int64_t bytes = 0;
  double age = 0;  // Of the store, afterwards.
};

// Chooses the least worthy of `objects` until they have `bytes`, or all of them.
GivenUp ChooseGivenUp(std::vector<Worth> objects, int64_t bytes, double age);

}  // namespace protium
