// SPDX-License-Identifier: Apache-2.0
// A job file, checked as `protium check` does before it looks at tables. Loads no extension.
#include "base/fault.h"
#include "job/read_job.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  const InputFile file(data, size);
  const JobMistakes found = FindMistakes(file.path(), {}, Extensions::kLeaveAlone);
  for (const Status& each : found.all) PT_CHECK(FaultOf(each).exit != Exit::kBug);
  return 0;
}
