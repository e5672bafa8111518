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
#include "model/rounded.h"
#include "onnx/onnx.h"
#include "os/file.h"
#include "trees/lightgbm_text.h"
#include "trees/xgboost_json.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// What the net's outputs agree with, and what rounding costs; refuses what does not agree or costs
// too much.
Result<std::vector<std::string>> CheckedNotes(const ModelToExport& what) {
  std::vector<std::string> notes;
  if (what.rounding) {
    PT_LET(const ModelFiles files, ReadModelFolder(what.model));
    PT_LET(const RoundedLoss loss, AllowedLoss(files, what.precision(), what.rounding->most_loss));
    notes.push_back(Describe(loss));
    PT_LET(notes.emplace_back(), CheckRoundedAgreement(what.model, what.precision()));
    return notes;
  }
  PT_LET(const auto agreement, CheckAgreement(what.model));
  if (agreement) notes.push_back(*agreement);
  return notes;
}

ModelExported WrittenGraph(const fs::path& out, OnnxReport report,
                           const std::vector<std::string>& checked) {
  report.notes.insert(report.notes.end(), checked.begin(), checked.end());
  return {.files = {out}, .notes = std::move(report.notes)};
}

Result<ModelExported> ToOnnx(const ModelToExport& what, bool net_only) {
  PT_LET(const std::vector<std::string> checked, CheckedNotes(what));
  PT_LET(OnnxReport report, WriteOnnx({what.model, what.out, net_only, what.precision()}));
  return WrittenGraph(what.out, std::move(report), checked);
}

Result<ModelExported> WholeToOnnx(const ModelToExport& what) { return ToOnnx(what, false); }
Result<ModelExported> NetToOnnx(const ModelToExport& what) { return ToOnnx(what, true); }

Result<ModelExported> ToTrees(const ModelToExport& what,
                              Result<WrittenForest> (*write)(const CarriedForest&)) {
  PT_LET(ExportedForest exported, ExportForest(what.model));
  PT_LET(const WrittenForest written, write(exported.carried));
  PT_TRY(WriteFile(what.out, written.bytes));
  std::vector<std::string> notes = std::move(exported.notes);
  notes.insert(notes.end(), written.notes.begin(), written.notes.end());
  return ModelExported{
      .files = {what.out},
      .left_out = {"the stages: inputs are the columns that the trees read (docs/model-folder.md)"},
      .notes = std::move(notes)};
}
Result<ModelExported> ToXgboost(const ModelToExport& what) { return ToTrees(what, ToXgboostJson); }
Result<ModelExported> ToLightgbm(const ModelToExport& what) {
  return ToTrees(what, ToLightgbmText);
}

Result<ModelExported> ToTorchScript(const ModelToExport& what) {
  PT_LET(ScriptFileReport report, WriteTorchScript({what.model, what.out}));
  return ModelExported{.files = {what.out},
                       .left_out = {"the stages, and what is predicted from the net's outputs "
                                    "(docs/model-folder.md)"},
                       .notes = std::move(report.notes)};
}

Result<ModelExported> ToMlflow(const ModelToExport& what) {
  PT_LET(const std::vector<std::string> checked, CheckedNotes(what));
  PT_LET(OnnxReport report, WriteMlflowFolder(what.model, what.out, what.precision()));
  return WrittenGraph(what.out, std::move(report), checked);
}

Result<ModelExported> ToSafetensors(const ModelToExport& what) {
  PT_LET(const ModelFiles files, ReadModelFolder(what.model));
  if (files.weights.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the model has no weights",
                 .where = what.model.string(),
                 .why = "its pipeline has no estimator"});
  }
  PT_TRY(CopyFile(files.weights, what.out));
  return ModelExported{.files = {what.out},
                       .left_out = {"everything but the weights: the stages, and how the net is "
                                    "made (docs/model-folder.md)"}};
}

}  // namespace

std::vector<ModelFormat> ModelFormats() {
  return {{.name = "onnx",
           .ending = ".onnx",
           .says = "a model: stages and net or trees as a graph, for ONNX Runtime and others",
           .write = WholeToOnnx,
           .rounds = true},
          {.name = "onnx-net",
           .ending = ".onnx",
           .says = "a model: its net or trees alone; the inputs are what the stages make",
           .write = NetToOnnx,
           .rounds = true},
          {"xgboost", ".json", "a model: its trees alone, for XGBoost and Treelite", ToXgboost},
          {"lightgbm", ".txt", "a model: its trees alone, for LightGBM and Treelite", ToLightgbm},
          {"torchscript", ".pt", "a model: its net alone, with weights, for PyTorch and LibTorch",
           ToTorchScript},
          {.name = "mlflow",
           .ending = ".mlflow",
           .says = "a model: a folder that MLflow loads, with --to onnx in it",
           .write = ToMlflow,
           .rounds = true,
           .folder = true},
          {"safetensors", ".safetensors", "a model: its weights by the names of the net's modules",
           ToSafetensors}};
}

}  // namespace protium
