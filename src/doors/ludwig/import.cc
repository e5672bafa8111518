// SPDX-License-Identifier: Apache-2.0
// A configuration as a job file, and the library's entry.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "ludwig/draft.h"
#include "ludwig/ludwig.h"
#include "os/file.h"

namespace protium::ludwig {
namespace {

// A job leaves out rows without the label anyway.
std::string SqlOf(const Draft& draft) {
  std::string sql = fmt::format("SELECT *{} FROM data", draft.split_sql);
  const char* word = " WHERE ";
  for (const std::string& each : draft.dropped_null) {
    sql += fmt::format("{}{} IS NOT NULL", std::exchange(word, " AND "), Name(each));
  }
  return sql;
}

// pandas, which reads Ludwig's tables, treats more CSV cells as missing than a job does.
std::string TableOf(const std::string& path) {
  if (!path.ends_with(".csv")) return Quoted(path);
  return fmt::format(
      "{{ csv = {}, null = {} }}", Quoted(path),
      List({"NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None", "n/a"}));
}

std::string Inputs(const char* key, const std::vector<std::string>& inputs) {
  return inputs.empty() ? "" : fmt::format("{} = [{}]\n", key, fmt::join(inputs, ", "));
}

std::string EstimatorOf(const Draft& draft) {
  std::string text = fmt::format("[[pipeline]]\nkind = \"torch_estimator\"\nnet = {}\n", draft.net);
  text += Inputs("categorical", draft.categorical) + Inputs("numeric", draft.numeric) +
          Inputs("vectors", draft.vectors);
  text += draft.labels.size() == 1 ? fmt::format("label = {}\n", Quoted(draft.labels.front()))
                                   : fmt::format("labels = {}\n", List(draft.labels));
  for (const std::string& line : draft.estimator) text += line + "\n";
  return text;
}

std::string TextOf(const Draft& draft, const LudwigOptions& options,
                   const std::vector<std::string>& notes) {
  std::string text =
      fmt::format("# From {}, by protium config import.\n", options.file.filename().string());
  for (const std::string& note : notes) text += "# " + note + "\n";
  text += fmt::format("\n[tables]\ndata = {}\n\n[etl]\nsql = {}\n\n", TableOf(options.table),
                      Quoted(SqlOf(draft)));
  if (!draft.split.empty()) text += fmt::format("[split]\n{}\n\n", fmt::join(draft.split, "\n"));
  for (const std::string& stage : draft.stages) text += stage + "\n";
  text += EstimatorOf(draft);
  text += fmt::format("\n[train]\n{}\n", fmt::join(draft.train, "\n"));
  return text + "\n[outputs]\nscored = \"scored.parquet\"\n";
}

// Also notes everything in the file that nobody has read.
std::vector<std::string> NotesOf(const Yaml& root, Draft& draft) {
  for (const Yaml::Left& each : root.Untaken()) {
    draft.notes.push_back({each.line, fmt::format("{}: no counterpart", each.text)});
  }
  std::ranges::stable_sort(draft.notes, {}, &Note::line);
  std::vector<std::string> notes;
  for (const Note& each : draft.notes) {
    std::string text = each.line > 0 ? fmt::format("line {}: {}", each.line, each.text) : each.text;
    std::ranges::replace(text, '\n', ' ');
    notes.push_back(std::move(text));
  }
  return notes;
}

Result<LudwigJob> Import(const LudwigOptions& options) {
  constexpr int64_t kMostBytes = 1 << 20;
  PT_LET(const std::string text, ReadFile(options.file, kMostBytes));
  PT_LET(Yaml root, Yaml::Parse(text, options.file.string()));
  if (const auto type = root.TakeText("model_type"); type && *type != "ecd") {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("models of the type {} have no counterpart", *type),
                 .where = options.file.string(),
                 .why = "a job trains nets (ecd)"});
  }
  Draft draft;
  PT_TRY(AddInputs(root, draft));
  PT_TRY(AddOutputs(root, draft));
  AddNet(root, draft);
  AddSplit(root, draft);
  AddTrainer(root, draft);
  LudwigJob job{.notes = NotesOf(root, draft)};
  job.text = TextOf(draft, options, job.notes);
  return job;
}

}  // namespace
}  // namespace protium::ludwig

extern "C" __attribute__((visibility("default"))) bool protium_import_ludwig(
    int32_t version, const protium::LudwigOptions& options,
    protium::Result<protium::LudwigJob>& job) {
  if (version != protium::kLudwigLibraryVersion) return false;
  job = protium::ludwig::Import(options);
  return true;
}
