// SPDX-License-Identifier: Apache-2.0
#include "prompt/query.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "column/cells.h"
#include "frame/open.h"
#include "frame/outputs.h"
#include "frame/session_state.h"
#include "job/csv_flags.h"
#include "model/score_in_sql.h"
#include "os/signals.h"
#include "run/terminal.h"
#include "terminal/grid.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kUsualRows = 20;

std::string DataIn(const Arguments& arguments) {
  return arguments.Value("--data",
                         arguments.num_operands() > 1 ? arguments.operand(1) : std::string("."));
}

// Adds the list of existing tables to the fault of a query about an unknown one.
Status WithTables(const Status& status, const std::vector<TablePlace>& places,
                  const Arguments& arguments) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  if (!fault.what.starts_with("there is no table")) return status;
  constexpr size_t kMostNames = 200;  // Bytes.
  std::string names;
  for (const TablePlace& place : places) names += (names.empty() ? "" : ", ") + place.name;
  if (names.size() > kMostNames) names = names.substr(0, names.rfind(',', kMostNames)) + ", ...";
  const std::string where = DataIn(arguments);
  fault.fix = names.empty() ? "there are no tables in " + where +
                                  ": --data DIR says "
                                  "where they are"
                            : "the tables here are " + names;
  return Fail(std::move(fault));
}

// Returns why a table cannot be read, if that is why the query fails.
Status WithReasons(const Status& status, const std::vector<BrokenTable>& broken) {
  if (status.ok()) return status;
  const std::string what = Lower(FaultOf(status).what);
  for (const BrokenTable& each : broken) {
    if (what == "there is no table \"" + Lower(each.name) + "\"") return each.why;
  }
  return status;
}

// Distinguishes states of a table's files: sizes and times of writing.
std::string StampOf(const fs::path& place) {
  const auto one = [](const fs::path& file) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error).time_since_epoch().count();
    return fmt::format("{} {} {};", file.string(), fs::file_size(file, error), written);
  };
  std::error_code error;
  std::string stamp = one(place);
  for (const auto& entry : fs::directory_iterator(place, error)) stamp += one(entry.path());
  return stamp;
}

// Returns the first rows, at most `most`, as one batch; `more`: there are others.
Result<std::shared_ptr<arrow::RecordBatch>> FirstRows(const DataFrame& frame, int64_t most,
                                                      bool& more) {
  PT_LET(const BatchStreamPtr stream, frame.Limit(most + 1).Stream());
  arrow::RecordBatchVector batches;
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, stream->Next());
    if (!batch) break;
    batches.push_back(batch);
  }
  PT_LET(const auto table, arrow::Table::FromRecordBatches(stream->schema(), batches));
  more = table->num_rows() > most;
  return table->Slice(0, most)->CombineChunksToBatch();
}

std::string RowsAsJson(const arrow::RecordBatch& rows, bool more) {
  Json columns = Json::array(), lines = Json::array();
  for (const auto& field : rows.schema()->fields()) {
    columns.push_back({{"name", field->name()}, {"type", TypeText(*field->type())}});
  }
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    Json line = Json::array();
    for (int c = 0; c < rows.num_columns(); ++c) line.push_back(CellJson(*rows.column(c), i));
    lines.push_back(std::move(line));
  }
  return Dump({{"columns", columns}, {"rows", lines}, {"more", more}}) + "\n";
}

std::string RowsAsText(const arrow::RecordBatch& rows, bool more, const std::string& took) {
  const int32_t width = Terminal::Of(STDOUT_FILENO).width;
  const std::string count =
      fmt::format("{} row{}", Grouped(rows.num_rows()), rows.num_rows() == 1 && !more ? "" : "s");
  const std::string says = more ? "the first " + count +
                                      "; --rows N shows more, --output FILE "
                                      "writes all"
                                : count;
  return DrawGrid(rows, width) + "\n" + says + took + "\n";
}

// Returns the text for stdout, which is printed after the progress bar has been removed. `started`:
// adds the time since then.
Result<std::string> AnswerOf(Session& session, const DataFrame& frame, const Arguments& arguments,
                             std::optional<Clock::time_point> started) {
  const auto took = [&] {
    if (!started) return std::string();
    return ", " + Seconds(std::chrono::duration<double>(Clock::now() - *started).count());
  };
  if (arguments.Has("--output")) {
    const fs::path output = ResolveOutput(arguments.Value("--output"));
    PT_TRY(WriteTo(frame, output));
    const int64_t rows = StateOf(session).record().results()["output_rows"].begin()->get<int64_t>();
    if (arguments.Has("--json")) {
      return Dump({{"output", output.string()}, {"rows", rows}}) + "\n";
    }
    return fmt::format("{} row{} in {}{}\n", Grouped(rows), rows == 1 ? "" : "s", output.string(),
                       took());
  }
  PT_LET(const int64_t most, arguments.Number("--rows", kUsualRows));
  bool more = false;
  PT_LET(const auto rows, FirstRows(frame, most, more));
  return arguments.Has("--json") ? RowsAsJson(*rows, more) : RowsAsText(*rows, more, took());
}

}  // namespace

// The tables of a database; none if --data is something else. A table of --table without a place
// lies in it.
Result<std::vector<TablePlace>> Queries::InDatabase(const std::string& typed) {
  if (listed_) return *listed_;
  PlaceGiven given;
  PT_LET(given.password, ReadPasswordFlags(arguments_));
  PT_LET(TypedPlace place, ReadPlace(typed, given));
  std::vector<TablePlace> tables;
  for (const std::string& name : arguments_.Values("--table")) {
    if (name.find('=') != name.npos) continue;
    PT_LET(place, ReadPlace(typed, {.table = name, .password = given.password}));
    tables.push_back({place.name(), place});
  }
  if (tables.empty() && place.is_database()) {
    PT_LET(const auto listed, TablesOf(*place.source));
    for (const DatabaseTable& each : listed) {
      place.source->table = each.name;
      tables.push_back({place.name(), place});
    }
  } else if (tables.empty() && place.source) {
    tables.push_back({place.name(), place});
  }
  listed_ = tables;
  return tables;
}

Status Queries::AddBelow(std::vector<TablePlace>& places) {
  const std::string data = DataIn(arguments_);
  PT_LET(std::vector<TablePlace> found, InDatabase(data));
  std::error_code error;
  if (found.empty() && fs::is_regular_file(data, error)) {
    PT_LET(const TypedPlace file, ReadPlace(data));
    found.push_back({file.name(), file});
  } else if (found.empty()) {
    PT_LET(found, ListTables(data));
  }
  // Two of them with one name are both listed, and refused when a query names it.
  const std::vector<TablePlace> given = places;
  for (const TablePlace& place : found) {
    const auto same = [&](const TablePlace& each) { return each.name == place.name; };
    if (std::ranges::none_of(given, same)) places.push_back(place);
  }
  return Status::OK();
}

// Tables named by --table come before those of --data.
Result<std::vector<TablePlace>> Queries::Places() {
  std::vector<TablePlace> places;
  PT_LET(const PasswordPlace password, ReadPasswordFlags(arguments_));
  const bool below = arguments_.Has("--data") || arguments_.num_operands() > 1;
  for (const std::string& each : arguments_.Values("--table")) {
    if (below && each.find('=') == each.npos) continue;
    PT_LET(places.emplace_back(), ReadTablePlace(each, password));
  }
  if (below || places.empty()) PT_TRY(AddBelow(places));
  return places;
}

template <typename Act>
auto Queries::Watched(Act act) -> decltype(act()) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_TRY(OpenSession());
  const std::stop_callback stops(signals->token(), [this] { stop_.request_stop(); });
  ProgressDisplay progress(Terminal::Of(STDERR_FILENO), ToStderr());
  const auto watch = [this](ProgressDisplay* display) {
    const std::lock_guard lock(mutex_);
    progress_ = display;
  };
  watch(&progress);
  auto result = act();
  watch(nullptr);
  progress.Close();
  return result;
}

Status Queries::OpenSession() {
  CloseIfStale();
  if (session_) return Status::OK();
  SessionOptions options;
  options.engine = arguments_.Value("--engine", "local");
  const std::string output = arguments_.Value("--output", "here");
  PT_LET(scratch_, Scratch::MakeFor(options.engine, output));
  options.folder = scratch_->path();
  options.base = fs::current_path();
  options.force = arguments_.Has("--force");
  stop_ = std::stop_source();
  options.call.stop = stop_.get_token();
  options.call.events = [this](const Json& event) {
    const std::lock_guard lock(mutex_);
    if (progress_ != nullptr) progress_->On(event);
  };
  PT_LET(session_, protium::OpenSession(std::move(options)));
  PT_TRY(TakeNoNotes(*session_));
  // Their queries passed once; errors since then are reported when a view is used.
  for (const ViewStatement& view : views_) {
    PT_LET(const DataFrame frame, Analysed(view.query));
    session_->Table(view.name, frame);
  }
  return Status::OK();
}

// A stopped session cannot be used again, and a file written since then may have other columns.
void Queries::CloseIfStale() {
  const auto is_stale = [](const auto& each) {
    return each.second.stamp != StampOf(each.second.path);
  };
  if (stop_.stop_requested() || std::ranges::any_of(opened_, is_stale)) Close();
}

void Queries::Close() {
  opened_.clear();
  session_.reset();
  scratch_.reset();
}

DataFrame Queries::Open(const TypedPlace& place, const CsvOptions& csv) {
  const auto known = opened_.find(place.text());
  if (known != opened_.end()) return known->second.frame;
  const DataFrame frame = OpenPlace(*session_, place, csv);
  opened_.emplace(place.text(), Opened{frame, place.path, StampOf(place.path)});
  return frame;
}

Result<DataFrame> Queries::Analysed(const std::string& sql) {
  PT_LET(std::vector<TablePlace> places, Places());
  std::erase_if(places, [&](const TablePlace& place) {
    return std::ranges::any_of(
        views_, [&](const ViewStatement& view) { return Lower(view.name) == Lower(place.name); });
  });
  PT_LET(const CsvGiven csv, ReadCsvFlags(arguments_));
  const auto open = [this](const TypedPlace& place, const CsvOptions& options) {
    return Open(place, options);
  };
  PT_LET(const std::vector<BrokenTable> broken,
         NameTables(*session_, sql, places, csv.options, open));
  const DataFrame frame = SqlWithModels(*session_, sql);
  const Status good = WithReasons(frame.Schema().status(), broken);
  if (good.ok()) return frame;
  for (const ViewStatement& view : views_) places.push_back({view.name, {}});
  return WithTables(good, places, arguments_);
}

Status Queries::CheckFlags(const std::string& sql) {
  PT_TRY(arguments_.Number("--rows", kUsualRows).status());
  const std::string output = arguments_.Value("--output");
  if (output.empty()) return Status::OK();
  PT_TRY(CheckOutputFormat(output));
  std::vector<fs::path> perhaps_read;
  PT_LET(const std::vector<TablePlace> places, Places());
  for (const TablePlace& each : places) {
    if (Lower(sql).find(Lower(each.name)) != sql.npos) perhaps_read.push_back(each.at.path);
  }
  return CheckNewOutput(ResolveOutput(output), arguments_.Has("--force"), perhaps_read);
}

Status Queries::Answer(const std::string& sql, bool timed) {
  const Clock::time_point started = Clock::now();
  const Result<std::string> answer = Watched([&]() -> Result<std::string> {
    PT_TRY(CheckFlags(sql));
    PT_LET(const DataFrame frame, Analysed(sql));
    return AnswerOf(*session_, frame, arguments_, timed ? std::optional(started) : std::nullopt);
  });
  if (answer.ok()) return PrintResult(*answer);
  return Failed(answer.status());
}

Status Queries::Define(const ViewStatement& view) {
  const auto same = [&](const ViewStatement& each) { return Lower(each.name) == Lower(view.name); };
  const auto known = std::ranges::find_if(views_, same);
  if (known != views_.end() && !view.replaces) {
    return Fail({.exit = Exit::kUsage,
                 .what = "there is a view \"" + known->name + "\" already",
                 .fix = "CREATE OR REPLACE VIEW " + view.name + " AS ..."});
  }
  const Status named = Watched([&]() -> Status {
    PT_LET(const DataFrame frame, Analysed(view.query));
    session_->Table(known == views_.end() ? view.name : known->name, frame);
    return Status::OK();
  });
  if (!named.ok()) return Failed(named);
  if (known != views_.end()) {
    known->query = view.query;
  } else {
    views_.push_back(view);
  }
  return Status::OK();
}

// After a fault of the query itself the session is unchanged. After others, such as a broken
// connection, the next query opens a new one.
Status Queries::Failed(const Status& status) {
  const Exit exit = FaultOf(status).exit;
  const Status told = scratch_ ? WithoutLogsIn(scratch_->path(), status) : status;
  if (exit != Exit::kUsage && exit != Exit::kInput && exit != Exit::kFailed) Close();
  return told;
}

Result<SchemaPtr> Queries::Columns(const TablePlace& place) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_TRY(OpenSession());
  const std::stop_callback stops(signals->token(), [this] { stop_.request_stop(); });
  PT_LET(const CsvGiven csv, ReadCsvFlags(arguments_));
  return Open(place.at, csv.options).Schema();
}

Result<SchemaPtr> Queries::Columns(const ViewStatement& view) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_TRY(OpenSession());
  const std::stop_callback stops(signals->token(), [this] { stop_.request_stop(); });
  return session_->Table(view.name).Schema();
}

}  // namespace protium
