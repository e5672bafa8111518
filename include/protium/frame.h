// SPDX-License-Identifier: Apache-2.0
// Lazy tables. A DataFrame is a plan plus the session that can run it: verbs extend the plan and
// never fail, actions run it and return a Result. A mistake made while building (an unknown table,
// a missing file) is kept in the plan and reported by the first action. Implemented by the room
// frame.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protium/csv.h"
#include "protium/expr.h"
#include "protium/status.h"
#include "protium/stream.h"
#include "protium/task.h"

namespace protium {

class Groups;
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

// A column that two tables share, under whatever names: {"origin", {"tailnum", "plane"}}.
struct JoinKey {
  JoinKey(const char* name) : JoinKey(std::string(name)) {}
  JoinKey(std::string name) : left(name), right(std::move(name)) {}
  JoinKey(std::string left_name, std::string right_name)
      : left(std::move(left_name)), right(std::move(right_name)) {}
  std::string left;
  std::string right;
};

// Which rows a join keeps besides the pairs that match: none, those of the left table without a
// match, those of the right one, both. kSemi keeps the rows of the left table that have a match,
// once each, and kAnti those that have none, both without columns of the right table. kCross pairs
// every row with every row.
enum class JoinKind { kInner, kLeft, kRight, kFull, kSemi, kAnti, kCross };

// NULL in a key matches nothing.
struct JoinOptions {
  std::vector<JoinKey> on;  // At least one; none for kCross.
  JoinKind how = JoinKind::kInner;
};

// Rows around a row, itself 0: {-6, 0} is the row and the six before it. nullopt: without an end.
struct RowRange {
  std::optional<int64_t> from;
  std::optional<int64_t> to;
};

// Which rows a window function sees.
struct WindowOptions {
  Columns by;                     // Rows that agree in these; empty: all rows.
  std::vector<SortKey> order;     // Needed by ranks, Lag() and Lead().
  std::optional<RowRange> range;  // Unset: with an order up to the row and its equals, else all.
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
  // All columns and these: a new one comes last, one that is there is replaced in its place. The
  // expressions see the columns as they were before.
  DataFrame WithColumns(std::vector<NamedExpr> columns) const;
  DataFrame Rename(const std::map<std::string, std::string>& old_to_new) const;
  DataFrame Drop(const Columns& columns) const;
  // The keys stand once, under the left table's name, then its other columns, then those of the
  // right table; no other name may be in both. The keys' types must be equal, or both whole numbers
  // with a sign.
  DataFrame Join(const DataFrame& right, const JoinOptions& options) const;
  // Without keys, all rows are one group, even if there are none.
  Groups GroupBy(Columns keys) const;
  // WithColumns() whose expressions may hold functions of the rows around a row:
  //   sales.Window({.by = {"shop"}, .order = {Asc("day")}}, {{"so_far", Sum(Col("amount"))}})
  DataFrame Window(const WindowOptions& over, std::vector<NamedExpr> columns) const;
  // Rows that are equal in all keys come in any order. Stream(), Write() and Limit() right after it
  // keep the order; any other verb may lose it.
  DataFrame Sort(const std::vector<SortKey>& keys) const;
  // The rows of both, repeated ones too. Both have the same columns, in any order.
  DataFrame Union(const DataFrame& other) const;
  DataFrame Distinct() const;
  // About this share of the rows, above 0 and below 1, chosen by the hash that Split() uses: the
  // same rows on every engine and in every run. Rows that agree in `by` (empty: all columns) are
  // taken or left together.
  DataFrame Sample(double share, int64_t seed = 0, Columns by = {}) const;
  // A row for each column: column, type, rows, nulls, distinct, and where its type has them min and
  // max (as text), mean and stddev.
  DataFrame Describe() const;
  // At most `rows` rows: the first ones after Sort(), else which ones is up to the engine.
  DataFrame Limit(int64_t rows) const;
  // Evaluated at most once per session; everything built on the result reads the kept rows. `name`
  // is for explanations.
  DataFrame Materialize(std::string name) const;
  // Runs a task of the program (Program::tasks) over the rows, in worker processes. The columns of
  // the result are task.output; functions.h makes tasks of plain functions.
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

// Rows that agree in some columns; NULL counts as a value.
class Groups {
 public:
  Groups(DataFrame frame, Columns keys) : frame_(std::move(frame)), keys_(std::move(keys)) {}
  // One row a group: the keys and these columns, which may hold CountRows(), Sum() and their like
  // (protium/expr.h), and keys.
  DataFrame Aggregate(std::vector<NamedExpr> columns) const;
  // Aggregate() then makes each of its columns once for every value of `column`, of the rows that
  // have it: a column is called after the value, and with several, value_name. The values are given
  // because a plan's columns must be known before it runs.
  Groups Pivot(std::string column, std::vector<Literal> values) const;
  // Runs a task over whole groups: see EachGroup() in functions.h. Rows of a group come in `order`;
  // without one in any.
  DataFrame Map(MapTask task, std::vector<SortKey> order = {}) const;

 private:
  DataFrame frame_;
  Columns keys_;
  std::string pivot_;
  std::vector<Literal> values_;
};

// The two sides of a split. Every row of the frame is on exactly one of them.
struct Sides {
  DataFrame train;
  DataFrame test;
};

struct WriteOptions {
  Columns partitions;  // Columns whose values become names of folders.
};

// Writes a frame as one file, which appears under its name only when it is complete. Each method is
// an action. A relative path lies in the run folder. Refused with Exit::kUsage: paths with "..", an
// input of the run, a file that the run keeps for itself, and outside the run folder any existing
// file that this run did not write, unless the session was started with --force.
class Writer {
 public:
  explicit Writer(DataFrame frame) : frame_(std::move(frame)) {}
  // In the format that the name ends with: .parquet, .csv, .jsonl (or .ndjson), .arrow (or
  // .feather, .ipc); of text also with .gz or .zst. Another ending is refused (Exit::kUsage). With
  // partitions it is a folder, year=2013/part-0.parquet, of files in the format of its name,
  // "out.parquet", and appears whole as well.
  Status File(const std::string& path, const WriteOptions& options = {}) const;
  // In this format. A name that ends as files of another format do is refused.
  Status File(const std::string& path, Format format, const WriteOptions& options) const;
  Status Parquet(const std::string& path) const;
  Status Csv(const std::string& path) const;
  Status JsonLines(const std::string& path) const;
  Status Arrow(const std::string& path) const;

 private:
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
  // The three below are read once, by this process, and kept as Parquet in the run folder while the
  // session lives: what engines then read is the same for all of them.
  //
  // JSON lines, one object a line: columns are the keys in the order in which they first appear, a
  // key that a line lacks is NULL. Types are inferred over all lines (format/json_lines.h).
  DataFrame JsonLines(const std::string& path, const SchemaPtr& known = nullptr) const;
  // Arrow's files and streams, which carry their types.
  DataFrame Arrow(const std::string& path, const SchemaPtr& known = nullptr) const;
  // In the format that the name of the file, or of the files in the folder, ends with: .csv,
  // .parquet, .jsonl, .ndjson, .arrow, .feather, .ipc, of text also with .gz or .zst.
  DataFrame File(const std::string& path, const CsvOptions& options = {},
                 const SchemaPtr& known = nullptr) const;
  // The same in this format, whatever the names end with.
  DataFrame File(const std::string& path, Format format, const CsvOptions& options,
                 const SchemaPtr& known = nullptr) const;
  // A table of a DuckDB database, whose file is opened for reading only; `name` may be qualified by
  // a schema. On the embedded engine. The file is an input of the run like any other.
  DataFrame DuckDb(const std::string& file, const std::string& name) const;
  // A table or view of Spark's catalogue, which may be qualified: "warehouse.sales". On Spark.
  // Whether it has changed when a run is resumed is not known: it is then read anew unless its rows
  // were kept.
  DataFrame Table(const std::string& name) const;
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
