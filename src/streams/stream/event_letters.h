// SPDX-License-Identifier: Apache-2.0
// What the readers of event files share: files that are refused, and where columns are.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "records/dead_letter.h"
#include "stream/event_reader.h"

namespace protium {

// The name of a file, for places.
std::string NameOf(const std::filesystem::path& path);

// A file that is one dead letter.
std::unique_ptr<EventReader> DeadFile(const std::filesystem::path& path, std::string reason);

// Where the columns of events are among those of a file.
struct FoundColumns {
  std::vector<int> places;           // For each column of events; -1: the file lacks it.
  std::string missing;               // The first that it must not lack; empty: none.
  std::vector<std::string> unknown;  // Columns of the file alone.
};
FoundColumns FindColumns(const std::vector<std::string>& there, const EventForm& form);

// Why a file with these columns is refused as a whole; empty: it is not. Fails for new columns with
// NewColumns::kStop.
Result<std::string> WhyRefused(const std::filesystem::path& path, const FoundColumns& found,
                               NewColumns new_columns);

// OpenEventReader() for one format each.
Result<std::unique_ptr<EventReader>> OpenCsvEvents(const std::filesystem::path& path,
                                                   const EventForm& form);
Result<std::unique_ptr<EventReader>> OpenJsonEvents(const std::filesystem::path& path,
                                                    const EventForm& form);
// Parquet and Arrow, which state their types.
Result<std::unique_ptr<EventReader>> OpenTypedEvents(const std::filesystem::path& path,
                                                     const EventForm& form);
// The rows of such a file.
Result<BatchStreamPtr> OpenTypedRows(const std::filesystem::path& path, Format format);

}  // namespace protium
