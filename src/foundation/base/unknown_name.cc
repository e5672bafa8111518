// SPDX-License-Identifier: Apache-2.0
#include "base/unknown_name.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "base/nearest.h"

namespace protium {

Status UnknownName(std::string_view what, std::string_view name, std::span<const std::string> known,
                   std::string where) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("unknown {} \"{}\"", what, name),
               .where = std::move(where),
               .fix = Suggest(name, known)});
}

}  // namespace protium
