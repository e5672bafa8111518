// SPDX-License-Identifier: Apache-2.0
#include "job/frames.h"

#include <arrow/config.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <protium/version.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/fault.h"
#include "job/file_terms.h"
#include "job/leak_check.h"
#include "job/model_tables.h"
#include "job/output_columns.h"
#include "job/saved_etl.h"
#include "job/split.h"
#include "model/model_state.h"
#include "model/preview.h"
#include "model/score_in_sql.h"
#include "pipeline/estimator.h"
#include "pipeline/objective.h"
#include "pipeline/profile.h"
#include "protium/events.h"
#include "search/settle.h"
#include "sources/source.h"
#include "terminal/values.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// First whether outputs exist, which takes no time. Then the checks come in the order in which a
// reader would find the mistakes: tables and their files, the SQL, the split, the outputs' paths
// once more, now that the inputs are known, the outputs' columns, then (DescribeJob) the pipeline.
// Each asks the engine for a schema at most, never for rows; only the explanation of a failure by
// an empty table does.

// Adds a place to a fault that has none.
Status At(std::string path, const Status& status) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  if (fault.where.empty()) fault.where = std::move(path);
  return Fail(std::move(fault));
}

// Building a frame never fails, so each table's error is checked here, while it is known which
// table it belongs to.
Status OpenTables(Session& session, const Job& job) {
  for (const auto& [name, table] : job.file.tables.all) {
    const Reader reader = session.Read().Partitions(table.partitions);
    const std::string place = PlaceIn(job.file.data, table);
    const DataFrame frame = OpenTable(reader, table, place, job.file.connections);
    PT_TRY(At("tables." + name, FirstError(frame.plan())));
    session.Table(name, frame);
  }
  return Status::OK();
}

// Explains a failed check by an empty table, if there is one: without rows every CSV column is
// text, and the message about a wrong type would be misleading.
Status ReportEmptyTables(Session& session, const Job& job, const Status& status) {
  for (const auto& [name, table] : job.file.tables.all) {
    const Result<int64_t> rows = session.Table(name).Limit(1).Count();
    if (!rows.ok() || *rows > 0) continue;
    Fault fault = FaultOf(status);
    fault.why = "table " + name + " has no rows, so the types of its columns are unknown";
    fault.fix.clear();
    return Fail(std::move(fault));
  }
  return status;
}

// Whether the engine can write there: the table itself need not exist yet.
Status CheckLake(const Session& session, const Job& job, const DataFrame& rows,
                 const std::string& name, const JobOutput& output) {
  SessionState& state = StateOf(session);
  PT_LET(Source target, TargetOf(output, job.file.data, job.file.connections));
  target.file = PlaceFrom(state.options().base, target);
  const Plan plan = MakePlan(
      Store{.target = std::move(target), .mode = output.store_mode(), .keys = output.upsert},
      {rows.plan()});
  const Status writable = state.engine().Explain(plan, state.call()).status();
  if (writable.ok()) return writable;
  Fault fault = FaultOf(writable);
  fault.where = "outputs." + name + (output.delta ? ".delta" : ".iceberg");
  fault.kept = kNothingStarted;
  return Fail(std::move(fault));
}

// Writing would refuse these too, but only after hours of training.
Status CheckOutputFiles(const Session& session, const Job& job) {
  for (const auto& [name, output] : job.file.outputs.all) {
    if (output.databases() > 0) continue;
    const Status free = StateOf(session).CheckOutput(output.path());
    if (free.ok()) continue;
    Fault fault = FaultOf(free);
    fault.where = fmt::format("outputs.{}.{}", name, output.file ? "file" : "parquet");
    fault.kept = kNothingStarted;
    return Fail(std::move(fault));
  }
  return Status::OK();
}

Status CheckLakes(const Session& session, const Job& job, const DataFrame& rows) {
  for (const auto& [name, output] : job.file.outputs.all) {
    if (output.delta || output.iceberg) PT_TRY(CheckLake(session, job, rows, name, output));
  }
  return Status::OK();
}

Result<JobFrames> OpenFrames(Session& session, const Job& job) {
  PT_TRY(CheckOutputFiles(session, job));
  PT_TRY(StateOf(session).inputs().Together([&] { return OpenTables(session, job); }));
  const DataFrame etl = SqlWithModels(session, job.file.etl.sql);
  const Result<SchemaPtr> schema = etl.Schema();
  if (!schema.ok()) return At("etl.sql", schema.status());
  PT_TRY(CheckSplit(job, **schema));
  PT_TRY(CheckKnown(job, (*schema)->field_names()));
  JobFrames frames{.etl = etl, .train = etl, .test = etl};
  if (job.file.split) {
    const JobSplit& split = *job.file.split;
    const Sides sides = etl.Split(split.Options());
    PT_TRY(sides.test.Schema().status());
    frames.train = sides.train;
    frames.test = sides.test;
  } else if (job.pipeline || job.file.outputs.all.size() > 1) {
    // Read more than once, so evaluated once.
    frames.train = frames.test = etl.Materialize("etl");
  }
  PT_TRY(CheckLakes(session, job, etl));
  // Once more: which files are read, and must not be written, is known now.
  PT_TRY(CheckOutputFiles(session, job));
  PT_TRY(CheckOutputColumns(job, (*schema)->field_names()));
  return frames;
}

// Checks every trial against the columns of the rows.
Result<Json> DescribeSearch(const Search& search, const DataFrame& train) {
  const SessionOptions& options = StateOf(train.session()).options();
  PT_LET(const SettledSearch settled, Settle(search, options.catalogue));
  PT_TRY(CheckOnTable(search, settled, train));
  return SearchToJson(search, settled, options.engine);
}

// The engine describes all that will run: with an estimator the gang over the training rows, with
// only other stages those rows, otherwise the SQL.
Result<Json> DescribeJob(Session& session, const Job& job, const JobFrames& frames) {
  Json stages = Json::object();
  Plan tree = frames.etl.plan();
  if (job.pipeline) {
    const Result<Preview> preview = MakePreview(*job.pipeline, frames.train);
    if (!preview.ok()) return ReportEmptyTables(session, job, preview.status());
    stages = PreviewToJson(*preview);
    tree = preview->plan;
  }
  SessionState& state = StateOf(session);
  PT_LET(Json plan, Describe(state.engine(), tree, state.call()));
  plan.update(stages);
  if (job.search) {
    PT_LET(plan["search"], DescribeSearch(*job.search, frames.train));
  }
  return plan;
}

Result<PipelineModel> FitModel(const Job& job, const DataFrame& train) {
  if (!job.search) return job.pipeline->Fit(train);
  PT_LET(SearchResult found, job.search->Run(train));
  return std::move(found.model);
}

// Without outputs the test rows are still scored, for their metrics: [split] sets them aside for
// that.
Status WriteOutputs(const Job& job, const std::optional<PipelineModel>& model,
                    const DataFrame& test) {
  for (const auto& [name, output] : job.file.outputs.all) {
    const DataFrame rows = model ? model->Transform(test, output.columns) : test;
    const DataFrame chosen = output.columns.empty() ? rows : rows.Select(output.columns);
    const Writer writer = chosen.Write();
    if (output.databases() > 0) {
      PT_LET(const Source target, TargetOf(output, job.file.data, job.file.connections));
      PT_TRY(writer.Table(target, output.store_mode(), name, output.upsert));
      continue;
    }
    const WriteOptions options{.partitions = output.partitions};
    PT_TRY(output.file ? writer.File(*output.file, options)
                       : writer.File(*output.parquet, Format::kParquet, options));
  }
  const bool unmeasured = job.file.outputs.all.empty() && job.file.split && model && job.estimator;
  return unmeasured ? model->Transform(test).Run().status() : Status::OK();
}

// Runs a job that has neither a pipeline nor outputs, so that its SQL is at least executed, and
// warns that it produces nothing.
Status RunForNothing(Session& session, const DataFrame& table) {
  PT_LET(const int64_t rows, table.Run());
  const Call call = StateOf(session).call();
  call.Send(EtlDone{rows});
  call.Send(
      Warning{"nothing was written: the job has neither a pipeline nor outputs; add  [outputs]  "
              "with a line like  table = \"table.parquet\""});
  return Status::OK();
}

Status FitAndWrite(Session& session, const Job& job, const JobFrames& frames) {
  std::optional<PipelineModel> model;
  if (job.pipeline) {
    StateOf(session).WhenMade(
        [&](int64_t rows) { return WarnOfLeaks(session, job, frames, rows); });
    PT_LET(const PipelineModel fitted, FitModel(job, frames.train));
    PT_LET(const Json etl, SavedEtl(session, job));
    model = WithEtl(fitted, etl);
    if (!job.file.split) StateOf(session).record().Set("scored", "training rows");
  }
  const Status written = WriteOutputs(job, model, frames.test);
  if (!written.ok()) return model ? model->Explain(written) : written;
  if (model && job.file.split) PT_TRY(ProfileTest(frames.test));
  if (model) WarnOfResults(session, job);
  const std::string& compared = job.file.run.compared;
  if (!compared.empty()) StateOf(session).record().Set("compared", compared);
  if (job.file.outputs.all.empty() && !model) PT_TRY(RunForNothing(session, frames.etl));
  if (job.file.split && !job.file.outputs.all.empty() && !model) {
    StateOf(session).call().Send(Note{"the outputs hold only the test rows of [split]"});
  }
  // Last, so that the model folder includes the metrics of the rows scored above.
  return model ? model->Save("model") : Status::OK();
}

}  // namespace

Result<JobFrames> OpenJob(Session& session, const Job& job) {
  return InFileTerms(job, OpenFrames(session, job), kNothingStarted);
}

Result<Json> PlanJob(Session& session, const Job& job, const JobFrames& frames) {
  return InFileTerms(job, DescribeJob(session, job, frames), kNothingStarted);
}

Result<Json> KeptForJob(Session& session, const Job& job, const JobFrames& frames,
                        const Json& plan) {
  Json kept = plan.value("kept", Json::array());
  if (kept.is_null()) return kept;
  const bool taken =
      std::ranges::any_of(kept, [](const Json& each) { return each.contains("from"); });
  if (!taken || !job.pipeline || job.search) return kept;
  PT_LET(const Json more, InFileTerms(job, DescribeKept(*job.pipeline, frames.train), ""));
  kept.insert(kept.end(), more.begin(), more.end());
  return kept;
}

Status RunJob(Session& session, const Job& job, const JobFrames& frames) {
  return InFileTerms(job, FitAndWrite(session, job, frames), "");
}

// Settings below the estimator are listed under their shorthand, "train.epochs" instead of
// "pipeline.3.train.epochs", as most people write them.
Json ListSettings(const Job& job, const Json& pipeline) {
  Json whole = FieldsToJson(job.file);
  for (const char* moved : kShorthand) whole.erase(moved);
  if (pipeline.is_array() && !pipeline.empty()) whole["pipeline"] = pipeline;
  Json settings = Json::array();
  for (const auto& [path, value] : Leaves(whole)) {
    const auto said = job.settings.places.find(path);
    std::string key = path,
                from = said == job.settings.places.end() ? "default" : said->second.value;
    if (job.estimator) {
      for (const char* name : kShorthand) {
        const std::string own = PathOfShorthand(job, name) + ".";
        if (path.starts_with(own)) key = std::string(name) + "." + path.substr(own.size());
      }
    }
    settings.push_back({{"key", key}, {"value", value}, {"from", from}});
  }
  return settings;
}

Json Versions() { return {{"protium", PROTIUM_VERSION}, {"arrow", ARROW_VERSION_STRING}}; }

}  // namespace protium
