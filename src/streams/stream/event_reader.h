// SPDX-License-Identifier: Apache-2.0
// The events of one file in their order, a few at a time. What cannot become a row becomes a dead
// letter, and the file is read on behind it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flow/flow.h"
#include "flow/options.h"

namespace protium {

// How files are read.
struct EventForm {
  Format format = Format::kCsv;
  CsvOptions csv;
  SchemaPtr columns;  // EventColumns().
  Columns optional;   // Those that a file may lack: they are NULL then.
  NewColumns new_columns = NewColumns::kIgnore;
};

struct EventChunk {
  StreamRows events;
  int64_t records = 0;  // Rows and dead letters; fewer than were asked for only at the file's end.
};

// One thread.
class EventReader {
 public:
  virtual ~EventReader() = default;
  // Reads the next `most` events. What is wrong with the whole rest of the file is one dead letter.
  virtual Result<EventChunk> Read(int64_t most) = 0;
  // Columns that the form does not have and that were ignored, as far as they were met.
  virtual std::vector<std::string> ignored() const = 0;
};

// Never fails for what is wrong with the file: then its only event is a dead letter. Fails (kInput)
// for new columns with NewColumns::kStop, and if the file is gone.
Result<std::unique_ptr<EventReader>> OpenEventReader(const std::filesystem::path& path,
                                                     const EventForm& form);

// Returns the columns of a file, with the types that `known` (may be null) and `csv.types` give.
Result<SchemaPtr> ColumnsOfFile(const std::filesystem::path& path, Format format,
                                const CsvOptions& csv, const SchemaPtr& known);

}  // namespace protium
