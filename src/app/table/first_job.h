// SPDX-License-Identifier: Apache-2.0
// A job file to begin with, made from what a table holds: for `protium init`.
#pragma once

#include <string>
#include <vector>

#include "app/table/profile.h"
#include "app/table/tellers.h"
#include "base/status.h"
#include "column/source.h"
#include "protium/csv.h"

namespace protium {

struct FirstJobSpec {
  std::string name;  // Of the job and of its table.
  std::string data;  // The folder of the table, relative to the job file.
  std::string file;  // The table's file or folder, below `data`.
  Format format = Format::kCsv;
  CsvOptions csv;
  std::string label;
  Tellers tellers = {};  // Are left out, unless there is nothing else.
};

struct FirstJob {
  std::string toml;                // At most 60 lines, unless there are very many columns.
  std::vector<std::string> notes;  // What was decided, for people: a line each.
};

// Whether a column would be learned as classes rather than as a number.
bool IsOfClasses(const ColumnProfile& label);

// Decides by the types and values alone: the kind of task by the label, a stage for each kind of
// column; columns of no use are left out and named in a comment. A label that is not there, says
// nothing or cannot be learned, and a table without anything to learn from, are faults.
Result<FirstJob> ProposeJob(const TableProfile& table, const FirstJobSpec& spec);

}  // namespace protium
