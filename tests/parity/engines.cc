// SPDX-License-Identifier: Apache-2.0
#include "engines.h"

#include <cstdlib>
#include <sstream>

#include "frame/open.h"
#include "local/local_engine.h"

namespace protium {

std::vector<std::string> EngineAddresses() {
  const char* const given = std::getenv("PROTIUM_ENGINES");
  std::stringstream list(given == nullptr ? "local" : given);
  std::vector<std::string> addresses;
  for (std::string address; std::getline(list, address, ',');) addresses.push_back(address);
  return addresses;
}

Result<std::unique_ptr<Engine>> EngineAt(const std::string& address) {
  if (address != "local") return OpenEngine({.engine = address});
  return MakeLocalEngine({.memory_bytes = int64_t{1} << 30, .threads = 2}, nullptr);
}

}  // namespace protium
