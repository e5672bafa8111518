// SPDX-License-Identifier: Apache-2.0
#include "frame/open.h"

#include <charconv>
#include <utility>

#include "base/fault.h"
#include "local/local_engine.h"
#include "os/machine.h"

namespace protium {
namespace {

Status Unknown(const std::string& address) {
  return Fail({.exit = Exit::kUsage,
               .what = "unknown engine \"" + address + "\"",
               .fix = "use \"local\", or \"local[4]\" for exactly 4 workers"});
}

// "local": 0; "local[4]": 4.
Result<int32_t> SeatsOf(const std::string& address) {
  if (address == "local") return 0;
  if (!address.starts_with("local[") || !address.ends_with("]")) return Unknown(address);
  int32_t seats = 0;
  const char* const begin = address.data() + 6;
  const char* const end = address.data() + address.size() - 1;
  const auto read = std::from_chars(begin, end, seats);
  if (read.ec != std::errc() || read.ptr != end || seats < 1) return Unknown(address);
  return seats;
}

int64_t MemoryOf(const SessionOptions& options) {
  return options.memory_bytes > 0 ? options.memory_bytes : ReadMachine().memory_bytes / 2;
}

}  // namespace

Result<std::unique_ptr<Engine>> OpenEngine(const SessionOptions& options) {
  if (options.engine.starts_with("sc://")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the engine " + options.engine + " is not built yet",
                 .fix = "use \"local\""});
  }
  PT_LET(const int32_t seats, SeatsOf(options.engine));
  const auto folder = options.folder;
  LocalOptions local{
      .address = options.engine,
      .memory_bytes = MemoryOf(options),
      .spill = options.spill.empty() && !folder.empty() ? folder / "spill" : options.spill};
  local.workers.seats = seats;
  if (!folder.empty()) local.workers.logs = folder / "logs";
  return MakeLocalEngine(std::move(local));
}

}  // namespace protium
