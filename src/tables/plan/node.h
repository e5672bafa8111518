// SPDX-License-Identifier: Apache-2.0
// A plan is an immutable value: a graph of nodes that says what is to be done and not how. Each
// engine decides that for itself. Building a plan never fails and touches no file; acting on one
// returns a Result.
//
// Invariants: nodes are never changed once made, so plans may be shared between threads; a node may
// be the input of several others; which inputs a verb needs is said with it (one, unless said
// otherwise).
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
#include "protium/task.h"

namespace protium {

// Files as a table; no inputs. `schema` is explicit: CSV types are inferred once, over the whole
// file, by the room `format`, so that every engine reads the same.
struct Scan {
  std::string table;  // For messages and explanations.
  Format format = Format::kCsv;
  // In the order in which their rows follow each other.
  std::vector<std::string> paths;
  // The user's files, if `paths` are a copy of them in a form that engines read; else empty.
  std::vector<std::string> brought_from;
  SchemaPtr schema;  // The files' columns, then those of `partitions`.
  CsvOptions csv;
  Partitions partitions;
  bool rows_are_lines = false;           // CSV: may be read in pieces that begin at any line.
  std::vector<std::string> hashed = {};  // Parquet: ParquetTable::hashed of format/parquet.h.
};

// The columns that are in the files themselves, without those of the partitions, which stand in the
// names of folders.
SchemaPtr SchemaOfFiles(const Scan& scan);

// A table that is not in files of its own; no inputs. Its columns are known to the engine alone.
struct NamedTable {
  std::string name;       // "sales", or qualified: "main.sales", "warehouse.sales".
  std::string file = {};  // The DuckDB database that it is in; empty: Spark's catalogue.
};

// SQL text (Spark's) over named tables: the text knows inputs[i] as names[i]. The text is first
// looked at when an engine analyses the plan.
struct Sql {
  std::string text;
  std::vector<std::string> names;
  std::string verb = {};  // What it does in a few words, if the house wrote it: "join on day".
};

// Keeps the rows for which the predicate is true, neither false nor NULL.
struct Filter {
  Expr predicate;
};

// Replaces the columns by these; at least one.
struct Project {
  std::vector<NamedExpr> columns;
};

// Keeps one side of a split by a hash of the canonical text of the columns `by` (empty: all
// columns) and `seed`. Rows that agree in `by` fall on the same side, on every engine and in every
// run. Formula: docs/rows.md, "Split".
struct Split {
  enum class Side { kRest, kPart };
  Columns by;
  double part = 0.2;  // Expected share of the part's keys, in (0, 1).
  int64_t seed = 0;
  Side side = Side::kRest;
};

// Adds the side of the same split as a boolean column, true on the part's side; keeps all rows.
struct MarkSplit {
  Columns by;
  double part = 0.1;
  int64_t seed = 0;
  std::string column;
};

// Adds an int64 column `output`: the position, from 0, of the text of `column` in `keys`; `unseen`
// for a value that is not there, `missing` for NULL (each of them NULL if nullopt). Keys do not
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

// Keeps `rows` rows; which ones is the engine's choice.
struct Limit {
  int64_t rows = 0;
};

// Writes its input as one file, which appears whole or not at all. Has no rows of its own.
struct Write {
  Format format = Format::kParquet;
  std::string path;
};

// Keeps an error made while building until the first action reports it.
struct Broken {
  Status status;
};

// A plan is its last node. nullptr is the plan of an empty frame, which acting on reports.
struct Node;
using Plan = std::shared_ptr<const Node>;

// Engines std::visit the verb, so a new one does not compile until each of them lowers it.
using Verb = std::variant<Scan, NamedTable, Sql, Filter, Project, Split, MarkSplit, Lookup,
                          Materialize, Limit, MapTask, Write, Broken>;

// A verb and what it reads. Nodes are compared by identity: engines keep a Materialize under its
// address.
struct Node {
  Verb verb;
  std::vector<Plan> inputs;
};

// Makes a node that owns its inputs jointly with others.
Plan MakePlan(Verb verb, std::vector<Plan> inputs = {});

// The error of the first Broken node, inputs before their user, or OK. A null plan is an error, too
// (kUsage).
Status FirstError(const Plan& plan);

// The plan as text, one node a line, inputs indented below their user. A node with inputs that
// several others share is drawn in full once and marked "(as above)" afterwards.
std::string Explain(const Plan& plan);

}  // namespace protium
