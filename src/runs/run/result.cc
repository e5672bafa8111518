// SPDX-License-Identifier: Apache-2.0
#include "run/result.h"

#include <chrono>

#include "run/peak_memory.h"

namespace protium {

Json MakeResult(const RunFolder& folder, const RunRecord& record, Clock::time_point started) {
  Json result = {{"run", folder.id()},
                 {"folder", folder.path().string()},
                 {"model", nullptr},
                 {"outputs", Json::array()},
                 {"metrics", Json::object()}};
  result.update(record.results());
  result["memory"] = PeakMemory();
  result["seconds"]["total"] = std::chrono::duration<double>(Clock::now() - started).count();
  return result;
}

}  // namespace protium
