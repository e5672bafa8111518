// SPDX-License-Identifier: Apache-2.0
#include "stream/event_reader.h"

#include "format/bring.h"
#include "stream/event_letters.h"

namespace protium {

namespace fs = std::filesystem;

Result<std::unique_ptr<EventReader>> OpenEventReader(const fs::path& path, const EventForm& form) {
  switch (form.format) {
    case Format::kCsv:
      return OpenCsvEvents(path, form);
    case Format::kJsonLines:
      return OpenJsonEvents(path, form);
    default:
      return OpenTypedEvents(path, form);
  }
}

Result<SchemaPtr> ColumnsOfFile(const fs::path& path, Format format, const CsvOptions& csv,
                                const SchemaPtr& known) {
  if (format == Format::kParquet) {
    PT_LET(const BatchStreamPtr rows, OpenTypedRows(path, format));
    return rows->schema();
  }
  const BringSpec spec{.paths = {path.string()}, .format = format, .csv = csv, .known = known};
  PT_LET(const auto rows, OpenRows(spec, [](double) { return Status::OK(); }));
  return rows->schema();
}

}  // namespace protium
