// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/job/saved_etl.h"
#include "app/run/run_report.h"
#include "app/verb.h"
#include "base/fault.h"
#include "format/kind.h"
#include "frame/session_state.h"
#include "learn/extension.h"
#include "learn/model/model_state.h"
#include "os/signals.h"
#include "run/events.h"
#include "run/progress.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// A temporary folder for logs and spill, removed with its owner. `predict` leaves no run.
class Scratch {
 public:
  static Result<std::unique_ptr<Scratch>> Make(const fs::path& base) {
    std::string name = (base / "protium-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      return Fail({.exit = Exit::kEnvironment,
                   .what = "cannot make a folder for passing files in " + base.string(),
                   .why = std::strerror(errno)});
    }
    return std::make_unique<Scratch>(name);
  }
  explicit Scratch(fs::path path) : path_(std::move(path)) {}
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool IsParquet(const fs::path& path) { return path.extension() == ".parquet"; }

Status CheckFlags(const Arguments& arguments) {
  if (arguments.Has("--input") == arguments.Has("--data")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "predict needs --input FILE or --data DIR, one of them",
                 .fix = FormatUsage("protium", PredictVerb().shape)});
  }
  for (const char* flag : {"--model", "--output"}) {
    if (!arguments.Has(flag)) {
      return Fail({.exit = Exit::kUsage, .what = fmt::format("predict needs {}", flag)});
    }
  }
  const fs::path output = arguments.Value("--output");
  if (IsParquet(output) || output.extension() == ".csv") return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("--output must end in .parquet or .csv, got \"{}\"", output.string())});
}

// The model's labels, which new tables need not have.
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
                              arguments.Value("--data"));
  }
  const std::string input = arguments.Value("--input");
  // Spark writes a table as a folder of Parquet files.
  const bool parquet = IsParquet(input) || fs::is_directory(input) || IsParquetFile(input);
  const DataFrame table =
      parquet ? session.Read().Parquet(input)
              : session.Read().Csv(input,
                                   {.null = arguments.Value("--null"),
                                    .delimiter = arguments.Value("--delimiter", ",")},
                                   model.state().input);
  return NewTables{.etl = table, .tables = {{fs::path(input).filename().string(), table}}};
}

// The rows of each input table: {"flights": 500, ...}. Counted after scoring, so that a mistake is
// reported without waiting for this.
Result<Json> RowsIn(const NewTables& input) {
  Json rows = Json::object();
  for (const auto& [name, table] : input.tables) {
    PT_LET(rows[name], table.Count());
  }
  return rows;
}

std::string RowsText(const Json& rows_in, int64_t rows_out) {
  std::string text;
  for (const auto& [name, rows] : rows_in.items()) {
    text += (text.empty() ? "" : ", ") + name + " " + Grouped(rows.get<int64_t>());
  }
  return fmt::format("rows    in: {}; out: {}\n", text, Grouped(rows_out));
}

// The warning for an output without rows, which is seldom what was meant: most often the SQL joins
// or filters everything away.
std::string WarningOfNone(const Json& rows_in, const Arguments& arguments) {
  int64_t all = 0;
  for (const Json& rows : rows_in) all += rows.get<int64_t>();
  if (all == 0) return "there are no rows to score";
  return arguments.Has("--data") ? "the model's SQL lets no row of these tables through; protium "
                                   "inspect MODEL --json shows it"
                                 : "no row came out";
}

// The absolute output path. Links and ".." in its folder are resolved, since a path typed here is
// meant as it stands, while Writer refuses "..".
fs::path ResolveOutput(const Arguments& arguments) {
  const fs::path typed = fs::absolute(arguments.Value("--output"));
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(typed.parent_path(), error);
  return (error ? typed.parent_path() : folder) / typed.filename();
}

// Scores and writes the table; returns the text for stdout.
Result<std::string> Score(const Arguments& arguments, SessionOptions options) {
  PT_LET(const std::unique_ptr<Session> session, OpenSession(std::move(options)));
  const Call call = session->state().call();
  RunRecord& record = session->state().record();
  PT_LET(const PipelineModel model,
         PipelineModel::Load(*session, fs::absolute(arguments.Value("--model"))));
  PT_LET(const NewTables input, ReadInput(*session, model, arguments));
  for (const std::string& note : input.notes) {
    call.Tell(EventToJson(Note{note}));
  }
  const fs::path output = ResolveOutput(arguments);
  const Writer writer = model.Transform(input.etl).Write();
  PT_TRY(model.Explain(IsParquet(output) ? writer.Parquet(output.string())
                                         : writer.Csv(output.string())));
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

// Signals are set up first, since threads inherit which ones are blocked (os/signals.h).
Status Predict(const Arguments& arguments, const Invocation& invocation) {
  PT_TRY(CheckFlags(arguments));
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  const std::string engine = arguments.Value("--engine", "local");
  // On Spark, executors write files that the driver reads, so the folder must lie on storage that
  // both see; the output's folder has to be, /tmp of the driver is not.
  PT_LET(const std::unique_ptr<Scratch> scratch,
         Scratch::Make(engine.starts_with("sc://")
                           ? fs::absolute(arguments.Value("--output")).parent_path()
                           : fs::temp_directory_path()));
  ProgressDisplay progress(Terminal::Of(STDERR_FILENO), ToStderr());
  SessionOptions options;
  options.engine = engine;
  options.folder = scratch->path();
  options.base = fs::current_path();
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
  if (!scored.ok()) return WithoutLogsIn(scratch->path(), scored.status());
  return PrintResult(*scored);
}

}  // namespace

CommandVerb PredictVerb() {
  return {{.name = "predict",
           .flags = {{"--model", "DIR", "the model folder", ""},
                     {"--input", "FILE", "a table as the model's SQL would make it", ""},
                     {"--data", "DIR", "new tables; the model's own SQL makes the input", ""},
                     {"--null", "TEXT", "what stands for a missing value in a CSV input", ""},
                     DelimiterFlag(),
                     {"--output", "FILE", "where the scored table goes, .parquet or .csv", ""},
                     {"--extension", "FILE", "the library that brings the model's net", ""},
                     EngineFlag(),
                     ForceFlag(),
                     JsonFlag()},
           .says = "scores a table with a model",
           .more = "  protium predict --model runs/flights-.../model --data newer --output "
                   "scored.parquet\n"},
          Predict};
}

}  // namespace protium
