// SPDX-License-Identifier: Apache-2.0
#include "app/query/query.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/csv_flags.h"
#include "app/run/one_file.h"
#include "app/table/cells.h"
#include "app/table/grid.h"
#include "app/verb.h"
#include "base/fault.h"
#include "frame/open.h"
#include "frame/session_state.h"
#include "os/signals.h"
#include "run/progress.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kUsualRows = 20;

// A query about a table that is not there is told which ones are.
Status WithTables(const Status& status, const std::vector<TablePlace>& places,
                  const Arguments& arguments) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  if (!fault.what.starts_with("there is no table")) return status;
  constexpr size_t kMostNames = 200;  // Bytes.
  std::string names;
  for (const TablePlace& place : places) names += (names.empty() ? "" : ", ") + place.name;
  if (names.size() > kMostNames) names = names.substr(0, names.rfind(',', kMostNames)) + ", ...";
  const std::string where = arguments.Value("--data", ".");
  fault.fix = names.empty() ? "there are no tables in " + where +
                                  ": --data DIR says "
                                  "where they are"
                            : "the tables here are " + names;
  return Fail(std::move(fault));
}

// The first rows, at most `most`, as one batch; `more`: there are others.
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

// Returns the text for stdout, which is printed after the progress bar has gone.
Result<std::string> Answer(Session& session, const DataFrame& frame, const Arguments& arguments,
                           bool timed) {
  const auto took = [&] {
    const Clock::duration since = Clock::now() - session.state().options().started;
    return timed ? ", " + Seconds(std::chrono::duration<double>(since).count()) : std::string();
  };
  if (arguments.Has("--output")) {
    const fs::path output = ResolveOutput(arguments.Value("--output"));
    PT_TRY(WriteTo(frame, output));
    const int64_t rows = session.state().record().results()["output_rows"].begin()->get<int64_t>();
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

Result<std::string> Query(const std::string& sql, const Arguments& arguments,
                          SessionOptions options, bool timed) {
  PT_LET(const auto places, PlacesIn(arguments));
  PT_LET(const CsvGiven csv, ReadCsvFlags(arguments));
  PT_LET(const std::unique_ptr<Session> session, OpenSession(std::move(options)));
  PT_TRY(NameTables(*session, sql, places, csv.options));
  const DataFrame frame = session->Sql(sql);
  PT_TRY(WithTables(frame.Schema().status(), places, arguments));
  return Answer(*session, frame, arguments, timed);
}

}  // namespace

// Tables named by --table come before those of --data.
Result<std::vector<TablePlace>> PlacesIn(const Arguments& arguments) {
  std::vector<TablePlace> places;
  for (const std::string& each : arguments.Values("--table")) {
    PT_LET(places.emplace_back(), ReadTablePlace(each));
  }
  if (!places.empty() && !arguments.Has("--data")) return places;
  const std::vector<TablePlace> given = places;
  PT_LET(const auto found, ListTables(arguments.Value("--data", ".")));
  for (const TablePlace& place : found) {
    const auto same = [&](const TablePlace& each) { return each.name == place.name; };
    if (std::ranges::none_of(given, same)) places.push_back(place);
  }
  return places;
}

Status AnswerQuery(const std::string& sql, const Arguments& arguments, bool timed) {
  const std::string output = arguments.Value("--output");
  if (!output.empty()) PT_TRY(CheckOutputFormat(output));
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  SessionOptions options;
  options.engine = arguments.Value("--engine", "local");
  PT_LET(const std::unique_ptr<Scratch> scratch,
         Scratch::MakeFor(options.engine, output.empty() ? "here" : output));
  ProgressDisplay progress(Terminal::Of(STDERR_FILENO), ToStderr());
  options.folder = scratch->path();
  options.base = fs::current_path();
  options.force = arguments.Has("--force");
  options.call.stop = signals->token();
  options.call.events = [&progress](const Json& event) { progress.On(event); };
  const Result<std::string> answer = Query(sql, arguments, std::move(options), timed);
  progress.Close();
  if (!answer.ok()) return WithoutLogsIn(scratch->path(), answer.status());
  return PrintResult(*answer);
}

Result<SchemaPtr> ColumnsOf(const TablePlace& place, const Arguments& arguments) {
  SessionOptions options;
  options.engine = arguments.Value("--engine", "local");
  PT_LET(const std::unique_ptr<Scratch> scratch, Scratch::MakeFor(options.engine, "here"));
  options.folder = scratch->path();
  options.base = fs::current_path();
  PT_LET(const std::unique_ptr<Session> session, OpenSession(std::move(options)));
  PT_LET(const CsvGiven csv, ReadCsvFlags(arguments));
  return OpenPlace(*session, place.path, csv.options).Schema();
}

}  // namespace protium
