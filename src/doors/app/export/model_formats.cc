// SPDX-License-Identifier: Apache-2.0
#include "app/export/model_formats.h"

#include <fmt/format.h>

#include "app/export/agreement.h"
#include "app/export/mlflow_folder.h"
#include "app/torch_library.h"
#include "base/fault.h"
#include "model/copy_file.h"
#include "model/export_forest.h"
#include "model/model_folder.h"
#include "onnx/onnx.h"
#include "os/file.h"
#include "trees/lightgbm_text.h"
#include "trees/xgboost_json.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Result<ModelExported> ToOnnx(const fs::path& model, const fs::path& out, bool net_only) {
  PT_LET(const auto agreement, CheckAgreement(model));
  PT_LET(OnnxReport report, WriteOnnx({model, out, net_only}));
  if (agreement) report.notes.push_back(*agreement);
  return ModelExported{.files = {out}, .notes = std::move(report.notes)};
}

Result<ModelExported> WholeToOnnx(const fs::path& model, const fs::path& out) {
  return ToOnnx(model, out, false);
}
Result<ModelExported> NetToOnnx(const fs::path& model, const fs::path& out) {
  return ToOnnx(model, out, true);
}

Result<ModelExported> ToTrees(const fs::path& model, const fs::path& out,
                              Result<WrittenForest> (*write)(const CarriedForest&)) {
  PT_LET(ExportedForest exported, ExportForest(model));
  PT_LET(const WrittenForest written, write(exported.carried));
  PT_TRY(WriteFile(out, written.bytes));
  std::vector<std::string> notes = std::move(exported.notes);
  notes.insert(notes.end(), written.notes.begin(), written.notes.end());
  return ModelExported{
      .files = {out},
      .left_out = {"the stages: inputs are the columns that the trees read (docs/model-folder.md)"},
      .notes = std::move(notes)};
}
Result<ModelExported> ToXgboost(const fs::path& model, const fs::path& out) {
  return ToTrees(model, out, ToXgboostJson);
}
Result<ModelExported> ToLightgbm(const fs::path& model, const fs::path& out) {
  return ToTrees(model, out, ToLightgbmText);
}

Result<ModelExported> ToTorchScript(const fs::path& model, const fs::path& out) {
  PT_LET(ScriptFileReport report, WriteTorchScript({model, out}));
  return ModelExported{.files = {out},
                       .left_out = {"the stages, and what is predicted from the net's outputs "
                                    "(docs/model-folder.md)"},
                       .notes = std::move(report.notes)};
}

Result<ModelExported> ToMlflow(const fs::path& model, const fs::path& out) {
  PT_LET(const auto agreement, CheckAgreement(model));
  PT_LET(OnnxReport report, WriteMlflowFolder(model, out));
  if (agreement) report.notes.push_back(*agreement);
  return ModelExported{.files = {out}, .notes = std::move(report.notes)};
}

Result<ModelExported> ToSafetensors(const fs::path& model, const fs::path& out) {
  PT_LET(const ModelFiles files, ReadModelFolder(model));
  if (files.weights.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the model has no weights",
                 .where = model.string(),
                 .why = "its pipeline has no estimator"});
  }
  PT_TRY(CopyFile(files.weights, out));
  return ModelExported{.files = {out},
                       .left_out = {"everything but the weights: the stages, and how the net is "
                                    "made (docs/model-folder.md)"}};
}

}  // namespace

std::vector<ModelFormat> ModelFormats() {
  return {{"onnx", ".onnx",
           "a model: stages and net or trees as a graph, for ONNX Runtime and others", WholeToOnnx},
          {"onnx-net", ".onnx",
           "a model: its net or trees alone; the inputs are what the stages make", NetToOnnx},
          {"xgboost", ".json", "a model: its trees alone, for XGBoost and Treelite", ToXgboost},
          {"lightgbm", ".txt", "a model: its trees alone, for LightGBM and Treelite", ToLightgbm},
          {"torchscript", ".pt", "a model: its net alone, with weights, for PyTorch and LibTorch",
           ToTorchScript},
          {"mlflow", ".mlflow", "a model: a folder that MLflow loads, with --to onnx in it",
           ToMlflow, true},
          {"safetensors", ".safetensors", "a model: its weights by the names of the net's modules",
           ToSafetensors}};
}

}  // namespace protium
