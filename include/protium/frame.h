// SPDX-License-Identifier: Apache-2.0
// Lazy tables. A DataFrame is a plan plus the session that can run it: verbs extend the plan and
// never fail, actions run it and return a Result. A mistake made while building (an unknown table,
// a missing file) is stored in the plan and reported by the first action. Implemented by the room
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
#include "protium/sources.h"
#include "protium/status.h"
#include "protium/stream.h"
#include "protium/task.h"

namespace protium {

class Groups;
class Session;
class Writer;
enum class Format;
struct Sides;

// How a table is computed: an immutable tree of nodes, shared between frames (plan/node.h).
struct Node;
using Plan = std::shared_ptr<const Node>;

// Splits by a hash of cell texts, not at random or by position: a row lands on the same side on
// every engine and in every run (docs/rows.md, "Split"). Alternatively a column says which side a
// row is on, as for a split by time: SELECT ..., day >= DATE '2015-06-14' AS late.
struct SplitOptions {
  Columns by;         // Rows with equal values in these stay together; empty: all columns.
  double test = 0.2;  // Expected share of the test side, above 0 and below 1.
  int64_t seed = 0;   // Another seed splits the same rows differently.
  // A boolean column: rows with true are the test side, all others, including NULL, the training
  // side. The three members above are then ignored.
  std::string column;
  // A date, a timestamp or a whole number: the test side is the last part of time, the latest times
  // that hold at least the share `test` of the rows, or with `from` ("2025-06-01", "2025-06-01
  // 12:00", "2025") all times from then on. Rows of one time stay together; NULL fails the first
  // action. `by`, `seed` and `column` are then ignored.
  std::string by_time;
  std::string from;
};

// A column that two tables share, possibly under different names: {"origin", {"tailnum", "plane"}}.
struct JoinKey {
  JoinKey(const char* name) : JoinKey(std::string(name)) {}
  JoinKey(std::string name) : left(name), right(std::move(name)) {}
  JoinKey(std::string left_name, std::string right_name)
      : left(std::move(left_name)), right(std::move(right_name)) {}
  std::string left;
  std::string right;
};

// Which rows a join returns besides the matching pairs: none, those of the left table without a
// match, those of the right table without a match, or both. kSemi returns each row of the left
// table that has a match once, kAnti those that have none, both without columns of the right table.
// kCross pairs every row with every row.
enum class JoinKind { kInner, kLeft, kRight, kFull, kSemi, kAnti, kCross };

// NULL in a key matches nothing.
struct JoinOptions {
  std::vector<JoinKey> on;  // At least one; none for kCross.
  JoinKind how = JoinKind::kInner;
};

// A range of rows around row 0, the current one: {-6, 0} is the row and the six before it. nullopt:
// unbounded.
struct RowRange {
  std::optional<int64_t> from;
  std::optional<int64_t> to;
};

// Which rows a window function sees.
struct WindowOptions {
  Columns by;                  // Rows with equal values in these; empty: all rows.
  std::vector<SortKey> order;  // Required by ranks, Lag() and Lead().
  // Unset: with an order, up to the row and its equals; otherwise all.
  std::optional<RowRange> range;
};

// Cheap to copy. The session must outlive it. Use it on the session's thread only.
class DataFrame {
 public:
  DataFrame(Session& session, Plan plan) : session_(&session), plan_(std::move(plan)) {}
  const Plan& plan() const { return plan_; }
  Session& session() const { return *session_; }

  // Returns the rows for which `predicate` is true; false and NULL drop a row.
  DataFrame Filter(Expr predicate) const;
  DataFrame Select(const Columns& columns) const;
  // A table of these expressions only, in this order.
  DataFrame Project(std::vector<NamedExpr> columns) const;
  // All columns plus these: a new one comes last; an existing one is replaced in its position. The
  // expressions see the columns as they were before.
  DataFrame WithColumns(std::vector<NamedExpr> columns) const;
  DataFrame Rename(const std::map<std::string, std::string>& old_to_new) const;
  DataFrame Drop(const Columns& columns) const;
  // The result has the keys once, under the left table's names, then the left table's other
  // columns, then those of the right table; no other name may be in both. The keys' types must be
  // equal, or both signed integers.
  DataFrame Join(const DataFrame& right, const JoinOptions& options) const;
  // Without keys, all rows are one group, even if there are no rows.
  Groups GroupBy(Columns keys) const;
  // WithColumns() with expressions that may contain window functions:
  //   sales.Window({.by = {"shop"}, .order = {Asc("day")}}, {{"so_far", Sum(Col("amount"))}})
  DataFrame Window(const WindowOptions& over, std::vector<NamedExpr> columns) const;
  // Rows that are equal in all keys come in any order. Stream(), Write() and Limit() directly after
  // it preserve the order; any other verb may lose it.
  DataFrame Sort(const std::vector<SortKey>& keys) const;
  // The rows of both, duplicates included. Both must have the same columns, in any order.
  DataFrame Union(const DataFrame& other) const;
  DataFrame Distinct() const;
  // Roughly this share of the rows, above 0 and below 1, chosen by the hash that Split() uses: the
  // same rows on every engine and in every run. Rows with equal values in `by` (empty: all columns)
  // are taken or dropped together.
  DataFrame Sample(double share, int64_t seed = 0, Columns by = {}) const;
  // One row per column: column, type, rows, nulls, distinct and, for types that have them, min and
  // max (as text), mean and stddev.
  DataFrame Describe() const;
  // At most `rows` rows: the first ones after Sort(), otherwise the engine decides which.
  DataFrame Limit(int64_t rows) const;
  // Evaluates the frame at most once per session; everything built on the result reads the kept
  // rows. `name` is for explanations.
  DataFrame Materialize(std::string name) const;
  // Runs a task of the program (Program::tasks) over the rows, in worker processes. The result's
  // columns are task.output; functions.h makes tasks from plain functions.
  DataFrame Map(MapTask task) const;
  // auto [train, test] = frame.Split({.by = {"day"}, .test = 0.2});
  // Both sides read a single kept evaluation of this frame.
  Sides Split(const SplitOptions& options) const;

  // Returns the columns and their types. Checks the plan and moves no data.
  Result<SchemaPtr> Schema() const;
  // The actions below run the plan. Each first reports an error made while building, then refuses
  // with Exit::kUsage any --set that no code has asked for (Session::Setting), then fails with the
  // engine's fault.
  //
  // Returns the rows as the engine produces them. The stream must not outlive the session.
  Result<BatchStreamPtr> Stream() const;
  // Runs the plan for its side effects, such as the metrics of scored rows, and drops the rows.
  // Returns how many there were.
  Result<int64_t> Run() const;
  Result<int64_t> Count() const;
  // Nothing runs until a method of the Writer is called.
  Writer Write() const;

 private:
  Session* session_;
  Plan plan_;
};

// Rows with equal values in some columns; NULL counts as a value.
class Groups {
 public:
  Groups(DataFrame frame, Columns keys) : frame_(std::move(frame)), keys_(std::move(keys)) {}
  // One row per group: the keys and these columns, whose expressions may use CountRows(), Sum() and
  // the like (protium/expr.h), and keys.
  DataFrame Aggregate(std::vector<NamedExpr> columns) const;
  // Makes Aggregate() compute each of its columns once for every value of `column`, over the rows
  // that have that value. The result's column is named after the value or, with several columns,
  // value_name. The values must be given because a plan's columns must be known before it runs.
  Groups Pivot(std::string column, std::vector<Literal> values) const;
  // Runs a task over whole groups: see EachGroup() in functions.h. The rows of a group come in
  // `order`, or in any order if it is empty.
  DataFrame Map(MapTask task, std::vector<SortKey> order = {}) const;

 private:
  DataFrame frame_;
  Columns keys_;
  std::string pivot_;
  std::vector<Literal> values_;
};

// The two sides of a split. Every row of the frame is on exactly one side.
struct Sides {
  DataFrame train;
  DataFrame test;
};

struct WriteOptions {
  Columns partitions;  // Columns whose values become folder names.
};

// Writes a frame as one file, which appears under its name only when it is complete. Each method is
// an action. A relative path is relative to the run folder. Refuses with Exit::kUsage: paths with
// "..", an input of the run, a file that the run uses itself, and, outside the run folder, any
// existing file that this run did not write, unless the session was started with --force.
class Writer {
 public:
  explicit Writer(DataFrame frame) : frame_(std::move(frame)) {}
  // Writes in the format of the name's ending: .parquet, .csv, .jsonl (or .ndjson), .arrow (or
  // .feather, .ipc); text formats also with .gz or .zst. Refuses any other ending (Exit::kUsage).
  // With partitions the output is a folder of files in the format of its name,
  // "out.parquet/year=2013/part-0.parquet", which also appears only when it is complete.
  Status File(const std::string& path, const WriteOptions& options = {}) const;
  // Writes in this format. Refuses a name with the ending of another format.
  Status File(const std::string& path, Format format, const WriteOptions& options) const;
  Status Parquet(const std::string& path) const;
  Status Csv(const std::string& path) const;
  Status JsonLines(const std::string& path) const;
  Status Arrow(const std::string& path) const;
  // Writes into a table of a database (SQLite, PostgreSQL, MySQL, DuckDB) in one transaction, which
  // also marks `output` of this run as written, in the table protium_commits beside it: a run that
  // is resumed writes nothing twice. With StoreMode::kUpsert, `keys` are the columns that tell rows
  // apart; NULL in one of them, and two rows with equal keys, are refused (kInput) before anything
  // is written. Embedded engine only. Refuses (kUsage) a file that is an input of the run.
  Status Table(const Source& target, StoreMode mode, const std::string& output,
               const Columns& keys = {}) const;

 private:
  DataFrame frame_;
};

// Tables from files. A relative path is relative to a job file's data folder or, in a program, to
// the working directory. The call finds the files, hashes them for the run's record of its inputs,
// and determines their columns, which for CSV reads them whole; errors are reported by the first
// action.
class Reader {
 public:
  explicit Reader(Session& session) : session_(&session) {}
  // `path` is a file, a pattern in the last part of the path ("2013-*.csv"), or a folder, which
  // means all its *.csv files sorted by name; or one of these at an object store,
  // "s3://lake/trips", as for all formats below but Arrow's. Column types are inferred over all
  // rows, so that they depend on neither the engine nor a sample.
  DataFrame Csv(const std::string& path, const CsvOptions& options = {}) const;
  // The same, but columns of `known` get the types they have there, as when a model scores new
  // data; a cell that does not fit is a fault of Exit::kInput.
  DataFrame Csv(const std::string& path, const CsvOptions& options, const SchemaPtr& known) const;
  // The same for Parquet, whose files contain their types; `known` gives the types of the columns
  // in folder names.
  DataFrame Parquet(const std::string& path, const SchemaPtr& known = nullptr) const;
  // This process reads the three below once and stores them as Parquet in the run folder while the
  // session lives, so that all engines read the same.
  //
  // JSON lines, one object per line: the columns are the keys in the order in which they first
  // appear; a key missing from a line is NULL. Types are inferred over all lines
  // (format/json_lines.h).
  DataFrame JsonLines(const std::string& path, const SchemaPtr& known = nullptr) const;
  // Arrow's files and streams, which contain their types.
  DataFrame Arrow(const std::string& path, const SchemaPtr& known = nullptr) const;
  // Reads the format given by the ending of the file, or of the files in the folder: .csv,
  // .parquet, .jsonl, .ndjson, .arrow, .feather, .ipc; text formats also with .gz or .zst.
  DataFrame File(const std::string& path, const CsvOptions& options = {},
                 const SchemaPtr& known = nullptr) const;
  // The same in this format, whatever the ending.
  DataFrame File(const std::string& path, Format format, const CsvOptions& options,
                 const SchemaPtr& known = nullptr) const;
  // A table of a database, spreadsheet or lake (protium/sources.h), which is read where it lies,
  // again by every action over it. Embedded engine only. A file is an input of the run like any
  // other.
  DataFrame From(Source source) const;
  // The same; CSV and JSON lines at an object store are copied here once and read as files are,
  // with `options` and `known` as for Csv().
  DataFrame From(Source source, const CsvOptions& options, const SchemaPtr& known) const;
  // A table that cannot be opened: `reason` is reported by the first action on it.
  DataFrame Refused(const Status& reason) const;
  // A table of a DuckDB database, whose file is opened read-only; `name` may be qualified by a
  // schema. Embedded engine only. The file is an input of the run like any other.
  DataFrame DuckDb(const std::string& file, const std::string& name) const;
  // A table or view of Spark's catalogue; the name may be qualified: "warehouse.sales". Spark only.
  // A resumed run cannot know whether the table has changed and reads it again unless its rows were
  // kept.
  DataFrame Table(const std::string& name) const;
  // A reader for Hive-style trees, in which the values of the columns `names` are part of folder
  // names, as in "flights/year=2013/month=1/x.csv"; the path is then "flights" or
  // "flights/*/*/x.csv". These columns come last and are int64, date or string, the first type that
  // fits all values.
  Reader Partitions(Columns names) const;

 private:
  Result<Plan> MakeScan(const std::string& path, Format format, const CsvOptions& options,
                        const SchemaPtr& known) const;
  Result<Plan> OpenSource(Source source, const CsvOptions& options, const SchemaPtr& known) const;
  Session* session_;
  Columns partitions_;
};

}  // namespace protium
