// SPDX-License-Identifier: Apache-2.0
#include "job/read_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

#include "base/fault.h"
#include "base/units.h"
#include "catalogue/extension.h"
#include "format/file_form.h"
#include "frame/table_writer.h"
#include "job/check_stream.h"
#include "job/file_terms.h"
#include "job/finish.h"
#include "job/model_tables.h"
#include "job/shorthand.h"
#include "model/preview.h"
#include "pipeline/estimator_kind.h"
#include "protium/stage_options.h"
#include "search/settle.h"
#include "sources/catalog.h"
#include "sources/object_store.h"
#include "sources/server_url.h"

namespace protium {

namespace fs = std::filesystem;

void CopyPlaces(Settings& settings, const std::string& from, const std::string& to) {
  std::map<std::string, Place> copies;
  for (const auto& [path, place] : settings.places) {
    if (path == from || path.starts_with(from + ".")) copies[to + path.substr(from.size())] = place;
  }
  for (auto& [path, place] : copies) settings.places[path] = std::move(place);
}

Status JobFault(std::string path, std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = std::move(path),
               .fix = std::move(fix)});
}

namespace {

// The value of an option of type text remains text, even if it looks like a number: `--set
// name=2013` is typed without quotes.
Json Typed(const Assignment& assignment) {
  for (const char* text : {"name", "data", "engine", "engine.address", "engine.memory",
                           "engine.rows_memory", "engine.spill", "engine.discovery"}) {
    if (assignment.path == text && !assignment.value.is_string()) return assignment.text;
  }
  return assignment.value;
}

Status AtPath(std::string path, const Status& status) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  fault.where = std::move(path);
  return Fail(std::move(fault));
}

Status CheckTables(const JobFile& file) {
  if (file.tables.all.empty()) {
    return JobFault("", "the job has no tables", "add [tables] with lines like  t = \"t.csv\"");
  }
  for (const auto& [name, table] : file.tables.all) {
    if ((table.duckdb || table.sqlite) && !table.table) {
      return JobFault(
          "tables." + name,
          fmt::format("table \"{}\" does not say which table of {}", name, PathOf(table)),
          fmt::format("add table = \"{}\"", name));
    }
    if (table.places() != 1) {
      return JobFault("tables." + name,
                      fmt::format("table \"{}\" needs one of file, csv, parquet and table", name),
                      table.places() > 1 ? "leave all but one out"
                                         : fmt::format("{} = {{ file = \"FILE\" }}", name));
    }
    if (table.format && !table.file) {
      return JobFault("tables." + name + ".format",
                      fmt::format("table \"{}\" has two formats", name),
                      "use file = \"...\" with it");
    }
  }
  return Status::OK();
}

// First of all, so that nothing repeats a URL with a password in it.
Status CheckConnections(const JobFile& file) {
  for (const auto& [name, connection] : file.connections.all) {
    const bool store = IsObjectPlace(connection.url);
    PT_TRY(AtPath("connections." + name + ".url", CheckNoKeyIn(connection.url)));
    if (IsCatalogUrl(connection.url)) {
      PT_TRY(AtPath("connections." + name + ".url", CheckCatalogUrl(connection.url)));
    } else if (!store) {
      PT_TRY(AtPath("connections." + name + ".url", ReadServerUrl(connection.url).status()));
    }
    const bool keys =
        !connection.key.empty() || !connection.endpoint.empty() || !connection.region.empty();
    const bool client = IsCatalogUrl(connection.url) && connection.region.empty();
    if (store || client || !keys) continue;
    return JobFault(
        "connections." + name,
        fmt::format("connection \"{}\" is not an object store, but has settings of one", name),
        "leave out key, endpoint and region");
  }
  return Status::OK();
}

// Keys that say nothing about this kind of table would be ignored.
Status CheckSourceKeys(const std::string& name, const JobTable& table) {
  const bool source = table.sources() > 0, server = table.postgres || table.mysql;
  const bool objects = source && (table.parquet || table.file || table.csv);
  const std::pair<const char*, bool> strangers[] = {
      {"query", table.query && !server},
      {"sheet", table.sheet && !table.excel},
      {"version", table.version && !table.delta && !table.iceberg},
      {"timestamp", table.timestamp && !table.delta && !table.iceberg},
      {"catalog", table.catalog && !table.iceberg},
      {"password", table.password && !server && !table.catalog},
      {"partitions", source && !objects && !table.partitions.empty()}};
  for (const auto& [key, given] : strangers) {
    if (!given) continue;
    return JobFault(
        fmt::format("tables.{}.{}", name, key),
        fmt::format("table \"{}\" has {}, which belongs to other kinds of tables", name, key),
        "leave it out; docs/sources.md says what each kind of table has");
  }
  return Status::OK();
}

// What a table's source lacks, such as its connection.
Status CheckSources(const JobFile& file) {
  for (const auto& [name, table] : file.tables.all) {
    PT_TRY(CheckSourceKeys(name, table));
    if (table.sources() != 1) continue;
    PT_TRY(AtPath("tables." + name, SourceOf(table, PathOf(table), file.connections).status()));
  }
  return Status::OK();
}

Status CheckUpsert(const std::string& name, const JobOutput& output) {
  const std::string at = "outputs." + name + ".upsert";
  const bool upsert = output.store_mode() == StoreMode::kUpsert;
  if (upsert == output.upsert.empty()) {
    return JobFault(at,
                    upsert ? fmt::format("output \"{}\" needs the columns to upsert by", name)
                           : fmt::format("output \"{}\" has upsert, but another mode", name),
                    upsert ? "add upsert = [\"id\"], the columns that tell rows apart"
                           : "leave one of mode and upsert out");
  }
  for (const std::string& key : output.upsert) {
    if (output.columns.empty() || std::ranges::count(output.columns, key) > 0) continue;
    return JobFault(at, fmt::format("output \"{}\" has no column \"{}\" to upsert by", name, key),
                    "add it to columns, or leave columns out");
  }
  return Status::OK();
}

Status CheckStored(const std::string& name, const JobOutput& output, const JobFile& file) {
  const std::string at = "outputs." + name;
  if (output.databases() > 1 || output.file || output.parquet) {
    return JobFault(at, fmt::format("output \"{}\" names two places", name),
                    "leave all but one out");
  }
  if (!output.partitions.empty()) {
    return JobFault(at + ".partitions", "tables of databases have no partitions");
  }
  if (output.catalog && !output.iceberg) {
    return JobFault(at + ".catalog",
                    fmt::format("output \"{}\" has a catalogue, but no table of it", name),
                    "add iceberg = \"sales.scores\", or leave catalog out");
  }
  if (output.iceberg && output.table) {
    return JobFault(at + ".table", fmt::format("output \"{}\" names its table twice", name),
                    "leave table out: iceberg is the table's name");
  }
  PT_TRY(CheckUpsert(name, output));
  return AtPath(at, TargetOf(output, file.data, file.connections).status());
}

Status CheckOutput(const std::string& name, const JobOutput& output) {
  const std::string at = "outputs." + name;
  if (output.table || output.mode || output.catalog || !output.upsert.empty()) {
    return JobFault(at, fmt::format("output \"{}\" names a table, but no database", name),
                    "add sqlite = \"FILE\" or postgres = \"CONNECTION\"");
  }
  if (output.file.has_value() == output.parquet.has_value() || output.path().empty()) {
    return JobFault(at, fmt::format("output \"{}\" needs file = \"FILE\"", name));
  }
  const Status form = output.file ? FormNamed(*output.file).status()
                                  : FormToWrite(Format::kParquet, *output.parquet).status();
  if (form.ok()) return form;
  Fault fault = FaultOf(form);
  fault.where = at + (output.file ? ".file" : ".parquet");
  return Fail(std::move(fault));
}

// Two outputs on one path would overwrite each other; "./a" and "a" are the same path.
Status CheckOutputs(const JobFile& file) {
  std::map<fs::path, std::string> places;
  for (const auto& [name, output] : file.outputs.all) {
    if (output.databases() > 0) {
      PT_TRY(CheckStored(name, output, file));
      continue;
    }
    PT_TRY(CheckOutput(name, output));
    const auto [taken, free] = places.emplace(fs::path(output.path()).lexically_normal(), name);
    if (free) continue;
    return JobFault("outputs." + name, fmt::format("outputs \"{}\" and \"{}\" are the same file {}",
                                                   taken->second, name, output.path()));
  }
  return Status::OK();
}

Status Check(const JobFile& file) {
  PT_TRY(CheckConnections(file));
  if (!file.stream || !file.tables.all.empty()) PT_TRY(CheckTables(file));
  PT_TRY(CheckSources(file));
  if (file.stream) return CheckStream(file);
  if (file.etl.sql.empty()) {
    return JobFault("etl", "the job has no [etl] sql", "add  [etl]  with  sql = \"SELECT ...\"");
  }
  if (!file.pipeline.is_array())
    return fields::Refuse("pipeline", "a list of stages", file.pipeline);
  return CheckOutputs(file);
}

// Checked before anything is said about an estimator, whose kind may be misspelt.
Status CheckKinds(const Json& pipeline) {
  const Catalogue catalogue = BuiltInCatalogue();
  for (size_t i = 0; i < pipeline.size(); ++i) {
    const Json kind = pipeline[i].is_object() ? pipeline[i].value("kind", Json()) : Json();
    if (!kind.is_string()) continue;
    PT_TRY(FindRow(catalogue.stages, "kind of stage", kind.get<std::string>(),
                   fmt::format("pipeline.{}.kind", i))
               .status());
  }
  return Status::OK();
}

fs::path Below(const fs::path& folder, const std::string& path) {
  return fs::absolute(folder / path).lexically_normal();
}

// Makes a path absolute: relative to the job file if it comes from the file, to the working
// directory if it comes from --set, as the shell completes it.
void MakeWhole(const Settings& settings, const char* key, std::string& path) {
  const Place* place = settings.Find(key);
  const bool typed = place != nullptr && place->value.starts_with("--set");
  if (path.empty()) return;
  path =
      (typed ? Below(fs::current_path(), path) : Below(settings.file.parent_path(), path)).string();
}

// Turns engine = "local[4]" into a table, so that --set engine.memory=... can add to it.
void SpellOutEngine(Settings& settings) {
  const auto found = settings.tree.find("engine");
  if (found == settings.tree.end() || !found->is_string()) return;
  settings.places["engine.address"] = settings.places["engine"];
  *found = Json{{"address", *found}};
}

// Loads the rows of the job's extensions, or their stand-ins.
Status BringExtensions(Job& job, Extensions how) {
  std::vector<fs::path> files;
  for (std::string& each : job.file.extensions) {
    MakeWhole(job.settings, "extensions", each);
    files.emplace_back(each);
  }
  if (how == Extensions::kMistaken || (how == Extensions::kLeaveAlone && !files.empty())) {
    for (const fs::path& each : files) PT_TRY(CheckExtensionFile(each));
    job.unloaded.any = true;
    job.unloaded.files = job.file.extensions;
    job.catalogue = StandIns(job.file.pipeline, job.unloaded);
    return Status::OK();
  }
  PT_LET(job.catalogue, WithExtensions(nullptr, files));
  return Status::OK();
}

Json WithoutEstimators(const Json& pipeline) {
  const Catalogue known = BuiltInCatalogue();
  Json stages = Json::array();
  for (const Json& each : pipeline) {
    if (!IsEstimator(known, each)) stages.push_back(each);
  }
  return stages;
}

// [folds] without [search] measures the only pipeline. Checks every trial's options here, so that a
// mistake does not cost hours.
Status SetSearch(Job& job) {
  const JobFile& file = job.file;
  if (!file.search && !file.folds) return Status::OK();
  const char* const name = file.search ? "search" : "folds";
  if (!job.pipeline) {
    return JobFault(name, fmt::format("[{}] belongs to a pipeline, and the job has none", name));
  }
  job.search.emplace(*job.pipeline, file.search.value_or(SearchOptions()), file.folds);
  if (file.search && job.unloaded.any) {
    // They may name something that is not loaded.
    job.unloaded.names.push_back("the trials of [search]");
    return Status::OK();
  }
  return Settle(*job.search, job.catalogue).status();
}

// Rows that are ranked together are held out together.
void KeepGroups(Job& job) {
  auto& split = job.file.split;
  if (!job.pipeline || !split || !split->by.empty() || !split->column.empty()) return;
  // Whatever is wrong with the pipeline is said where it is placed.
  const auto estimator = FindEstimator(job.pipeline->stages(), job.catalogue);
  if (!estimator.ok() || !*estimator) return;
  const std::string& group = (*estimator)->options.group;
  if (!group.empty()) split->by = {group};
}

template <class Options>
bool HasKey(const std::string& key) {
  Options options;
  fields::Keys keys;
  fields::VisitFields(options, keys);
  return std::find(keys.names.begin(), keys.names.end(), key) != keys.names.end();
}

// For an unknown top-level key such as "epochs", suggests "train.epochs".
Status WithGroup(const Status& status) {
  Fault fault = FaultOf(status);
  const std::string key = fault.where;
  const bool train = HasKey<TrainOptions>(key), gang = HasKey<GangSpec>(key);
  if (!fault.what.starts_with("unknown key") || !(train || gang)) return status;
  fault.fix = fmt::format("did you mean \"{}.{}\"?", train ? "train" : "gang", key);
  return Fail(std::move(fault));
}

}  // namespace

Status Finish(Job& job, const Settings& as_written, Extensions extensions) {
  // The order matters: shorthand can move only after the estimator is known, and the pipeline can
  // be checked only after the shorthand is in it and the extensions' nets have names.
  PT_TRY(FieldsFromJson(job.settings.tree, "", job.file));
  MakeWhole(job.settings, "data", job.file.data);
  for (auto& [name, connection] : job.file.connections.all) {
    MakeWhole(job.settings, "connections", connection.password.file);
  }
  if (job.file.search) MakeWhole(job.settings, "search.from", job.file.search->from);
  PT_TRY(Check(job.file));
  JobFile& file = job.file;
  PT_TRY(CheckKinds(file.pipeline));
  PT_TRY(MoveShorthand(job, as_written));
  if (job.file.name.empty()) job.file.name = job.settings.file.stem().string();
  PT_TRY(BringExtensions(job, extensions));
  JobEngine& engine = job.file.engine;
  MakeWhole(job.settings, "engine.spill", engine.spill);
  MakeWhole(job.settings, "engine.discovery", engine.discovery);
  PT_LET(job.memory_bytes, SizeAt("engine.memory", engine.memory));
  PT_LET(job.rows_memory_bytes, SizeAt("engine.rows_memory", engine.rows_memory));
  if (job.unloaded.loss) {
    return PipelineFromJson(WithoutEstimators(file.pipeline), job.catalogue).status();
  }
  if (!file.pipeline.empty()) {
    PT_LET(job.pipeline, PipelineFromJson(file.pipeline, job.catalogue));
  }
  KeepGroups(job);
  return SetSearch(job);
}

Status Explained(const Job& job, const Status& finished) {
  Fault fault = FaultOf(InFileTerms(job, WithGroup(finished), kNothingStarted));
  if (fault.where.empty()) fault.where = job.settings.file.string();
  return Fail(std::move(fault));
}

Result<Settings> LayOver(const Settings& as_written, const std::vector<std::string>& sets) {
  Settings settings = as_written;
  SpellOutEngine(settings);
  for (const std::string& words : sets) {
    PT_LET(Assignment assignment, ReadAssignment(words));
    assignment.value = Typed(assignment);
    // --set engine=local is an address, as in the file; it must not remove engine.memory.
    if (assignment.path == "engine" && assignment.value.is_string()) {
      assignment.path = "engine.address";
    }
    PT_TRY(Override(settings, assignment));
  }
  return settings;
}

Result<Job> ReadJob(const fs::path& file, const std::vector<std::string>& sets) {
  PT_LET(const Settings as_written, ReadToml(file));
  Job job;
  PT_LET(job.settings, LayOver(as_written, sets));
  const Status finished = Finish(job, as_written);
  return finished.ok() ? Result<Job>(std::move(job)) : Explained(job, finished);
}

// Its paths are absolute and its shorthand is gone, so Finish() does not change it. Any error in it
// is damage.
Result<Job> ReadSavedJob(const Json& saved, const fs::path& file) {
  Job job{.settings = {.file = file, .tree = saved}};
  const Status finished = Finish(job, job.settings);
  if (!finished.ok()) return Annotate(finished, "damaged file " + file.string());
  return job;
}

}  // namespace protium
