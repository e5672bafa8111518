// SPDX-License-Identifier: Apache-2.0
#include "stages/stage_file.h"

#include <fmt/format.h>

#include "base/fault.h"

namespace protium {

Status CheckStageFile(const std::string& what, const std::string& stage, const std::string& file,
                      const std::string& sha256, const std::string& learned) {
  if (sha256 == learned) return Status::OK();
  return Fail(
      {.exit = Exit::kInput,
       .what = "the " + what + " of stage \"" + stage + "\" is not the one that it was made with",
       .where = file,
       .why = fmt::format("its sha256 is {}, not {}", sha256, learned)});
}

}  // namespace protium
