// SPDX-License-Identifier: Apache-2.0
// A table that is yet to be made: what is to be done and the session that can do it. Implemented by
// the room frame.
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

// What a table is made of: an immutable tree of nodes (plan/node.h).
struct Node;
using Plan = std::shared_ptr<const Node>;

struct SplitOptions {
  Columns by;         // Rows that agree in these fall on one side; empty: all columns.
  double test = 0.2;  // Expected share of the second side.
  int64_t seed = 0;
};

// Cheap to copy. Verbs build and never fail: an error waits for the first action. The session must
// live longer. One thread, that of the session.
class DataFrame {
 public:
  DataFrame(Session& session, Plan plan) : session_(&session), plan_(std::move(plan)) {}
  const Plan& plan() const { return plan_; }
  Session& session() const { return *session_; }

  DataFrame Filter(Expr predicate) const;
  DataFrame Select(const Columns& columns) const;
  DataFrame Project(std::vector<NamedExpr> columns) const;
  DataFrame Limit(int64_t rows) const;
  // Is evaluated once; everything built on the result reads what was kept.
  DataFrame Materialize(std::string name) const;
  // Runs a task of the program (Program::tasks) over the rows, in worker processes.
  DataFrame Map(MapTask task) const;
  // auto [train, test] = frame.Split({.by = {"day"}, .test = 0.2}). Evaluates the frame once.
  Sides Split(const SplitOptions& options) const;

  // Actions. They give the first error of building, refuse settings that nobody asked for, and fail
  // with the fault of the engine.
  // The columns and their types; moves no data.
  Result<SchemaPtr> Schema() const;
  // The rows, as they are made.
  Result<BatchStreamPtr> Stream() const;
  // Runs it for its effect, such as the metrics of rows scored, and keeps nothing; gives the number
  // of rows.
  Result<int64_t> Run() const;
  Result<int64_t> Count() const;
  Writer Write() const;

 private:
  Session* session_;
  Plan plan_;
};

struct Sides {
  DataFrame train;
  DataFrame test;
};

// Writes a frame as one file, whole or not at all; relative paths lie in the run folder. Inputs are
// never written to, and a file of others only by a session that is forced to (--force).
class Writer {
 public:
  explicit Writer(DataFrame frame) : frame_(std::move(frame)) {}
  Status Parquet(const std::string& path) const;
  Status Csv(const std::string& path) const;

 private:
  Status File(Format format, const std::string& path) const;
  DataFrame frame_;
};

// Tables of files. Building never fails: an error waits for the first action.
class Reader {
 public:
  explicit Reader(Session& session) : session_(&session) {}
  // A file, a pattern for the last part of the path ("2013-*.csv"), or a folder: all its files with
  // that ending, by name. Column types are inferred once, over all rows.
  DataFrame Csv(const std::string& path, const CsvOptions& options = {}) const;
  // The same, with columns that `known` has typed as there; a cell that does not fit is a fault.
  DataFrame Csv(const std::string& path, const CsvOptions& options, const SchemaPtr& known) const;
  // Types that `known` has are taken for columns that stand in the names of folders.
  DataFrame Parquet(const std::string& path, const SchemaPtr& known = nullptr) const;
  // A reader of tables whose last columns `names` stand in the names of folders, as in
  // "flights/year=2013/month=1/x.csv": read from "flights" or "flights/*/*/x.csv". Their types are
  // int64, date or string, whichever fits all values.
  Reader Partitions(Columns names) const;

 private:
  Result<Plan> ScanOf(const std::string& path, Format format, const CsvOptions& options,
                      const SchemaPtr& known) const;
  Session* session_;
  Columns partitions_;
};

}  // namespace protium
