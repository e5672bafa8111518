// SPDX-License-Identifier: Apache-2.0
#include "stream/event_file.h"

#include <arrow/api.h>
#include <arrow/compute/cast.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "format/arrow_file.h"
#include "format/bring.h"
#include "format/carried_rows.h"
#include "format/csv_options.h"
#include "format/csv_rows.h"
#include "format/csv_types.h"
#include "format/parquet_rows.h"
#include "format/text_lines.h"
#include "records/record_rows.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Of what stands for many bytes.
constexpr size_t kMostShown = 64 << 10;

std::string ReasonOf(const Status& status) {
  const Fault fault = FaultOf(status);
  return fault.where.empty() ? fault.what : fault.where + ": " + fault.what;
}

DeadLetter Letter(std::string place, std::string reason, std::string_view bytes) {
  return {.place = std::move(place),
          .reason = std::move(reason),
          .bytes = std::string(bytes.substr(0, kMostShown))};
}

std::string NameOf(const fs::path& path) { return path.filename().string(); }

Status StopAtNewColumn(const fs::path& path, const std::string& column) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("events have a new column, \"{}\"", column),
               .where = path.string(),
               .fix = "stream.new_columns = \"ignore\" leaves it out; to use it, add it to "
                      "stream.columns",
               .kept = "all batches before it"});
}

void NoteIgnored(const std::string& column, std::vector<std::string>& ignored) {
  if (std::find(ignored.begin(), ignored.end(), column) == ignored.end()) {
    ignored.push_back(column);
  }
}

// A file that is wrong as a whole.
class DeadFile : public EventFile {
 public:
  explicit DeadFile(DeadLetter letter) : letter_(std::move(letter)) {}
  Result<EventChunk> Read(int64_t) override {
    EventChunk chunk;
    if (!letter_) return chunk;
    chunk.events.dead.push_back(*std::move(letter_));
    letter_.reset();
    chunk.records = 1;
    return chunk;
  }
  std::vector<std::string> ignored() const override { return {}; }

 private:
  std::optional<DeadLetter> letter_;
};

// Where the columns of events are among those of a file.
struct FoundColumns {
  std::vector<int> places;           // For each column of events; -1: the file lacks it.
  std::string missing;               // The first that it must not lack; empty: none.
  std::vector<std::string> unknown;  // Columns of the file alone.
};

FoundColumns FindColumns(const std::vector<std::string>& there, const EventForm& form) {
  FoundColumns found;
  for (const auto& field : form.columns->fields()) {
    const auto at = std::ranges::find(there, field->name());
    found.places.push_back(at == there.end() ? -1 : int(at - there.begin()));
    if (at != there.end() || !found.missing.empty()) continue;
    if (std::ranges::count(form.optional, field->name()) == 0) found.missing = field->name();
  }
  for (const std::string& name : there) {
    if (form.columns->GetFieldIndex(name) < 0) found.unknown.push_back(name);
  }
  return found;
}

// Why a file with these columns is refused; empty: it is not.
std::string WhyRefused(const FoundColumns& found, NewColumns new_columns) {
  if (!found.missing.empty()) return fmt::format("the file has no column \"{}\"", found.missing);
  if (found.unknown.empty() || new_columns != NewColumns::kDead) return "";
  return fmt::format("the file has a new column, \"{}\"", found.unknown.front());
}

// Lines of CSV.
class CsvEvents : public EventFile {
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

Result<std::unique_ptr<EventFile>> OpenCsv(const fs::path& path, const EventForm& form) {
  const auto dead = [&](std::string reason) {
    return std::make_unique<DeadFile>(Letter(NameOf(path), std::move(reason), path.string()));
  };
  Result<CsvRows> rows = CsvRows::Open(path.string(), form.csv);
  if (!rows.ok()) return dead(ReasonOf(rows.status()));
  FoundColumns found = FindColumns(rows->names(), form);
  if (!found.unknown.empty() && form.new_columns == NewColumns::kStop) {
    return StopAtNewColumn(path, found.unknown.front());
  }
  std::string refused = WhyRefused(found, form.new_columns);
  if (!refused.empty()) return dead(std::move(refused));
  PT_LET(RecordRows events, RecordRows::Make(form.columns));
  return std::make_unique<CsvEvents>(path, *std::move(rows), std::move(events), std::move(found),
                                     form.csv);
}

// Lines of JSON.
class JsonEvents : public EventFile {
 public:
  JsonEvents(fs::path path, TextLines lines, RecordRows events, NewColumns new_columns)
      : path_(std::move(path)),
        lines_(std::move(lines)),
        events_(std::move(events)),
        new_columns_(new_columns) {}

  Result<EventChunk> Read(int64_t most) override {
    EventChunk chunk;
    while (chunk.records < most && !ended_) PT_TRY(ReadOne(chunk));
    PT_LET(chunk.events.rows, events_.Finish());
    return chunk;
  }
  std::vector<std::string> ignored() const override { return ignored_; }

 private:
  Status ReadOne(EventChunk& chunk) {
    std::string_view line;
    const Result<bool> more = lines_.Next(line);
    ended_ = !more.ok() || !*more;
    if (more.ok() && ended_) return Status::OK();
    ++chunk.records;
    if (!more.ok()) return Refuse(more.status(), "", chunk);
    const Result<std::string> unknown = events_.AddObject(line, new_columns_ == NewColumns::kDead);
    if (!unknown.ok()) return Refuse(unknown.status(), line, chunk);
    if (unknown->empty()) return Status::OK();
    if (new_columns_ == NewColumns::kStop) return StopAtNewColumn(path_, *unknown);
    NoteIgnored(*unknown, ignored_);
    return Status::OK();
  }

  Status Refuse(const Status& why, std::string_view line, EventChunk& chunk) const {
    if (FaultOf(why).exit != Exit::kInput) return why;
    const std::string place = fmt::format("{}, line {}", NameOf(path_), lines_.line());
    chunk.events.dead.push_back(
        Letter(place + (ended_ ? " to the end" : ""), FaultOf(why).what, line));
    return Status::OK();
  }

  fs::path path_;
  TextLines lines_;
  RecordRows events_;
  NewColumns new_columns_;
  bool ended_ = false;
  std::vector<std::string> ignored_;
};

Result<std::unique_ptr<EventFile>> OpenJson(const fs::path& path, const EventForm& form) {
  Result<TextLines> lines = TextLines::Open(path.string());
  if (!lines.ok()) {
    return std::make_unique<DeadFile>(
        Letter(NameOf(path), ReasonOf(lines.status()), path.string()));
  }
  PT_LET(RecordRows events, RecordRows::Make(form.columns));
  return std::make_unique<JsonEvents>(path, *std::move(lines), std::move(events),
                                      form.new_columns);
}

// Files that state their types.
class TypedEvents : public EventFile {
 public:
  TypedEvents(fs::path path, BatchStreamPtr rows, FoundColumns found, SchemaPtr columns)
      : path_(std::move(path)),
        rows_(std::move(rows)),
        found_(std::move(found)),
        columns_(std::move(columns)) {}

  Result<EventChunk> Read(int64_t most) override {
    EventChunk chunk;
    std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
    while (chunk.records < most && !ended_) {
      PT_TRY(Refill(chunk));
      if (batch_ == nullptr) break;
      const int64_t taken = std::min(most - chunk.records, batch_->num_rows());
      parts.push_back(batch_->Slice(0, taken));
      batch_ = taken == batch_->num_rows() ? nullptr : batch_->Slice(taken);
      chunk.records += taken;
    }
    PT_LET(const auto table, arrow::Table::FromRecordBatches(columns_, parts));
    PT_LET(chunk.events.rows, table->CombineChunksToBatch());
    return chunk;
  }
  std::vector<std::string> ignored() const override { return found_.unknown; }

 private:
  // Reads the next batch unless there is one; null at the end.
  Status Refill(EventChunk& chunk) {
    if (batch_ != nullptr) return Status::OK();
    const auto cast = NextCast();
    ended_ = !cast.ok() || *cast == nullptr;
    if (cast.ok()) {
      batch_ = *cast;
      return Status::OK();
    }
    ++chunk.records;
    chunk.events.dead.push_back(
        Letter(NameOf(path_) + ", the rest", ReasonOf(cast.status()), path_.string()));
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> NextCast() {
    PT_LET(const auto next, rows_->Next());
    if (next == nullptr) return nullptr;
    arrow::ArrayVector columns;
    for (size_t i = 0; i < found_.places.size(); ++i) {
      const auto& field = columns_->field(int(i));
      if (found_.places[i] < 0) {
        PT_LET(columns.emplace_back(), arrow::MakeArrayOfNull(field->type(), next->num_rows()));
        continue;
      }
      PT_LET(const arrow::Datum cast,
             arrow::compute::Cast(next->column(found_.places[i]), field->type()));
      columns.push_back(cast.make_array());
    }
    return arrow::RecordBatch::Make(columns_, next->num_rows(), std::move(columns));
  }

  fs::path path_;
  BatchStreamPtr rows_;
  FoundColumns found_;
  SchemaPtr columns_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  bool ended_ = false;
};

Result<BatchStreamPtr> OpenTyped(const fs::path& path, Format format) {
  if (format == Format::kParquet) {
    PT_LET(ParquetRows rows, ReadParquetRows({path.string()}, {}));
    return std::move(rows.rows);
  }
  BringSpec spec{.paths = {path.string()}, .format = format};
  PT_LET(std::unique_ptr<BroughtRows> rows,
         OpenRows(spec, [](double) { return Status::OK(); }));
  return BatchStreamPtr(std::move(rows));
}

Result<std::unique_ptr<EventFile>> OpenTypedEvents(const fs::path& path, const EventForm& form) {
  const auto dead = [&](std::string reason) {
    return std::make_unique<DeadFile>(Letter(NameOf(path), std::move(reason), path.string()));
  };
  Result<BatchStreamPtr> rows = OpenTyped(path, form.format);
  if (!rows.ok()) return dead(ReasonOf(rows.status()));
  FoundColumns found = FindColumns((*rows)->schema()->field_names(), form);
  if (!found.unknown.empty() && form.new_columns == NewColumns::kStop) {
    return StopAtNewColumn(path, found.unknown.front());
  }
  std::string refused = WhyRefused(found, form.new_columns);
  if (!refused.empty()) return dead(std::move(refused));
  return std::make_unique<TypedEvents>(path, *std::move(rows), std::move(found), form.columns);
}

}  // namespace

Result<std::unique_ptr<EventFile>> OpenEventFile(const fs::path& path, const EventForm& form) {
  switch (form.format) {
    case Format::kCsv:
      return OpenCsv(path, form);
    case Format::kJsonLines:
      return OpenJson(path, form);
    default:
      return OpenTypedEvents(path, form);
  }
}

Result<SchemaPtr> ColumnsOfFile(const fs::path& path, Format format, const CsvOptions& csv,
                                const SchemaPtr& known) {
  if (format == Format::kParquet) {
    PT_LET(const BatchStreamPtr rows, OpenTyped(path, format));
    return rows->schema();
  }
  const BringSpec spec{.paths = {path.string()}, .format = format, .csv = csv, .known = known};
  PT_LET(const auto rows, OpenRows(spec, [](double) { return Status::OK(); }));
  return rows->schema();
}

}  // namespace protium
