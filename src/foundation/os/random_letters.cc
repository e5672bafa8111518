// SPDX-License-Identifier: Apache-2.0
#include "os/random_letters.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace protium {

std::string RandomLetters(size_t count) {
  constexpr std::string_view kLetters = "23456789abcdefghjkmnpqrstuvwxyz";
  unsigned char bytes[64] = {};
  count = std::min(count, sizeof bytes);
  if (getrandom(bytes, count, 0) != static_cast<ssize_t>(count)) bytes[0] = getpid() & 0xff;
  std::string text;
  for (size_t i = 0; i < count; ++i) text.push_back(kLetters[bytes[i] % kLetters.size()]);
  return text;
}

}  // namespace protium
