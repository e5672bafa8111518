// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/job/model_tables.h"
#include "app/run_report.h"
#include "app/verb.h"
#include "base/fault.h"
#include "frame/session.h"
#include "learn/pipeline.h"
#include "os/signals.h"
#include "run/progress.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// A folder for logs and spill that goes with its owner.
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
                 .fix = UsageOf("protium", PredictVerb().shape)});
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

// Runs the saved ETL over the tables of another folder.
Result<DataFrame> TableFromData(Session& session, const Json& etl, const std::string& data) {
  if (!etl.is_object() || !etl.contains("sql") || !etl.contains("tables")) {
    return Fail({.exit = Exit::kInput,
                 .what = "this model does not know how its input table is made",
                 .fix = "give the table itself: --input FILE"});
  }
  ByName<JobTable> tables;
  PT_TRY(FieldsFromJson(etl["tables"], "tables", tables));
  for (const auto& [name, table] : tables.all) {
    PT_LET(const fs::path path, TableBelow(data, name, table));
    session.Table(name, table.csv ? session.Read().Csv(path.string(), table.options)
                                  : session.Read().Parquet(path.string()));
  }
  return session.Sql(etl["sql"].is_string() ? etl["sql"].get<std::string>() : "");
}

Result<DataFrame> InputOf(Session& session, const PipelineModel& model,
                          const Arguments& arguments) {
  if (arguments.Has("--data")) {
    return TableFromData(session, model.etl(), arguments.Value("--data"));
  }
  const std::string input = arguments.Value("--input");
  if (IsParquet(input) || fs::is_directory(input)) return session.Read().Parquet(input);
  return session.Read().Csv(input, {.null = arguments.Value("--null")});
}

Status Score(const Arguments& arguments, SessionOptions options) {
  PT_LET(const std::unique_ptr<Session> session, Session::Open(std::move(options)));
  PT_LET(const PipelineModel model,
         PipelineModel::Load(*session, fs::absolute(arguments.Value("--model"))));
  PT_LET(const DataFrame input, InputOf(*session, model, arguments));
  const fs::path output = fs::absolute(arguments.Value("--output"));
  const Writer writer = model.Transform(input).Write();
  PT_TRY(IsParquet(output) ? writer.Parquet(output.string()) : writer.Csv(output.string()));
  const Json results = session->results();
  if (arguments.Has("--json")) {
    const Json line = {{"output", output.string()},
                       {"metrics", results.value("metrics", Json::object())},
                       {"seconds", results.value("seconds", Json::object())}};
    return PrintResult(Dump(line) + "\n");
  }
  const std::string table = MetricsTable(results);
  return PrintResult((table.empty() ? "" : table + "\n") + "output  " + output.string() + "\n");
}

Status Predict(const Arguments& arguments, const Invocation& invocation) {
  PT_TRY(CheckFlags(arguments));
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  const std::string engine = arguments.Value("--engine", "local");
  // What executors write must be where the driver sees it; they write the output, too.
  PT_LET(const std::unique_ptr<Scratch> scratch,
         Scratch::Make(engine.starts_with("sc://")
                           ? fs::absolute(arguments.Value("--output")).parent_path()
                           : fs::temp_directory_path()));
  ProgressDisplay progress(Terminal::Of(STDERR_FILENO), ToStderr());
  SessionOptions options;
  options.engine = engine;
  options.folder = scratch->path();
  options.base = fs::current_path();
  options.call.stop = signals->token();
  options.call.events = [&progress](const Json& event) { progress.On(event); };
  const Status status = Score(arguments, std::move(options));
  progress.Close();
  return status;
}

}  // namespace

CommandVerb PredictVerb() {
  return {{.name = "predict",
           .flags = {{"--model", "DIR", "the model folder", ""},
                     {"--input", "FILE", "a table as the model's SQL would make it", ""},
                     {"--data", "DIR", "new tables; the model's own SQL makes the input", ""},
                     {"--null", "TEXT", "what stands for a missing value in a CSV input", ""},
                     {"--output", "FILE", "where the scored table goes, .parquet or .csv", ""},
                     EngineFlag(),
                     JsonFlag()},
           .says = "scores a table with a model",
           .more = "  protium predict --model runs/flights-.../model --data newer --output "
                   "scored.parquet\n"},
          Predict};
}

}  // namespace protium
