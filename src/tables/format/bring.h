// SPDX-License-Identifier: Apache-2.0
// Tables in forms that engines do not read themselves. One reader for each form, in this process,
// makes a Parquet file of them, and whichever engine runs scans that: so both see the same values,
// and a new form is one more reader here. Every reader passes over its files twice where types are
// not written in them, and holds a few batches at a time.
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
  // Types that columns of these names have, as when new data is scored by a model; or null.
  SchemaPtr known;
  // Columns whose values stand in the names of folders: they come last.
  Partitions partitions;
};

// Told now and then which share of the work is done, 0 to 1; what it returns ends the work.
using BringWatch = std::function<Status(double share)>;

// The rows of a table, file by file.
class BroughtRows : public BatchStream {
 public:
  // The number of the file that the last batch came from.
  virtual size_t file() const = 0;
  // What to tell about the rows once all were read, such as how many were left out.
  virtual std::vector<std::string> notes() const { return {}; }
};

struct BroughtTable {
  SchemaPtr schema;
  int64_t rows = 0;
  std::vector<std::string> notes;
};

// Whether engines cannot read these files themselves: another format than CSV or Parquet, packed
// text, UTF-16, or options of CSV that only one of the engines has.
Result<bool> MustBeBrought(const std::vector<std::string>& paths, Format format,
                           const CsvOptions& options);

// The rows of the files in their form; determines the columns now. Mistakes in the files are faults
// of Exit::kInput with file and line.
Result<std::unique_ptr<BroughtRows>> OpenRows(const BringSpec& spec, const BringWatch& watch);

// Writes the rows to the Parquet file `target`, which appears whole or not at all.
Result<BroughtTable> Bring(const BringSpec& spec, const std::string& target,
                           const BringWatch& watch);

}  // namespace protium
