// SPDX-License-Identifier: Apache-2.0
#include "store/worth.h"

#include <algorithm>
#include <tuple>

namespace protium {
namespace {

// What took no time that a clock can see is worth something, too, and an empty object has a cost.
constexpr double kLeastSeconds = 1e-3;
constexpr int64_t kLeastBytes = 4096;

}  // namespace

double WorthAt(double age, double seconds, int64_t uses, int64_t bytes) {
  const double each = std::max(seconds, kLeastSeconds) * double(std::max<int64_t>(uses, 1));
  return age + each / double(std::max(bytes, kLeastBytes));
}

GivenUp ChooseGivenUp(std::vector<Worth> objects, int64_t bytes, double age) {
  // The name decides between equals, so that the choice is the same every time.
  std::ranges::sort(objects, [](const Worth& a, const Worth& b) {
    return std::tie(a.worth, a.name) < std::tie(b.worth, b.name);
  });
  GivenUp given{.age = age};
  for (Worth& each : objects) {
    if (given.bytes >= bytes) break;
    given.bytes += each.bytes;
    given.age = std::max(given.age, each.worth);
    given.names.push_back(std::move(each.name));
  }
  return given;
}

}  // namespace protium
