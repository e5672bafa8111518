// SPDX-License-Identifier: Apache-2.0
// Lazy tables. A DataFrame is a plan plus the session that can run it: verbs extend the plan and
// never fail, actions run it and return a Result. A mistake made while building (an unknown table,
// a missing file) is kept in the plan and reported by the first action. Implemented by the room
// frame.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protium/csv.h"
#include "protium/expr.h"
#include "protium/status.h"
#include "protium/stream.h"
#include "protium/task.h"

namespace protium {

class Session;
class Writer;
enum class Format;
struct Sides;

// How a table is made: an immutable tree of nodes, shared between frames (plan/node.h).
struct Node;
using Plan = std::shared_ptr<const Node>;

// A split by a hash of cell texts, not by chance or by position: a row lands on the same side on
// every engine and in every run (docs/rows.md, "Split"). Or by a column that says it, as a split by
// time does: SELECT ..., day >= DATE '2015-06-14' AS late.
struct SplitOptions {
  Columns by;         // Rows that agree in these stay together; empty: all columns.
  double test = 0.2;  // Expected share of the test side, above 0 and below 1.
  int64_t seed = 0;   // Another seed gives another split of the same rows.
  // A boolean column: its true rows are the test side, and all others, NULL included, the training
  // side. The three members above are then not used.
  std::string column;
};

// Cheap to copy. The session must outlive it. Use it on the session's thread only.
class DataFrame {
 public:
  DataFrame(Session& session, Plan plan) : session_(&session), plan_(std::move(plan)) {}
  const Plan& plan() const { return plan_; }
  Session& session() const { return *session_; }

  // Keeps the rows for which `predicate` is true; false and NULL drop a row.
  DataFrame Filter(Expr predicate) const;
  DataFrame Select(const Columns& columns) const;
  // The table of these expressions alone, in this order.
  DataFrame Project(std::vector<NamedExpr> columns) const;
  // At most `rows` rows. Which ones is up to the engine unless the SQL below orders them.
  DataFrame Limit(int64_t rows) const;
  // Evaluated at most once per session; everything built on the result reads the kept rows. `name`
  // is for explanations.
  DataFrame Materialize(std::string name) const;
  // Runs a task of the program (Program::tasks) over the rows, in worker processes. The columns of
  // the result are task.output.
  DataFrame Map(MapTask task) const;
  // auto [train, test] = frame.Split({.by = {"day"}, .test = 0.2});
  // Both sides read one kept evaluation of this frame.
  Sides Split(const SplitOptions& options) const;

  // The columns and their types. Checks the plan and moves no data.
  Result<SchemaPtr> Schema() const;
  // The actions below run the plan. Each first reports an error made while building, then refuses
  // with Exit::kUsage a --set that nothing has asked for (Session::Setting), then fails with the
  // engine's fault.
  //
  // The rows as the engine produces them. The stream must not outlive the session.
  Result<BatchStreamPtr> Stream() const;
  // Runs the plan for its effect, such as the metrics of scored rows, and drops the rows. Returns
  // their number.
  Result<int64_t> Run() const;
  Result<int64_t> Count() const;
  // Nothing runs until a method of the Writer is called.
  Writer Write() const;

 private:
  Session* session_;
  Plan plan_;
};

// The two sides of a split. Every row of the frame is on exactly one of them.
struct Sides {
  DataFrame train;
  DataFrame test;
};

// Writes a frame as one file, which appears under its name only when it is complete. Each method is
// an action. A relative path lies in the run folder. Refused with Exit::kUsage: paths with "..", an
// input of the run, a file that the run keeps for itself, and outside the run folder any existing
// file that this run did not write, unless the session was started with --force.
class Writer {
 public:
  explicit Writer(DataFrame frame) : frame_(std::move(frame)) {}
  Status Parquet(const std::string& path) const;
  Status Csv(const std::string& path) const;

 private:
  Status File(Format format, const std::string& path) const;
  DataFrame frame_;
};

// Tables from files. A relative path starts in a job file's data folder, in a program in its
// working directory. At the call the files are looked up, hashed for the run's record of its
// inputs, and their columns determined, which for CSV reads them whole; what goes wrong waits for
// the first action.
class Reader {
 public:
  explicit Reader(Session& session) : session_(&session) {}
  // `path` is a file, a pattern in the last part of the path ("2013-*.csv"), or a folder, which
  // means all its *.csv files in the order of their names. Column types are inferred over all rows,
  // so that they depend on neither the engine nor a sample.
  DataFrame Csv(const std::string& path, const CsvOptions& options = {}) const;
  // The same, except that columns of `known` get the types they have there, as when new data is
  // scored by a model; a cell that does not fit is a fault of Exit::kInput.
  DataFrame Csv(const std::string& path, const CsvOptions& options, const SchemaPtr& known) const;
  // The same for Parquet, whose files carry their types; `known` gives the types of the columns
  // that stand in folder names.
  DataFrame Parquet(const std::string& path, const SchemaPtr& known = nullptr) const;
  // A reader for Hive-style trees, in which the columns `names` stand in folder names, as in
  // "flights/year=2013/month=1/x.csv"; the path is then "flights" or "flights/*/*/x.csv". These
  // columns come last and are int64, date or string, the first that fits all values.
  Reader Partitions(Columns names) const;

 private:
  Result<Plan> MakeScan(const std::string& path, Format format, const CsvOptions& options,
                        const SchemaPtr& known) const;
  Session* session_;
  Columns partitions_;
};

}  // namespace protium
