// SPDX-License-Identifier: Apache-2.0
#include "gang/wish.h"

#include <fstream>

namespace protium {

int32_t ReadWish(const std::filesystem::path& file) {
  int32_t wanted = 0;
  return std::ifstream(file) >> wanted && wanted > 0 ? wanted : 0;
}

}  // namespace protium
