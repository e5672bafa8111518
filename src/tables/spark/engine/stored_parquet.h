// SPDX-License-Identifier: Apache-2.0
// Kept tables that outlive their session: the Parquet files that Spark wrote for a Materialize
// node, as an object of the user's store (store/local_store.h), found by the next driver that would
// have Spark make the same rows. The store must lie on the disk of the run folder, since files get
// a second name in it and are not copied, and executors must reach it. Nothing here can fail a
// query: what goes wrong is a note, and the table is made as without a store.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/library.h"
#include "spark/ship/tables.h"
#include "spark/sources/embedded.h"
#include "sql/kept_rows.h"
#include "store/local_store.h"

namespace protium {

// Everything that decides the rows of a kept table.
struct RowsCause {
  std::string refused;  // Why they may not be kept; empty: they may.
  Json causes = Json::object();
  std::vector<StoredInput> inputs;
};

// Rows that are there already, with their lease.
struct TakenParquet {
  WrittenRows written;
  std::shared_ptr<const StoredObject> lease;
};

// Thread-safe.
class StoredParquet {
 public:
  // Both must outlive it.
  StoredParquet(SparkSession& session, Embedded& embedded, const EngineRequest& request);

  // Whether there is a store, for Describe() to speak of.
  bool has_store() const { return has_store_; }
  // What decides the rows of the Materialize node `kept`, which Spark makes as `table`, with the
  // columns of `marks`. Hashes files that were not seen before.
  RowsCause CauseOf(const Plan& kept, const SparkTable& table, const std::vector<KeptMark>& marks,
                    const Call& call);
  // The rows of an earlier session, if Spark can read them.
  std::optional<TakenParquet> Find(const RowsCause& cause, const std::string& name,
                                   const SchemaPtr& schema, const Call& call);
  // Begins an object, unless the rows are made as without a store. If another process makes the
  // same rows at this moment, waits for that, after which Find() may have them.
  std::optional<Draft> Begin(const RowsCause& cause, const Call& call);
  // Keeps what was written for `draft`; `again` is the cause as it is now: an input that has
  // changed meanwhile is not what was read. The files stay where they are.
  void Keep(Draft draft, const RowsCause& cause, const RowsCause& again, const WrittenRows& written,
            double seconds, const Call& call);
  // For `protium plan`, as EnginePlan::kept has it.
  Json Describe(const std::string& name, const RowsCause& cause);

 private:
  Result<Engine*> Opened();
  Result<std::string> Settings(const Call& call);
  Result<RowsCause> Ask(const Plan& kept, const Call& call);
  Status Probe(const WrittenRows& rows, const Call& call);
  static void Say(const Status& status, const Call& call);

  SparkSession& session_;
  Embedded& embedded_;
  const bool has_store_;
  const std::string refused_;  // Why nothing is kept at all; empty: it is.
  const std::string run_;
  const bool fresh_;
  std::mutex asking_;     // Held while it is asked what decides rows.
  std::string settings_;  // Empty: not asked yet.
};

}  // namespace protium
