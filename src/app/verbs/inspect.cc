// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <filesystem>

#include "app/report/sections.h"
#include "app/run/run_report.h"
#include "app/verb.h"
#include "base/fault.h"
#include "format/kind.h"
#include "format/safetensors.h"
#include "frame/session_state.h"
#include "learn/model/model_folder.h"
#include "run/list.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Each kind of thing becomes one JSON object with "kind" and "path" (a run: what RunAsJson() says),
// and the text is made from that object, so that both forms say the same.

Json ListTensors(const Safetensors& file) {
  Json tensors = Json::array();
  for (const NamedTensor& each : file.tensors()) {
    tensors.push_back({{"name", each.name}, {"dtype", each.dtype}, {"shape", each.shape}});
  }
  return tensors;
}

// The JSON files of the folder under their names without ".json", and what the weights hold.
Result<Json> ModelAsJson(const fs::path& folder) {
  PT_LET(const ModelFiles files, ReadModelFolder(folder));
  Json json = {{"kind", "model"}, {"path", folder.string()}};
  for (const auto& [name, content] : files.json) {
    json[fs::path(name).stem().string()] = content;
  }
  if (files.weights.empty()) return json;
  PT_LET(const Safetensors weights, Safetensors::Read(files.weights));
  json["weights_sha256"] = WeightsSha256(weights.tensors());
  json["tensors"] = ListTensors(weights);
  return json;
}

// Serves a bare weights file as well: the parts that are missing are left out.
std::string ModelAsText(const Json& model) {
  std::string text = "model " + model["path"].get<std::string>() + "\n\n";
  std::vector<std::vector<std::string>> rows = {{"  stage", "kind", "inputs"}};
  for (const Json& stage : model.value("pipeline", Json::array())) {
    const Json inputs = stage.contains("inputs") ? stage["inputs"] : stage.value("label", Json());
    rows.push_back({"  " + Shown(stage.value("id", Json())), Shown(stage.value("kind", Json())),
                    stage.contains("inputs") ? Shown(inputs) : "label " + Shown(inputs)});
  }
  text += TextTable(rows);
  int64_t numbers = 0;
  rows = {{"  weights", "shape"}};
  for (const Json& tensor : model.value("tensors", Json::array())) {
    int64_t size = 1;
    for (const Json& length : tensor["shape"]) size *= length.get<int64_t>();
    numbers += size;
    rows.push_back({"  " + tensor["name"].get<std::string>(), Dump(tensor["shape"])});
  }
  if (numbers > 0) {
    text += "\n" + TextTable(rows) + "  " + Grouped(numbers) + " numbers\n";
    text += "\nweights_sha256  " + model.value("weights_sha256", std::string()) + "\n";
  }
  const std::string metrics = MetricsTable({{"metrics", model.value("metrics", Json::object())}});
  return metrics.empty() ? text : text + "\n" + metrics;
}

Json ListColumns(const arrow::Schema& schema) {
  Json columns = Json::array();
  for (const auto& field : schema.fields()) {
    columns.push_back({{"name", field->name()}, {"type", field->type()->ToString()}});
  }
  return columns;
}

// Opens a session without a run folder, so nothing is left behind. Parquet is recognised by its
// extension or by its content.
Result<Json> TableAsJson(const fs::path& file, const CsvOptions& written) {
  SessionOptions options;
  options.base = fs::current_path();
  PT_LET(const std::unique_ptr<Session> session, OpenSession(options));
  const bool csv = file.extension() != ".parquet" && !IsParquetFile(file.string());
  const DataFrame table =
      csv ? session->Read().Csv(file.string(), written) : session->Read().Parquet(file.string());
  PT_LET(const SchemaPtr schema, table.Schema());
  PT_LET(const int64_t rows, table.Count());
  return Json{{"kind", csv ? "csv" : "parquet"},
              {"path", file.string()},
              {"rows", rows},
              {"columns", ListColumns(*schema)}};
}

std::string TableAsText(const Json& table) {
  std::string text = fmt::format("{}  {} rows\n\n", table["path"].get<std::string>(),
                                 Grouped(table["rows"].get<int64_t>()));
  std::vector<std::vector<std::string>> rows = {{"  column", "type"}};
  for (const Json& column : table["columns"]) {
    rows.push_back({"  " + column["name"].get<std::string>(), column["type"].get<std::string>()});
  }
  return text + TextTable(rows);
}

Result<Json> WeightsAsJson(const fs::path& file) {
  PT_LET(const Safetensors weights, Safetensors::Read(file));
  return Json{{"kind", "weights"},
              {"path", file.string()},
              {"weights_sha256", WeightsSha256(weights.tensors())},
              {"tensors", ListTensors(weights)}};
}

Status Show(const Result<Json>& json, bool as_json, std::string (*text)(const Json&)) {
  PT_TRY(json.status());
  return PrintResult(as_json ? Dump(*json) + "\n" : text(*json));
}

// Decides by what lies there: a model folder, a safetensors file, any other file as a table, and
// only then a run, which may be given by a beginning of its name.
Status Inspect(const Arguments& arguments, const Invocation& invocation) {
  const fs::path what = arguments.operand(0);
  const bool json = arguments.Has("--json");
  std::error_code ignored;
  if (fs::exists(what / "model.json", ignored)) return Show(ModelAsJson(what), json, ModelAsText);
  if (what.extension() == ".safetensors") return Show(WeightsAsJson(what), json, ModelAsText);
  if (what.extension() == ".toml" && fs::is_regular_file(what, ignored)) {
    return Fail({.exit = Exit::kUsage,
                 .what = what.string() + " is a job file, not a table, a model or a run",
                 .fix = "protium plan " + what.string()});
  }
  if (fs::is_regular_file(what, ignored)) {
    const CsvOptions written{.null = arguments.Value("--null"),
                             .delimiter = arguments.Value("--delimiter", ",")};
    return Show(TableAsJson(what, written), json, TableAsText);
  }
  Result<fs::path> run = FindRun(RunsDir(arguments), what.string());
  if (!run.ok() && fs::is_directory(what, ignored)) {
    return Fail({.exit = Exit::kInput,
                 .what = what.string() + " is neither a model nor a run",
                 .why = "it has no model.json and no run.json"});
  }
  if (!run.ok()) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("there is no file, model or run \"{}\"", what.string()),
                 .fix = FaultOf(run.status()).fix});
  }
  if (json) return PrintResult(Dump(RunAsJson(*run)) + "\n");
  PT_LET(const std::string text, RunAsText(*run));
  return PrintResult(text);
}

}  // namespace

CommandVerb InspectVerb() {
  return {{.name = "inspect",
           .operands = {"WHAT"},
           .flags = {JsonFlag(),
                     {"--null", "TEXT", "what stands for a missing value in a CSV", ""},
                     DelimiterFlag(),
                     RunsDirFlag()},
           .says = "shows a table, a model or a run",
           .more = "  protium inspect data/flights.csv --null NA\n"
                   "  protium inspect runs/flights-.../model --json\n"},
          Inspect};
}

}  // namespace protium
