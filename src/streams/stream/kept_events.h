// SPDX-License-Identifier: Apache-2.0
// The events of a stream's last batches as Parquet files in a folder, for trainings on them. A file
// is named after its batch and its number of rows: 000000000012-480.parquet.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <filesystem>

#include "base/status.h"

namespace protium {

// How events were divided.
struct CutEvents {
  int64_t rows = 0;      // To train on.
  int64_t held_out = 0;  // The newest, to judge models on.
};

// One thread may keep and remove, while others cut what is not removed.
class KeptEvents {
 public:
  explicit KeptEvents(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Writes the events of a batch, which outlive a loss of power when it returns. A batch that is
  // made again replaces its file with the same rows.
  Status Keep(int64_t batch, const arrow::RecordBatch& events) const;
  // Writes the newest `most` events of the batches before `batches` in their order: the last ones,
  // a share of `held_out` and one at least, into `tail`, the others into `train`. Fails (kInput)
  // with fewer than two events, and if one of these batches is no longer there.
  Result<CutEvents> Cut(int64_t batches, int64_t most, double held_out,
                        const std::filesystem::path& train,
                        const std::filesystem::path& tail) const;
  // Removes the files that Cut() does not read for `batches` or any later number.
  void Remove(int64_t batches, int64_t most) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace protium
