// SPDX-License-Identifier: Apache-2.0
// A plan is an immutable value: a tree of nodes that says what is to be done and not how. Building
// one never fails; acting on one returns a Result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/fields.h"
#include "base/status.h"
#include "column/source.h"
#include "protium/expr.h"
#include "protium/task.h"

namespace protium {

// Files as a table. `schema` is explicit: CSV types are inferred once, over the whole file, by the
// room `format`, so that every engine reads the same.
struct Scan {
  std::string table;  // The name in messages and explanations.
  Format format = Format::kCsv;
  std::vector<std::string> paths;
  SchemaPtr schema;  // The files' columns, then those of `partitions`.
  CsvOptions csv;
  Partitions partitions;
  bool rows_are_lines = false;  // CSV: may be read in pieces that begin at any line.
};

// The columns that stand in the files themselves.
SchemaPtr SchemaOfFiles(const Scan& scan);

// SQL text over named tables; inputs[i] is known to it as names[i].
struct Sql {
  std::string text;
  std::vector<std::string> names;
};

struct Filter {
  Expr predicate;
};

struct Project {
  std::vector<NamedExpr> columns;
};

// Keeps one side of a cut by a hash of the canonical text of the columns `by` (empty: all columns)
// and `seed`; rows that agree in `by` fall on one side. Formula: docs/rows.md, "Split".
struct Split {
  enum class Side { kRest, kPart };
  Columns by;
  double part = 0.2;  // Expected share of the part's keys, in (0, 1).
  int64_t seed = 0;
  Side side = Side::kRest;
};

// Adds the same cut as a boolean column: true on the part's side.
struct MarkSplit {
  Columns by;
  double part = 0.1;
  int64_t seed = 0;
  std::string column;
};

// Adds an int64 column `output`: the position of the text of `column` in `keys`, `unseen` for
// other values (nullopt: NULL), `missing` for NULL (nullopt: NULL).
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

struct Limit {
  int64_t rows = 0;
};

// Writes its input as one file, whole or not at all.
struct Write {
  Format format = Format::kParquet;
  std::string path;
};

// Keeps an error made while building until the first action reports it.
struct Broken {
  Status status;
};

struct Node;
using Plan = std::shared_ptr<const Node>;

// Engines std::visit the verb, so a new one does not compile until each of them lowers it.
using Verb = std::variant<Scan, Sql, Filter, Project, Split, MarkSplit, Lookup, Materialize, Limit,
                          MapTask, Write, Broken>;

struct Node {
  Verb verb;
  std::vector<Plan> inputs;
};

Plan MakePlan(Verb verb, std::vector<Plan> inputs = {});

// Gives the first Broken below (depth first), or OK.
Status FirstError(const Plan& plan);

// Draws the tree, one node a line, inputs indented below their user.
std::string Explain(const Plan& plan);

}  // namespace protium
