// SPDX-License-Identifier: Apache-2.0
// Predicts the cost of running a job, as far as possible: from its latest finished run, or else
// from the sizes of its data.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/json.h"

namespace protium {

// `plan` is what PlanJob() returns, with "tables" from CountRows(); `settings` are those in effect
// (ListSettings). If the folder `runs` has an earlier run, returns
//   {"run", "seconds": {"total", "etl", "fit", "train", "score"}, "memory": {"driver_bytes",
//    "worker_bytes"}, "workers", "tables": how many times as large its files are now, "epochs": how
//    many it will train at most if their number changed, "differs": settings that were others}
// Seconds are scaled by tables and epochs, memory is as it was. Otherwise returns
//   {"memory": {"rows", "rows_bytes", "worker_bytes"}, "workers"}
// Empty for a job that trains nothing and never ran.
Json Forecast(const std::filesystem::path& runs, const std::string& job, const Json& settings,
              const Json& plan);

// The same for people, in lines of at most `width` columns, indented by two spaces.
std::string ForecastText(const Json& forecast, size_t width);

}  // namespace protium
