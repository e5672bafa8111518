// SPDX-License-Identifier: Apache-2.0
// `protium predict`: scores a table with a saved model and writes the result as one file. The input
// is a table as the model's ETL would make it (--input), or new tables on which the saved ETL runs
// first (--data). Uses a session in a temporary folder, which is removed at the end: predict leaves
// no run. Ctrl-C stops the engine and its workers; the output appears whole or not at all, on
// stdout after all rows have been scored.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/run/drift_report.h"
#include "app/run/forward.h"
#include "app/run/named_run.h"
#include "app/run/net_inputs.h"
#include "app/run/precision.h"
#include "app/run/predict_flags.h"
#include "app/run/run_report.h"
#include "app/run/scored_table.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/unknown_name.h"
#include "catalogue/extension.h"
#include "column/schema.h"
#include "frame/outputs.h"
#include "frame/session_state.h"
#include "inspect/folder_tables.h"
#include "inspect/place.h"
#include "job/csv_flags.h"
#include "job/saved_etl.h"
#include "model/model_state.h"
#include "model/onnx_model.h"
#include "model/rounded.h"
#include "os/signals.h"
#include "pipeline/torch_folder.h"
#include "plan/node.h"
#include "protium/events.h"
#include "run/progress.h"
#include "run/terminal.h"
#include "terminal/one_file.h"
#include "terminal/printing.h"
#include "terminal/standard_streams.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Result<PipelineModel> LoadModel(Session& session, const fs::path& folder,
                                const Arguments& arguments) {
  if (arguments.Has("--inputs")) {
    PT_LET(const Columns inputs, ReadFedColumns(arguments, folder));
    return LoadOnnxModel(session, folder, inputs);
  }
  Result<PipelineModel> model = PipelineModel::Load(session, folder);
  if (model.ok()) return model;
  Fault fault = FaultOf(model.status());
  if (fault.fix.empty() && fault.what.starts_with("not a model folder")) {
    fault.fix = "--model last, a run, or the folder \"model\" of a run";
  }
  return Fail(std::move(fault));
}

// A request with resolved paths: what is typed as "-" has become a file in the scratch folder.
struct Places {
  std::filesystem::path model;
  std::filesystem::path scratch;
  std::filesystem::path stdin_file;  // Empty: stdin is not read.
  std::filesystem::path output;      // Of a table, its text.
  std::optional<ScoredTable> table;  // Set: the output is one.
};

// An input as it is typed; one on a server has the password of the flags.
Result<TypedPlace> PlaceOfInput(const std::string& typed, const Arguments& arguments) {
  PlaceGiven given;
  if (typed.find("://") != typed.npos) {
    PT_LET(given.password, ReadPasswordFlags(arguments));
  }
  PT_LET(TypedPlace place, ReadPlace(typed, given));
  if (!place.source) place.path = fs::absolute(place.path);
  return WithTable(std::move(place));
}

// Returns the name of one input for messages and counts, and its table.
Result<std::pair<std::string, DataFrame>> OpenInput(Session& session, const std::string& typed,
                                                    const PipelineModel& model,
                                                    const Places& places,
                                                    const Arguments& arguments) {
  const bool piped = typed == "-", only = arguments.Values("--input").size() == 1;
  PT_LET(const CsvGiven csv, ReadCsvFlags(arguments));
  TypedPlace place(places.stdin_file);
  if (!piped) {
    PT_LET(place, PlaceOfInput(typed, arguments));
  }
  const std::string name = piped                  ? "stdin"
                           : place.source && only ? place.name()
                           : only                 ? place.path.filename().string()
                                                  : typed;
  return std::pair(name, OpenPlace(session, place, csv.options, StateOf(model).input));
}

// Where the model's tables are now.
Result<NewPlaces> PlacesOfTables(Session& session, const Arguments& arguments) {
  NewPlaces places;
  if (arguments.Has("--data")) places.data = fs::absolute(arguments.Value("--data"));
  PT_LET(const CsvGiven csv, ReadCsvFlags(arguments));
  PT_LET(const PasswordPlace password, ReadPasswordFlags(arguments));
  for (const std::string& each : arguments.Values("--table")) {
    PT_LET(TablePlace table, ReadTablePlace(each, password));
    if (!table.at.source) table.at.path = fs::absolute(table.at.path);
    places.own[table.name] = [&session, at = table.at, csv](const SchemaPtr& known) {
      return OpenPlace(session, at, csv.options, known);
    };
  }
  return places;
}

// The fault of a union is about calls; a user has files.
Status FitsTheOthers(const Status& union_status, const std::string& name) {
  if (union_status.ok() || FaultOf(union_status).exit != Exit::kUsage) return union_status;
  return Fail({.exit = Exit::kInput,
               .what = name + " has other columns than the inputs before it",
               .why = FaultOf(union_status).what,
               .fix = "score it by itself"});
}

// Returns the table to score, and the tables it is made from. Several inputs become one table, in
// their order.
Result<NewTables> ReadInput(Session& session, const PipelineModel& model, const Places& places,
                            const Arguments& arguments) {
  if (RunsEtl(arguments)) {
    PT_LET(const NewPlaces now, PlacesOfTables(session, arguments));
    return TablesFromSavedEtl(session, StateOf(model).etl, LabelsOf(StateOf(model)), now);
  }
  std::vector<std::pair<std::string, DataFrame>> tables;
  for (const std::string& typed : arguments.Values("--input")) {
    PT_LET(auto table, OpenInput(session, typed, model, places, arguments));
    tables.push_back(std::move(table));
  }
  DataFrame all = tables[0].second;
  for (size_t i = 1; i < tables.size(); ++i) {
    all = all.Union(tables[i].second);
    PT_TRY(FitsTheOthers(all.Schema().status(), tables[i].first));
  }
  return NewTables{.etl = all, .tables = tables, .notes = {}};
}

// Returns --columns in the spelling of the columns of `scored`.
Result<Columns> ChosenColumns(const std::string& list, const DataFrame& scored) {
  PT_LET(const SchemaPtr all, scored.Schema());
  Columns chosen;
  for (const std::string& typed : ColumnsIn(list)) {
    const int at = FindField(*all, typed);
    if (at < 0) return UnknownName("column", typed, all->field_names(), "--columns");
    chosen.push_back(all->field(at)->name());
  }
  if (!chosen.empty()) return chosen;
  return Fail({.exit = Exit::kUsage, .what = "--columns names no column"});
}

// Returns the scored table with the columns named by --columns, in that order, or with all columns.
Result<DataFrame> ScoredRows(const PipelineModel& model, const DataFrame& etl,
                             const Arguments& arguments) {
  const DataFrame scored = model.Transform(etl);
  if (!arguments.Has("--columns")) return scored;
  PT_LET(const Columns columns, ChosenColumns(arguments.Value("--columns"), scored));
  PT_LET(const SchemaPtr input, etl.Schema());
  // Workers carry along only the output columns.
  Columns keep;
  for (const std::string& name : columns) {
    if (input->GetFieldIndex(name) >= 0) keep.push_back(name);
  }
  return model.Transform(etl, keep).Select(columns);
}

// Returns the number of rows of each input table: {"flights": 500, ...}. Counted after scoring, so
// that a mistake is reported without waiting for it.
Result<Json> RowsIn(const std::optional<NewTables>& input) {
  Json rows = Json::object();
  if (!input) return rows;
  for (const auto& [name, table] : input->tables) {
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
  if (!text.empty()) text = "in: " + text + "; ";
  return fmt::format("rows    {}out: {}\n", text, Grouped(rows_out));
}

// Returns the warning for an output without rows, which is seldom intended: usually the SQL joins
// or filters everything away.
std::string WarningOfNone(const Json& rows_in, const Arguments& arguments) {
  int64_t all = 0;
  for (const Json& rows : rows_in) all += rows.get<int64_t>();
  if (all == 0) return "there are no rows to score";
  return RunsEtl(arguments) ? "the model's SQL selects no row of these tables; protium "
                              "inspect MODEL --json shows it"
                            : "the scored table has no rows";
}

// Returns the report for people, or as the one line of --json.
std::string ReportText(const Json& results, const Json& rows_in, int64_t rows_out,
                       const Json& drift, const Places& places, const Arguments& arguments) {
  if (arguments.Has("--json")) {
    Json line = {{"output", places.output.string()},
                 {"rows_in", rows_in},
                 {"rows_out", rows_out},
                 {"metrics", results.value("metrics", Json::object())},
                 {"seconds", results.value("seconds", Json::object())}};
    if (!drift.is_null()) line["drift"] = drift;
    return Dump(line) + "\n";
  }
  const std::string table = MetricsTable(results);
  const std::string output = ToStdout(arguments) ? "" : "output  " + places.output.string() + "\n";
  return (table.empty() ? "" : table + "\n") + RowsText(rows_in, rows_out) + output;
}

// Likewise, with the model going forward from row to row. --horizon needs no `rows`.
Result<DataFrame> ForwardRows(Session& session, const PipelineModel& model,
                              const std::optional<DataFrame>& rows, const Forward& forward,
                              const Places& places, const Arguments& arguments) {
  PT_LET(const DataFrame scored, ScoredForward(session, model, rows, forward, places.scratch,
                                               StateOf(session).call().stop));
  if (!rows) {
    StateOf(session).call().Send(
        Note{"the rows follow those that the model was trained on; --data or --input gives newer "
             "ones to follow"});
  }
  if (!arguments.Has("--columns")) return scored;
  PT_LET(const Columns columns, ChosenColumns(arguments.Value("--columns"), scored));
  return scored.Select(columns);
}

Result<DataFrame> Scored(Session& session, const PipelineModel& model,
                         const std::optional<NewTables>& input, const Places& places,
                         const Arguments& arguments) {
  PT_LET(const std::optional<Forward> forward, ReadForwardFlags(arguments));
  if (input && !arguments.Has("--horizon")) PT_TRY(WarnOfGap(session, model, input->etl));
  if (!forward) return ScoredRows(model, input->etl, arguments);
  const auto rows = input ? std::optional(input->etl) : std::nullopt;
  return ForwardRows(session, model, rows, *forward, places, arguments);
}

Status StoreScored(const DataFrame& scored, const ScoredTable& table) {
  return scored.Write().Table(*table.place.source, table.mode, "predict", table.keys);
}

// With weights of 8 bits, and a note on what they cost, if the flags want that.
Result<PipelineModel> InPrecision(Session& session, const PipelineModel& model,
                                  const Arguments& arguments) {
  PT_LET(const std::optional<double> most_loss, ReadPrecision(arguments));
  if (!most_loss) return model;
  PT_LET(PipelineModel rounded, WithInt8(model, *most_loss));
  PT_LET(const RoundedLoss loss, LossOfInt8(StateOf(model)));
  StateOf(session).call().Send(Note{Describe(loss)});
  return rounded;
}

// The model as the flags want it.
Result<PipelineModel> ReadyModel(Session& session, const fs::path& folder,
                                 const Arguments& arguments) {
  PT_LET(PipelineModel model, LoadModel(session, folder, arguments));
  PT_LET(const int64_t gpus, arguments.Number("--gpus", 0));
  if (gpus > 0) PT_TRY(CheckGpuLibraries());
  model = WithGpus(model, int32_t(gpus));
  PT_LET(model, InPrecision(session, model, arguments));
  PT_LET(const int32_t explained, ExplainedColumns(arguments));
  PT_LET(const int32_t samples, ExplainingSamples(arguments));
  return model.Explaining(explained, samples);
}

// Scores and writes the table; returns the report, which is printed after the progress bar has been
// removed.
Result<std::string> Score(const Arguments& arguments, const Places& places,
                          SessionOptions options) {
  PT_LET(const std::unique_ptr<Session> session, OpenSession(std::move(options)));
  PT_TRY(TakeNoNotes(*session));
  const Call call = StateOf(*session).call();
  RunRecord& record = StateOf(*session).record();
  PT_LET(const PipelineModel model, ReadyModel(*session, places.model, arguments));
  std::optional<NewTables> input;  // --horizon needs none.
  if (arguments.Has("--input") || RunsEtl(arguments)) {
    PT_LET(input, ReadInput(*session, model, places, arguments));
    // Its rows are read once to score them and once to look for missing ones.
    if (!StateOf(model).history.empty() && !arguments.Has("--horizon")) {
      input->etl = DataFrame(*session, MakePlan(Materialize{"etl"}, {input->etl.plan()}));
    }
    for (const std::string& note : input->notes) call.Send(Note{note});
  }
  if (!places.table) PT_TRY(StateOf(*session).CheckOutput(places.output));
  PT_LET(const DataFrame scored, Scored(*session, model, input, places, arguments));
  PT_TRY(model.Explain(places.table ? StoreScored(scored, *places.table)
                                    : WriteTo(scored, places.output)));
  // The printed name of the rows that the metrics are about.
  record.Set("scored", "rows with a label");
  const Json results = record.results();
  const int64_t rows_out = results["output_rows"].begin()->get<int64_t>();
  PT_LET(const Json rows_in, RowsIn(input));
  if (rows_out == 0) {
    call.Send(Warning{WarningOfNone(rows_in, arguments)});
  }
  PT_LET(const int64_t most, ReadDriftFlag(arguments));
  Json drift;
  if (input && !arguments.Has("--horizon")) {
    PT_LET(drift, ReportDrift(model, input->etl, most, rows_out));
  }
  return ReportText(results, rows_in, rows_out, drift, places, arguments);
}

// The files and folders that the tables to score may be in.
std::vector<fs::path> PerhapsRead(const Arguments& arguments) {
  std::vector<fs::path> paths;
  for (const std::string& each : arguments.Values("--input")) paths.emplace_back(each);
  if (arguments.Has("--data")) paths.emplace_back(arguments.Value("--data"));
  for (const std::string& each : arguments.Values("--table")) {
    paths.emplace_back(each.substr(each.find('=') + 1));
  }
  return paths;
}

// Cheap checks first: a model may be copied from an object store, and stdin is read last.
Result<Places> FindPlaces(const Arguments& arguments, const fs::path& scratch,
                          const std::stop_token& stop) {
  Places places;
  places.scratch = scratch;
  const std::string ending = arguments.Value("--format", "csv"),
                    output = arguments.Value("--output");
  PT_LET(places.table, ReadScoredTable(arguments));
  if (!places.table && !ToStdout(arguments)) {
    PT_TRY(CheckOutputFormat(output));
    PT_TRY(CheckNewOutput(ResolveOutput(output), arguments.Has("--force"), PerhapsRead(arguments)));
  }
  PT_LET(places.model, FindNamedModel(arguments, arguments.Value("--model")));
  places.output = places.table          ? fs::path(places.table->place.text())
                  : ToStdout(arguments) ? scratch / ("stdout." + ending)
                                        : ResolveOutput(output);
  if (FromStdin(arguments)) {
    PT_LET(places.stdin_file, KeepStdin(scratch, ending, stop));
  }
  return places;
}

// The base of relative paths in the table that stages read, such as those of pictures.
fs::path BaseOf(const Arguments& arguments) {
  if (arguments.Has("--data")) return fs::absolute(arguments.Value("--data"));
  if (!arguments.Has("--input")) return fs::current_path();
  const std::string first = arguments.Values("--input").front();
  return first == "-" || first.find("://") != first.npos ? fs::current_path()
                                                         : fs::absolute(first).parent_path();
}

// If the table is on stdout, the report goes to stderr.
Status PrintAnswer(const std::string& report, const Places& places, const Arguments& arguments) {
  if (!ToStdout(arguments)) return PrintResult(report);
  PT_TRY(PrintFile(places.output));
  if (!Terminal::Of(STDERR_FILENO).quiet) PrintNote(report);
  return Status::OK();
}

// Whether the output is a file: what has a # or a scheme may be a table of a database.
bool OnDisk(const Arguments& arguments) {
  const std::string output = arguments.Value("--output");
  return output != "-" && output.find("://") == output.npos;
}

// Signals first: threads inherit which of them are blocked (os/signals.h), and a session starts
// some threads.
Status Predict(const Arguments& arguments, const Invocation& invocation) {
  PT_TRY(CheckPredictFlags(arguments));
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  const std::string engine = arguments.Value("--engine", "local");
  PT_LET(const std::unique_ptr<Scratch> scratch,
         Scratch::MakeFor(engine, OnDisk(arguments) ? arguments.Value("--output") : "here"));
  PT_LET(const Places places, FindPlaces(arguments, scratch->path(), signals->token()));
  ProgressDisplay progress(Terminal::Of(STDERR_FILENO), ToStderr());
  SessionOptions options;
  options.engine = engine;
  options.folder = scratch->path();
  options.base = BaseOf(arguments);
  // A model may have a net that only the program or the extension knows.
  if (invocation.program != nullptr) options.catalogue = invocation.program->catalogue;
  if (arguments.Has("--extension")) {
    PT_LET(options.catalogue,
           WithExtensions(options.catalogue, {fs::absolute(arguments.Value("--extension"))}));
  }
  options.force = arguments.Has("--force");
  if (arguments.Has("--extension")) options.read = {arguments.Value("--extension")};
  options.call.stop = signals->token();
  options.call.events = [&progress](const Json& event) { progress.On(event); };
  const Result<std::string> report = Score(arguments, places, std::move(options));
  progress.Close();
  // The message must not refer to files that will be gone.
  if (!report.ok()) {
    return NamingStdin(places.stdin_file, WithoutLogsIn(scratch->path(), report.status()));
  }
  return PrintAnswer(*report, places, arguments);
}

constexpr const char* kMore =
    "Inputs may have any format that sql reads. Several form one table, and need the same "
    "columns.\n"
    "A PLACE may be a table of a database: postgres://user@host/database#orders, "
    "notes.db#notes.\n"
    "\n"
    "  protium predict --model last --data newer --output scored.parquet\n"
    "  protium predict --model last --input monday.csv.gz --input tuesday.csv.gz --output "
    "week.csv\n"
    "  protium predict --model last --input new.csv --explain 3 --output why.csv\n"
    "  protium predict --model last --table orders=postgres://me@db.example/shop#orders \\\n"
    "    --password-env PW --output postgres://me@db.example/shop#late --upsert id\n"
    "  protium predict --model last --data newer --horizon 28d --output next.csv\n"
    "  protium predict --model net.onnx --inputs age,income --input new.csv --output "
    "scored.csv\n"
    "  cat new.csv | protium predict --model last --input - --output - --columns "
    "id,prediction\n";

}  // namespace

CommandVerb PredictVerb() {
  return {
      {.name = "predict",
       .flags =
           {{"--model", "MODEL", "a model's folder, a run (last, a tag, a name) or an ONNX file",
             ""},
            {"--input", "PLACE",
             "a table like the one that the model's SQL makes, - for stdin; may be repeated", ""},
            {"--data", "DIR", "new tables; the model's own SQL makes the input", ""},
            {"--table", "NAME=PLACE",
             "where the model's table NAME is, if not in --data; may be repeated", ""},
            PasswordFlags()[0],
            PasswordFlags()[1],
            {"--null", "TEXT", "how a CSV input writes missing values; may be repeated", ""},
            DelimiterFlag(),
            CsvFlag(),
            {"--output", "PLACE",
             "a file, .parquet, .csv, .jsonl or .arrow, - for stdout, or a table of a database",
             ""},
            ScoredTableFlags()[0],
            ScoredTableFlags()[1],
            {"--columns", "A,B", "the columns to write, in this order (all)", ""},
            FedColumnsFlag(),
            {"--explain", "N",
             "adds the N columns that matter most to each prediction; all: every column", ""},
            {"--samples", "N",
             "for nets: permutations of the columns that --explain draws for each background row "
             "(1)",
             ""},
            DriftFlag(),
            ForwardFlags()[0],
            ForwardFlags()[1],
            {"--format", "FORMAT", "what stdin and stdout hold: csv (the default) or jsonl", ""},
            {"--extension", "FILE", "the library that defines the model's net", ""},
            {"--gpus", "N", "GPUs leased to each worker, to score on (0)", ""},
            PrecisionFlags()[0],
            PrecisionFlags()[1],
            EngineFlag(),
            RunsDirFlag(),
            ForceFlag(),
            JsonFlag()},
       .says = "scores a table with a model",
       .more = kMore,
       .operands_mean = {"--model", "--input"}},
      Predict};
}

}  // namespace protium
