// SPDX-License-Identifier: Apache-2.0
// An engine runs plans. The plan says what a job does, so few calls suffice: Analyze() and
// Explain() move no data, Execute() and Run() do, and Admit() checks whether a gang fits.
//
// Every call on a plan that holds a Broken node returns that node's error. A running call ends soon
// after call.stop is requested, with Cancelled, or after call.deadline, with exit kStalled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "column/stream.h"
#include "plan/node.h"
#include "protium/sources.h"
#include "store/manifest.h"

namespace protium {

// What an engine reports about a plan before it runs.
struct EnginePlan {
  std::string sql;                     // The relational part as the engine will see it.
  std::vector<std::string> not_exact;  // What may differ between engines or runs, with reasons.
  Json placement;                      // For each gang: a table of ranks, or why it does not fit.
  // What is read of each source, by DescribeSource(): {"columns": [...], "filters": "..."}, the
  // comparisons that its server or file reader makes. A source that is not here is read whole.
  Json reads = Json::object();
  // For each kept table what a run would take from the store, or why not; null: it keeps none.
  Json kept;
};

// A table of a database as the database describes it, which may be out of date; -1: unknown.
struct DatabaseTable {
  std::string name;  // With its schema unless that is the usual one.
  int64_t rows = -1;
  int64_t bytes = -1;
};

// An object of a store as a file of this machine.
struct ObjectCopy {
  std::string path;
  std::string sha256;
};

// What a gang will need, checked before any of its rows is read.
struct Demand {
  GangSpec gang;
  bool torch = false;  // Its ranks load LibTorch.
  Plan plan;           // The gang's task over its rows, as far as these are known by then.
};

// Where a gang will run.
struct Admission {
  Json ranks;             // A table of them, as in EnginePlan::placement.
  std::string waits_for;  // Who holds its seats now; empty: nobody as far as known.
};

class LocalStore;

// The rows of a plan, by what decides them.
struct RowsName {
  Json causes;                      // Equal causes, equal rows; null: not known.
  std::vector<StoredInput> inputs;  // The files that they come from.
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Returns the schema of the plan's result. Moves no data.
  virtual Result<SchemaPtr> Analyze(const Plan& plan, const Call& call) = 0;
  // Streams the rows to the caller.
  virtual Result<BatchStreamPtr> Execute(const Plan& plan, const Call& call) = 0;
  // Runs a plan for its effect, such as a Write; returns the number of rows written (or produced).
  virtual Result<int64_t> Run(const Plan& plan, const Call& call) = 0;
  // Checks everything that can be checked cheaply and runs nothing: SQL, columns, files, whether
  // gangs fit.
  virtual Result<EnginePlan> Explain(const Plan& plan, const Call& call) = 0;
  // Returns the source as it stands now, so that it is read in this state later: a Delta table with
  // its version, an Iceberg table with its snapshot, a pattern with its objects. Of other sources,
  // and where an engine knows no such state, the source as it is.
  virtual Result<Source> Pin(const Source& source, const Call&) { return source; }
  // Copies the objects of a pinned source here, in their order; the copies stay as they are for as
  // long as the engine lives. An engine that cannot refuses (kUsage).
  virtual Result<std::vector<ObjectCopy>> CopyHere(const Source& source, const Call& call);
  // Whether a gang can be seated: now, later, or never, which is a fault of exit kUsage that names
  // the number that does not fit. Reads no row. Starts the engine's own workers, so that they load
  // what they need while the rows are made.
  virtual Result<Admission> Admit(const Demand& demand, const Call& call) = 0;
  // The tables of the database that holds `source`, whatever its table, by name. Reads no table.
  // An engine that opens no databases itself refuses (kUsage).
  virtual Result<std::vector<DatabaseTable>> ListTables(const Source& source, const Call& call);
  // The store in which this engine's tables outlive it, for what is made of them; null: none. Lives
  // as long as the engine.
  virtual LocalStore* Kept() { return nullptr; }
  // Names the rows of a plan over kept tables that lie in Kept(): made already, or by an earlier
  // run. The tables count by their contents, however they were made; the causes are null where one
  // is not there, or where the plan itself may give other rows in the next run. Moves no data.
  virtual RowsName NameRows(const Plan&, const Call&) { return {}; }
  virtual std::string address() const = 0;  // "local[2]"
};

}  // namespace protium
