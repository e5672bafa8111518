// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/fault.h"
#include "format/csv_rows.h"
#include "format/csv_types.h"
#include "records/record_rows.h"
#include "stream/event_letters.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Lines of CSV.
class CsvEvents : public EventReader {
 public:
  CsvEvents(fs::path path, CsvRows rows, RecordRows events, FoundColumns found,
            const CsvOptions& csv)
      : path_(std::move(path)),
        rows_(std::move(rows)),
        events_(std::move(events)),
        found_(std::move(found)),
        csv_(csv) {}

  Result<EventChunk> Read(int64_t most) override {
    EventChunk chunk;
    while (chunk.records < most && !ended_) PT_TRY(ReadOne(chunk));
    PT_LET(chunk.events.rows, events_.Finish());
    return chunk;
  }
  std::vector<std::string> ignored() const override { return found_.unknown; }

 private:
  Status ReadOne(EventChunk& chunk) {
    const Result<bool> more = rows_.Next();
    if (more.ok() && !*more) {
      ended_ = true;
      return Status::OK();
    }
    ++chunk.records;
    const Status added = more.ok() ? AddRow() : more.status();
    if (added.ok()) return added;
    if (FaultOf(added).exit != Exit::kInput) return added;
    // A line with more or fewer cells was read to its end; where else it goes on is not known.
    ended_ = !more.ok() && rows_.cells().size() == rows_.names().size();
    const std::string place = fmt::format("{}, line {}", NameOf(path_), rows_.line());
    chunk.events.dead.push_back(
        Letter(place + (ended_ ? " to the end" : ""), FaultOf(added).what, Text()));
    return Status::OK();
  }

  Status AddRow() {
    cells_.clear();
    held_.clear();
    held_.reserve(found_.places.size());  // Views of these texts must stay.
    for (const int place : found_.places) {
      if (place < 0) {
        cells_.emplace_back(std::nullopt);
        continue;
      }
      const CsvCell& cell = rows_.cells()[size_t(place)];
      if (IsNull(cell, csv_)) {
        cells_.emplace_back(std::nullopt);
      } else {
        cells_.emplace_back(cell.doubled ? std::string_view(held_.emplace_back(CsvText(cell)))
                                         : cell.text);
      }
    }
    return events_.AddCells(cells_);
  }

  // The cells of the last row.
  std::string Text() const {
    std::string text;
    for (const CsvCell& cell : rows_.cells()) {
      if (!text.empty()) text += rows_.delimiter();
      const char* const quote = cell.quoted ? "\"" : "";
      text += quote + std::string(cell.text) + quote;
    }
    return text;
  }

  fs::path path_;
  CsvRows rows_;
  RecordRows events_;
  FoundColumns found_;
  CsvOptions csv_;
  bool ended_ = false;
  std::vector<std::optional<std::string_view>> cells_;
  std::vector<std::string> held_;
};

}  // namespace

Result<std::unique_ptr<EventReader>> OpenCsvEvents(const fs::path& path, const EventForm& form) {
  Result<CsvRows> rows = CsvRows::Open(path.string(), form.csv);
  if (!rows.ok()) return DeadFile(path, ReasonOf(rows.status()));
  FoundColumns found = FindColumns(rows->names(), form);
  PT_LET(std::string refused, WhyRefused(path, found, form.new_columns));
  if (!refused.empty()) return DeadFile(path, std::move(refused));
  PT_LET(RecordRows events, RecordRows::Make(form.columns));
  return std::make_unique<CsvEvents>(path, *std::move(rows), std::move(events), std::move(found),
                                     form.csv);
}

}  // namespace protium
