// SPDX-License-Identifier: Apache-2.0
// Which ids the rows of a training have: those that its net stores rows for (tensor/id_tables.h).
#pragma once

#include <cstdint>
#include <memory>

#include "collective/communicator.h"
#include "gang/task.h"
#include "os/fd.h"
#include "pipeline/torch_task.h"
#include "protium/training.h"
#include "rows/rows.h"
#include "tensor/id_tables.h"

namespace protium {

// Returns the ids of all training rows, column by column: the same for any ranks. Collective,
// unless `all_here`: then this rank holds all rows (rows/shared_rows.h) and no rank is asked.
// nullptr if rows have no ids. Takes a pass over the rows and, on every rank, up to 50 bytes for
// each id while it lasts. A rank's ids of one column may take 1 GiB.
Result<std::shared_ptr<const IdTables>> CollectIds(const ShardedRows& rows, uint64_t seed,
                                                   bool all_here, Communicator* communicator);

// What became of the ids of a model that training begins with (train.from).
struct StartedIds {
  std::shared_ptr<const IdTables> tables;
  int64_t continued = 0;  // The model and the rows have them.
  int64_t begun = 0;      // The rows alone.
  int64_t kept = 0;       // The model alone.
  int64_t expired = 0;    // The model alone: no epoch has read them for from.expire_epochs.
};

// Collective. Adds to the ids of the rows those that the model from.weights has a row for. Rank 0
// alone reads its file; without `communicator`, as where ranks share a host, each does so. An id
// that is in no row keeps the row of the model, and has gone unread for the epochs of the model's
// training, if that had not read it either; then for those of this one. Where training takes only
// some parameters (from.parameters), none is added.
Result<StartedIds> WithStart(std::shared_ptr<const IdTables> ids, const StartOptions& from,
                             Communicator* communicator);

// Puts the ids where other processes of this machine find them, and reads them there, without a
// pass over the rows.
Result<UniqueFd> ShareIds(const IdTables& ids);
Result<std::shared_ptr<const IdTables>> TakeIds(UniqueFd memory);

// CollectIds() and WithStart() for a training's rows; rank 0 reports what became of a model's ids.
Result<std::shared_ptr<const IdTables>> FindIds(const ShardedRows& rows, const TrainConfig& config,
                                                TaskContext& context, bool all_here,
                                                Communicator* communicator);

}  // namespace protium
