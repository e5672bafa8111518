// SPDX-License-Identifier: Apache-2.0
// Batches of a stream that go into a table of a database or of Delta, each once: its rows and its
// number become visible together. The embedded engine's library writes them.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "column/stream.h"
#include "engine/library.h"
#include "protium/sources.h"

namespace protium {

struct BatchTarget {
  Source source;
  std::string stream;  // Whose batches they are: one of a kind.
  // What went wrong although the batch is in the table; may be empty.
  std::function<void(const std::string& message)> note = {};
};

// One thread. Stays connected between batches, but for a file of DuckDB, which others could not
// open; after a fault the next call connects anew. Faults are those of StoreRows() (local/store.h).
class BatchStore {
 public:
  virtual ~BatchStore() = default;
  // Makes the table if there is none. Refuses (kRemote, of Delta kInput) one with other columns.
  virtual Status Start(const SchemaPtr& rows) = 0;
  // The number of the newest batch of this stream that is there; -1: none.
  virtual Result<int64_t> Newest() = 0;
  // Appends a batch. Refuses (kUsage) one whose number is there already: another process has taken
  // over the stream.
  virtual Status Append(int64_t number, const std::shared_ptr<arrow::RecordBatch>& rows) = 0;
};

// The embedded engine's library also has this entry, as protium_open_batches: see EngineEntry. Of
// `request` it takes how much memory it may use, and where it may spill.
using BatchStoreEntry = bool (*)(int32_t version, const EngineRequest& request,
                                 const BatchTarget& target,
                                 Result<std::unique_ptr<BatchStore>>& store);

// Opens the library; connects to nothing.
Result<std::unique_ptr<BatchStore>> OpenBatchStore(const EngineRequest& request,
                                                   const BatchTarget& target);

}  // namespace protium
