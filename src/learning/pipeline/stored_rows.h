// SPDX-License-Identifier: Apache-2.0
// Packed rows that outlive their run: a training whose rows are in the store maps them there
// (rows/kept_rows.h), and what another has packed goes there.
#pragma once

#include <optional>

#include "os/temporary_folder.h"
#include "pipeline/kept_work.h"
#include "pipeline/torch_task.h"

namespace protium {

// One training. `session` must outlive it.
class StoredRows {
 public:
  // `input` is the plan whose rows the gang packs, and `config` what else determines them. Sets
  // config.shared, unless that is set already or rows are not kept.
  StoredRows(SessionState& session, const Plan& input, const std::string& task,
             TrainConfig& config);
  // What it would take (KeptWork::Describe()); null: the rows have no name.
  static Json Describe(SessionState& session, const Plan& input, const std::string& task,
                       const TrainConfig& config);
  // After the training: keeps what its workers have packed.
  void Keep();

 private:
  bool Map(const StoredObject& object);

  KeptWork work_;
  std::optional<StoredObject> lease_;      // Of rows that are mapped.
  std::optional<TemporaryFolder> folder_;  // Names of the same files for workers.
  Clock::time_point since_ = Clock::now();
  bool packs_ = false;
};

}  // namespace protium
