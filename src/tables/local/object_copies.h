// SPDX-License-Identifier: Apache-2.0
// Objects of a store as files of this machine, for tables whose files say nothing of their types:
// those are found by reading all rows, and the rows are then read by the readers of local files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "local/database.h"
#include "os/temporary_folder.h"
#include "store/local_store.h"

namespace protium {

// One thread.
class ObjectCopies {
 public:
  // Copies are kept in `store`, by place, size and time, for later runs; null: in a temporary
  // folder below `spill` (empty: the system's) that goes with this.
  ObjectCopies(LocalStore* store, std::filesystem::path spill)
      : store_(store), spill_(std::move(spill)) {}

  // Copies the objects of a pinned source, several at once, with a few megabytes of memory;
  // `database` must have opened their place (Database::OpenPlace). Returns the copies in the order
  // of the objects; they stay as they are for as long as this lives. An object that was written
  // less than a minute ago is copied anew, since the store's clock could not tell that from one
  // that is written again. Faults: kInput for an object that is not the one that was listed,
  // kRemote for a store that does not answer, kNoRoom.
  Result<std::vector<ObjectCopy>> Take(const Database& database, const Source& source,
                                       const Call& call);

 private:
  Status OpenStore();

  LocalStore* store_;
  std::filesystem::path spill_;
  std::optional<TemporaryFolder> folder_;
  std::unique_ptr<LocalStore> own_;
  std::vector<StoredObject> held_;
};

}  // namespace protium
