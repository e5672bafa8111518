// SPDX-License-Identifier: Apache-2.0
// Tables of any form, read to their end as in a job.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/fault.h"
#include "format/bring.h"
#include "tests/fuzz/input_file.h"

namespace protium {

// What is read must be complete, with the announced columns; what cannot be read is a fault of the
// input or the request, never a bug of ours.
inline void ReadTable(const InputFile& file, Format format, const CsvOptions& csv = {}) {
  const auto check = [](const Status& status) {
    if (!status.ok()) PT_CHECK(FaultOf(status).exit != Exit::kBug);
    return status.ok();
  };
  const auto rows = OpenRows({.paths = {file.path()}, .format = format, .csv = csv},
                             [](double) { return Status::OK(); });
  if (!check(rows.status())) return;
  for (int batches = 0; batches < 64; ++batches) {
    const auto batch = (*rows)->Next();
    if (!check(batch.status()) || *batch == nullptr) return;
    PT_CHECK((*batch)->schema()->Equals(*(*rows)->schema()));
    PT_CHECK((*batch)->ValidateFull().ok());
  }
}

}  // namespace protium
