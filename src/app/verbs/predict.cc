// SPDX-License-Identifier: Apache-2.0
// `protium predict`: scores a table with a saved model and writes the result as one file. The input
// is a table as the model's ETL would make it (--input), or new tables on which the saved ETL runs
// first (--data). A session in a temporary folder does it, which is removed at the end: predict
// leaves no run. Ctrl-C stops the engine and its workers; the output appears whole or not at all.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/job/saved_etl.h"
#include "app/run/one_file.h"
#include "app/run/run_report.h"
#include "app/table/folder_tables.h"
#include "app/verb.h"
#include "base/fault.h"
#include "frame/session_state.h"
#include "learn/extension.h"
#include "learn/model/model_state.h"
#include "learn/torch_folder.h"
#include "os/signals.h"
#include "run/events.h"
#include "run/progress.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// What the shape of the verb cannot say: flags that must be given, and one of two.
Status CheckFlags(const Arguments& arguments) {
  if (arguments.Has("--input") == arguments.Has("--data")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "predict needs either --input FILE or --data DIR",
                 .fix = FormatUsage("protium", PredictVerb().shape)});
  }
  for (const char* flag : {"--model", "--output"}) {
    if (!arguments.Has(flag)) {
      return Fail({.exit = Exit::kUsage, .what = fmt::format("predict needs {}", flag)});
    }
  }
  return CheckOutputFormat(arguments.Value("--output"));
}

// The columns that the model's estimators learn from, which new tables need not have.
std::vector<std::string> LabelsIn(const PipelineModel& model) {
  std::vector<std::string> labels;
  for (const Json& stage : PipelineToJson(model.state())) {
    const std::string label = stage.value("label", "");
    if (!label.empty()) labels.push_back(label);
    for (const Json& each : stage.value("labels", Json::array())) labels.push_back(each);
  }
  return labels;
}

// The table to score, and the tables it is made from.
Result<NewTables> ReadInput(Session& session, const PipelineModel& model,
                            const Arguments& arguments) {
  if (arguments.Has("--data")) {
    return TablesFromSavedEtl(session, model.state().etl, LabelsIn(model),
                              fs::absolute(arguments.Value("--data")));
  }
  const std::string input = fs::absolute(arguments.Value("--input"));
  const DataFrame table = OpenPlace(session, input, CsvGiven(arguments), model.state().input);
  return NewTables{.etl = table, .tables = {{fs::path(input).filename().string(), table}}};
}

// The number of rows of each input table: {"flights": 500, ...}. Counted after scoring, so that a
// mistake is reported without waiting for it.
Result<Json> RowsIn(const NewTables& input) {
  Json rows = Json::object();
  for (const auto& [name, table] : input.tables) {
    PT_LET(rows[name], table.Count());
  }
  return rows;
}

// "rows    in: flights 500, weather 8000; out: 498".
std::string RowsText(const Json& rows_in, int64_t rows_out) {
  std::string text;
  for (const auto& [name, rows] : rows_in.items()) {
    text += (text.empty() ? "" : ", ") + name + " " + Grouped(rows.get<int64_t>());
  }
  return fmt::format("rows    in: {}; out: {}\n", text, Grouped(rows_out));
}

// The warning for an output without rows, which is seldom intended: most often the SQL joins or
// filters everything away.
std::string WarningOfNone(const Json& rows_in, const Arguments& arguments) {
  int64_t all = 0;
  for (const Json& rows : rows_in) all += rows.get<int64_t>();
  if (all == 0) return "there are no rows to score";
  return arguments.Has("--data") ? "the model's SQL selects no row of these tables; protium "
                                   "inspect MODEL --json shows it"
                                 : "the scored table has no rows";
}

// Scores and writes the table; returns the text for stdout, which is printed after the progress bar
// has gone.
Result<std::string> Score(const Arguments& arguments, SessionOptions options) {
  PT_LET(const std::unique_ptr<Session> session, OpenSession(std::move(options)));
  const Call call = session->state().call();
  RunRecord& record = session->state().record();
  PT_LET(PipelineModel model,
         PipelineModel::Load(*session, fs::absolute(arguments.Value("--model"))));
  PT_LET(const int64_t gpus, arguments.Number("--gpus", 0));
  if (gpus > 0) PT_TRY(CheckGpuLibraries());
  model = WithGpus(model, int32_t(gpus));
  PT_LET(const NewTables input, ReadInput(*session, model, arguments));
  for (const std::string& note : input.notes) {
    call.Tell(EventToJson(Note{note}));
  }
  const fs::path output = ResolveOutput(arguments.Value("--output"));
  PT_TRY(model.Explain(WriteTo(model.Transform(input.etl), output)));
  record.Set("scored", "rows with a label");  // What the metrics' rows are called when printed.
  const Json results = record.results();
  const int64_t rows_out = results["output_rows"].begin()->get<int64_t>();
  PT_LET(const Json rows_in, RowsIn(input));
  if (rows_out == 0) {
    call.Tell(EventToJson(Warning{WarningOfNone(rows_in, arguments)}));
  }
  if (arguments.Has("--json")) {
    const Json line = {{"output", output.string()},
                       {"rows_in", rows_in},
                       {"rows_out", rows_out},
                       {"metrics", results.value("metrics", Json::object())},
                       {"seconds", results.value("seconds", Json::object())}};
    return Dump(line) + "\n";
  }
  const std::string table = MetricsTable(results);
  return (table.empty() ? "" : table + "\n") + RowsText(rows_in, rows_out) + "output  " +
         output.string() + "\n";
}

// Signals first: threads inherit which of them are blocked (os/signals.h), and a session starts
// some.
Status Predict(const Arguments& arguments, const Invocation& invocation) {
  PT_TRY(CheckFlags(arguments));
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  const std::string engine = arguments.Value("--engine", "local");
  PT_LET(const std::unique_ptr<Scratch> scratch,
         Scratch::MakeFor(engine, arguments.Value("--output")));
  ProgressDisplay progress(Terminal::Of(STDERR_FILENO), ToStderr());
  SessionOptions options;
  options.engine = engine;
  options.folder = scratch->path();
  // Where the tables are: stages find other files beside them, such as pictures.
  options.base = arguments.Has("--data") ? fs::absolute(arguments.Value("--data"))
                                         : fs::absolute(arguments.Value("--input")).parent_path();
  // A model may have a net that only the program or the extension knows.
  if (invocation.program != nullptr) options.catalogue = invocation.program->catalogue;
  if (arguments.Has("--extension")) {
    PT_LET(options.catalogue,
           WithExtensions(options.catalogue, {fs::absolute(arguments.Value("--extension"))}));
  }
  options.force = arguments.Has("--force");
  options.call.stop = signals->token();
  options.call.events = [&progress](const Json& event) { progress.On(event); };
  const Result<std::string> scored = Score(arguments, std::move(options));
  progress.Close();
  // The message must not send anyone to logs that are gone by then.
  if (!scored.ok()) return WithoutLogsIn(scratch->path(), scored.status());
  return PrintResult(*scored);
}

}  // namespace

CommandVerb PredictVerb() {
  return {
      {.name = "predict",
       .flags = {{"--model", "DIR", "the model folder", ""},
                 {"--input", "FILE", "a table as the model's SQL would make it", ""},
                 {"--data", "DIR", "new tables; the model's own SQL makes the input", ""},
                 {"--null", "TEXT", "how a CSV input writes missing values; may be repeated", ""},
                 DelimiterFlag(),
                 {"--output", "FILE",
                  "where the scored table goes, .parquet, .csv, .jsonl or .arrow", ""},
                 {"--extension", "FILE", "the library that defines the model's net", ""},
                 {"--gpus", "N", "GPUs leased to each worker, to score on (0)", ""},
                 EngineFlag(),
                 ForceFlag(),
                 JsonFlag()},
       .says = "scores a table with a model",
       .more = "  protium predict --model runs/flights-.../model --data newer --output "
               "scored.parquet\n"},
      Predict};
}

}  // namespace protium
