// SPDX-License-Identifier: Apache-2.0
#include "base/prometheus.h"

namespace protium {

std::string LabelText(const std::string& value) {
  std::string safe;
  for (const char c : value) {
    if (c == '\\' || c == '"') safe.push_back('\\');
    safe += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return safe;
}

}  // namespace protium
