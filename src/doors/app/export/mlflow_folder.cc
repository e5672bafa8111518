// SPDX-License-Identifier: Apache-2.0
#include "app/export/mlflow_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/fault.h"
#include "base/json.h"
#include "model/model_folder.h"
#include "os/file.h"
#include "os/publish.h"
#include "protium/version.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// The flavor python_function loads this. MLflow represents a missing input as None; the graph uses
// NaN and "".
constexpr const char* kLoader =
    R"py("""Loads the model of this folder for MLflow: predict(frame) gives a frame of predictions."""

import numpy
import onnxruntime
import pandas

_TYPES = {"tensor(double)": numpy.float64, "tensor(int64)": numpy.int64, "tensor(bool)": numpy.bool_}


def _column(values, kind):
    if kind == "tensor(float)":  # A list in each row.
        return numpy.stack([numpy.asarray(each, numpy.float32) for each in values])
    missing = pandas.isna(values)
    if kind == "tensor(string)":
        texts = numpy.array([str(each) for each in values], object)
        texts[numpy.asarray(missing)] = ""
        return texts
    if kind == "tensor(double)":
        return pandas.to_numeric(pandas.Series(values)).to_numpy(numpy.float64, na_value=numpy.nan)
    if missing.any():
        raise ValueError("a value is missing in a column of whole numbers")
    return numpy.asarray(values).astype(_TYPES[kind])


class _Model:
    def __init__(self, path):
        self._session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def predict(self, data, params=None):
        frame = pandas.DataFrame(data)
        given = {each.name: _column(frame[each.name], each.type) for each in self._session.get_inputs()}
        names = [each.name for each in self._session.get_outputs()]
        made = self._session.run(names, given)
        columns = {name: list(values) if values.ndim > 1 else values for name, values in zip(names, made)}
        return pandas.DataFrame(columns, index=frame.index)


def _load_pyfunc(path):
    return _Model(path)
)py";

constexpr const char* kLoaderFile = "code/protium_onnx_model.py";
const std::vector<std::string> kNeeded = {"numpy", "onnxruntime", "pandas"};

// JSON strings are also YAML strings.
std::string YamlText(const std::string& text) { return Dump(Json(text)); }

// In the signature numbers have their table types. Whole numbers that the graph reads as float64
// may be missing: MLflow (2.19 and later) takes any value for "any", whereas "long" refuses missing
// values and "double" whole numbers.
std::string SignatureType(const std::string& type, const std::string& in_graph) {
  static const std::map<std::string, std::string> kTypes = {
      {"bool", "boolean"},  {"int32", "integer"},  {"int64", "long"},
      {"float32", "float"}, {"float64", "double"}, {"string", "string"}};
  if (type.starts_with("int") && in_graph == "float64") return "any";
  if (in_graph == "float64" && (type == "date" || type == "timestamp")) return "double";
  const auto found = kTypes.find(type);
  return found == kTypes.end() ? "string" : found->second;
}

// Writes the columns as MLflow's ColSpec. An output that is a list is an array of doubles.
std::string Signature(const Json& schema, const std::vector<OnnxColumn>& columns) {
  Json specs = Json::array();
  for (const Json& each : schema) {
    const std::string name = each.at("name"), type = each.at("type");
    const auto found = std::ranges::find(columns, name, &OnnxColumn::name);
    if (found == columns.end()) continue;
    Json spec = {{"name", name}, {"required", true}, {"type", SignatureType(type, found->type)}};
    if (type.starts_with("list")) {
      spec["type"] = "array";
      spec["items"] = {{"type", "double"}};
    }
    specs.push_back(std::move(spec));
  }
  return Dump(specs);
}

std::string ModelText(const ModelFiles& files, const OnnxReport& report) {
  const Json& schema = files.json.at("schema.json");
  return fmt::format(
      R"(artifact_path: model
flavors:
  onnx:
    code: code
    data: model.onnx
    onnx_session_options: null
    onnx_version: 1.12.0
    providers:
    - CPUExecutionProvider
  python_function:
    code: code
    data: model.onnx
    env:
      conda: conda.yaml
      virtualenv: python_env.yaml
    loader_module: protium_onnx_model
    python_version: 3.11.0
metadata:
  protium_version: {}
  weights_sha256: {}
model_uuid: {}
signature:
  inputs: {}
  outputs: {}
  params: null
)",
      PROTIUM_VERSION, files.weights_sha256, files.weights_sha256.substr(0, 32),
      YamlText(Signature(schema.at("input"), report.inputs)),
      YamlText(Signature(schema.at("output"), report.outputs)));
}

std::map<std::string, std::string> Texts(const ModelFiles& files, const OnnxReport& report) {
  const std::string needed = fmt::format("{}\n", fmt::join(kNeeded, "\n"));
  const std::string listed = fmt::format("{}", fmt::join(kNeeded, "\n  - "));
  return {{"MLmodel", ModelText(files, report)},
          {kLoaderFile, kLoader},
          {"requirements.txt", needed},
          {"python_env.yaml",
           "python: 3.11.0\nbuild_dependencies:\n- pip\ndependencies:\n- -r requirements.txt\n"},
          {"conda.yaml",
           "channels:\n- conda-forge\ndependencies:\n- python=3.11.0\n- pip\n- pip:\n  - " +
               listed + "\nname: mlflow-env\n"}};
}

// Whether everything in the folder was written by an earlier call.
bool IsOurs(const fs::path& folder) {
  static const std::vector<std::string> kNames = {
      "MLmodel", "model.onnx", "code", "requirements.txt", "conda.yaml", "python_env.yaml"};
  std::error_code ignored;
  if (fs::is_empty(folder, ignored)) return true;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (std::ranges::find(kNames, entry.path().filename().string()) == kNames.end()) return false;
  }
  for (const auto& entry : fs::directory_iterator(folder / "code", ignored)) {
    // Python leaves compiled files beside it.
    const fs::path name = entry.path().filename();
    if (name != fs::path(kLoaderFile).filename() && name != "__pycache__") return false;
  }
  return fs::is_regular_file(folder / kLoaderFile, ignored);
}

Status WriteFiles(const fs::path& model, const fs::path& folder, WeightPrecision precision,
                  OnnxReport& report) {
  PT_LET(const ModelFiles files, ReadModelFolder(model));
  PT_TRY(MakeFolder(folder / "code"));
  PT_LET(report,
         WriteOnnx({.model = model, .file = folder / "model.onnx", .precision = precision}));
  for (const auto& [name, text] : Texts(files, report)) PT_TRY(WriteFile(folder / name, text));
  return Status::OK();
}

}  // namespace

Result<OnnxReport> WriteMlflowFolder(const fs::path& model, const fs::path& given,
                                     WeightPrecision precision) {
  std::error_code ignored;
  // "folder/" is a path without a file name.
  const fs::path out = given.has_filename() ? given : given.parent_path();
  if (fs::exists(out, ignored) && !(fs::is_directory(out, ignored) && IsOurs(out))) {
    return Fail({.exit = Exit::kUsage,
                 .what = out.string() + " holds something other than a model for MLflow",
                 .fix = "--output with another path",
                 .kept = "everything there"});
  }
  OnnxReport report;
  PT_TRY(WriteFolder(
      out, [&](const fs::path& draft) { return WriteFiles(model, draft, precision, report); }));
  return report;
}

}  // namespace protium
