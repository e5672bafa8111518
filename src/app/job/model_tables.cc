// SPDX-License-Identifier: Apache-2.0
#include "app/job/model_tables.h"

#include <fmt/format.h>

#include "base/fault.h"

namespace protium {

namespace fs = std::filesystem;

Result<fs::path> TableBelow(const fs::path& data, const std::string& name, const JobTable& table) {
  const fs::path path = table.csv ? *table.csv : table.parquet.value_or("");
  const fs::path below = path.lexically_normal();
  if (!below.empty() && below.is_relative() && *below.begin() != "..") return data / below;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("table \"{}\" of this model is not below a data folder: \"{}\"",
                                   name, path.string()),
               .where = "etl.json of the model",
               .why = "a model reads only what --data and --input name",
               .fix = "give the table that the model's SQL would make: --input FILE"});
}

}  // namespace protium
