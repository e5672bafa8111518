// SPDX-License-Identifier: Apache-2.0
// A plan is an immutable value: a graph of nodes that says what is to be done, not how. Each engine
// decides how for itself. Building a plan never fails and touches no file; acting on one returns a
// Result.
//
// Invariants: nodes never change after they are made, so threads may share plans; a node may be the
// input of several others; each verb states which inputs it needs (one, unless stated otherwise).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "column/source.h"
#include "protium/expr.h"
#include "protium/fields.h"
#include "protium/sources.h"
#include "protium/task.h"

namespace protium {

// Files as a table; no inputs. `schema` is explicit: the folder `format` infers CSV types once,
// over the whole file, so that every engine reads the same.
struct Scan {
  std::string table;  // For messages and explanations.
  Format format = Format::kCsv;
  // In the order of their rows.
  std::vector<std::string> paths;
  // The user's files, if `paths` are copies of them in a form that engines read; else empty.
  std::vector<std::string> brought_from;
  SchemaPtr schema;  // The files' columns, then those of `partitions`.
  CsvOptions csv;
  Partitions partitions;
  bool rows_are_lines = false;           // CSV: may be read in pieces that start at any line.
  std::vector<std::string> hashed = {};  // Parquet: ParquetTable::hashed of format/parquet.h.
};

// Returns the columns in the files themselves, without those of the partitions, which come from the
// names of folders.
SchemaPtr SchemaOfFiles(const Scan& scan);

// A table without files of its own; no inputs. Only the engine knows its columns.
struct NamedTable {
  std::string name;  // "sales", or qualified: "main.sales", "warehouse.sales".
  // Where it lies; none: in Spark's catalogue.
  std::optional<Source> source = {};
};

// SQL text (Spark's) over named tables: inputs[i] has the name names[i] in the text. The text is
// first examined when an engine analyses the plan.
struct Sql {
  std::string text;
  std::vector<std::string> names;
  std::string verb = {};  // What it does in a few words, if it is our own text: "join on day".
  // Its windows have no ties in their order, which the text itself sees to.
  bool without_ties = false;
};

// Keeps the rows for which the predicate is true, neither false nor NULL.
struct Filter {
  Expr predicate;
};

// Replaces the columns by these; at least one.
struct Project {
  std::vector<NamedExpr> columns;
};

// Keeps one side of a split by a hash of `seed` and the canonical text of the columns `by` (empty:
// all columns). Rows that agree in `by` are on the same side, on every engine and in every run.
// Formula: docs/rows.md, "Split".
struct Split {
  enum class Side { kRest, kPart };
  Columns by;
  double part = 0.2;  // Expected share of the part's keys, in (0, 1).
  int64_t seed = 0;
  Side side = Side::kRest;
};

// Adds the side of such a split as a boolean column, true on the part's side; keeps all rows.
struct MarkSplit {
  Columns by;
  double part = 0.1;
  int64_t seed = 0;
  std::string column;
};

// Adds an int64 column `output`: the position, from 0, of the text of `column` in `keys`; `unseen`
// for a value that is not in `keys`, `missing` for NULL (each of them NULL if nullopt). Keys do not
// repeat.
struct Lookup {
  std::string column;
  std::string output;
  std::shared_ptr<const std::vector<std::string>> keys;
  std::optional<int64_t> unseen;
  std::optional<int64_t> missing;
};

// Evaluates its input once per session; later plans over the same node read the kept result.
struct Materialize {
  std::string name;  // For explanations: "etl".
};

// Keeps `rows` rows; the engine chooses which ones.
struct Limit {
  int64_t rows = 0;
};

// Writes its input as one file, which appears whole or not at all. Has no rows of its own.
struct Write {
  Format format = Format::kParquet;
  std::string path;
};

// Writes its input into a table of a database, whole or not at all. What `run` and `output` name is
// appended once, however often it is asked for. Has no rows of its own.
struct Store {
  Source target;
  StoreMode mode = StoreMode::kReplace;
  Columns keys;        // Of kUpsert: the columns whose values tell rows apart.
  std::string run;     // SourceRecord::RunId() (frame/source_record.h).
  std::string output;  // The output's name in its job.
};

// Stores an error from building until the first action reports it.
struct Broken {
  Status status;
};

// A plan is its last node. nullptr is the plan of an empty frame; acting on it reports an error.
struct Node;
using Plan = std::shared_ptr<const Node>;

// Engines std::visit the verb, so a new verb does not compile until every engine lowers it.
using Verb = std::variant<Scan, NamedTable, Sql, Filter, Project, Split, MarkSplit, Lookup,
                          Materialize, Limit, MapTask, Write, Store, Broken>;

// A verb and its inputs. Nodes are compared by identity: engines store a Materialize under its
// address.
struct Node {
  Verb verb;
  std::vector<Plan> inputs;
};

// Makes a node that shares ownership of its inputs.
Plan MakePlan(Verb verb, std::vector<Plan> inputs = {});

// Returns the error of the first Broken node, inputs before their users, or OK. A null plan is an
// error, too (kUsage).
Status FirstError(const Plan& plan);

// Returns the plan as text, one node per line, inputs indented below their user. A node that
// several others share and that has inputs is drawn in full once and marked "(as above)"
// afterwards.
std::string Explain(const Plan& plan);

}  // namespace protium
