// SPDX-License-Identifier: Apache-2.0
// Brings tables in forms that engines do not read themselves: for each form, one reader in this
// process turns them into a Parquet file, which any engine scans. So all engines see the same
// values, and a new form needs only one more reader here. If the files do not state their types, a
// reader passes over them twice; it holds a few batches at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "column/source.h"
#include "protium/stream.h"

namespace protium {

struct BringSpec {
  std::vector<std::string> paths;
  Format format = Format::kCsv;
  CsvOptions csv;
  // Types for columns of these names, as when a model scores new data; or null.
  SchemaPtr known;
  // Columns whose values are in the names of folders: they come last.
  Partitions partitions;
};

// Notified now and then of the completed share of the work, 0 to 1; an error that it returns ends
// the work.
using BringWatch = std::function<Status(double share)>;

// The rows of a table, file by file.
class BroughtRows : public BatchStream {
 public:
  // The number of the file from which the last batch came.
  virtual size_t file() const = 0;
  // Remarks on the rows after all were read, such as how many were left out.
  virtual std::vector<std::string> notes() const { return {}; }
};

struct BroughtTable {
  SchemaPtr schema;
  int64_t rows = 0;
  std::vector<std::string> notes;
};

// Whether engines cannot read these files themselves: a format other than CSV or Parquet,
// compressed text, UTF-16, or CSV options that only one of the engines has.
Result<bool> MustBeBrought(const std::vector<std::string>& paths, Format format,
                           const CsvOptions& options);

// Opens the rows of the files in their form and determines the columns. Mistakes in the files are
// faults of Exit::kInput with file and line.
Result<std::unique_ptr<BroughtRows>> OpenRows(const BringSpec& spec, const BringWatch& watch);

// Writes the rows to the Parquet file `target`, which appears whole or not at all.
Result<BroughtTable> Bring(const BringSpec& spec, const std::string& target,
                           const BringWatch& watch);

}  // namespace protium
