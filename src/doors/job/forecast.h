// SPDX-License-Identifier: Apache-2.0
// What a run of a job will take, as far as that can be said before it: by its latest finished run,
// or else by the sizes of what it will hold.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/json.h"

namespace protium {

// `plan` is what PlanJob() gives, with "tables" as CountRows() has it; `settings` are those in
// effect (ListSettings). Of an earlier run in the folder `runs`:
//   {"run", "seconds": {"total", "etl", "fit", "train", "score"}, "memory": {"driver_bytes",
//    "worker_bytes"}, "workers", "tables": how many times as large its files are now, "epochs": how
//    many it will train at most where they are others, "differs": settings that were others}
// Its seconds grow with tables and epochs, its memory is as it was. Without one:
//   {"memory": {"rows", "rows_bytes", "worker_bytes"}, "workers"}
// Empty for a job that trains nothing and never ran.
Json Forecast(const std::filesystem::path& runs, const std::string& job, const Json& settings,
              const Json& plan);

// The same for people, in lines of at most `width` columns that begin with two blanks.
std::string ForecastText(const Json& forecast, size_t width);

}  // namespace protium
