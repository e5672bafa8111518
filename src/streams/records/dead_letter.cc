// SPDX-License-Identifier: Apache-2.0
#include "records/dead_letter.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

// Of what stands for many bytes.
constexpr size_t kMostShown = 64 << 10;

}  // namespace

Status RefuseEvent(std::string what) {
  return Fail({.exit = Exit::kInput, .what = std::move(what)});
}

std::string ReasonOf(const Status& status) {
  const Fault fault = FaultOf(status);
  return fault.where.empty() ? fault.what : fault.where + ": " + fault.what;
}

DeadLetter Letter(std::string place, std::string reason, std::string_view bytes) {
  return {.place = std::move(place),
          .reason = std::move(reason),
          .bytes = std::string(bytes.substr(0, kMostShown))};
}

Status StopAtNewColumn(std::string where, const std::string& column) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("events have a new column, \"{}\"", column),
               .where = std::move(where),
               .fix = "stream.new_columns = \"ignore\" leaves it out; to use it, add it to "
                      "stream.columns",
               .kept = "all batches before it"});
}

}  // namespace protium
