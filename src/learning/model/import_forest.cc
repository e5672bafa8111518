// SPDX-License-Identifier: Apache-2.0
// The pipeline is written as a job file would have it, and placed on a table of the columns that
// the forest names: so everything in the folder is what training would have left there.
#include "model/import_forest.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "column/schema.h"
#include "model/forest_config.h"
#include "model/model_folder.h"
#include "model/model_state.h"
#include "os/file.h"
#include "pipeline/learned.h"
#include "trees/forest_file.h"
#include "trees/lightgbm_text.h"
#include "trees/xgboost_json.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexStage = "index";

bool BeginsLightgbm(std::string_view text) {
  return text.starts_with("tree\n") || text.starts_with("tree\r\n");
}
// XGBoost's default from version 2.1 on: a key, whose length has 8 bytes.
bool BeginsUbjson(std::string_view text) {
  return text.starts_with("{L") && text.size() > 10 && text.substr(10).starts_with("learner");
}
// A header of 123 bytes makes safetensors begin with "{", too, but never with a key.
bool BeginsJson(std::string_view text) {
  text = Trimmed(text);
  return text.starts_with('{') && Trimmed(text.substr(1)).starts_with('"');
}

Result<ReadForest> Read(const fs::path& file) {
  PT_LET(const std::string text, ReadFile(file));
  if (BeginsUbjson(text)) {
    return Fail({.exit = Exit::kUsage,
                 .what = "this is XGBoost's binary form",
                 .fix = "booster.save_model(\"model.json\"), and import that"});
  }
  return BeginsLightgbm(text) ? FromLightgbmText(text) : FromXgboostJson(text);
}

// A forest with numbers before categories, as estimators have them.
struct Sorted {
  Forest forest;
  std::vector<std::vector<std::string>> categories;  // Of each column.
  size_t numbers = 0;
};

Sorted SortColumns(ReadForest& read) {
  Sorted sorted;
  Forest& forest = read.carried.forest;
  std::vector<int32_t> place(forest.columns.size());
  read.categories.resize(forest.columns.size());
  for (const bool categorical : {false, true}) {
    for (size_t c = 0; c < forest.columns.size(); ++c) {
      if ((forest.columns[c].cardinality > 0) != categorical) continue;
      place[c] = int32_t(sorted.forest.columns.size());
      sorted.forest.columns.push_back(forest.columns[c]);
      sorted.categories.push_back(read.categories[c]);
    }
    if (!categorical) sorted.numbers = sorted.forest.columns.size();
  }
  for (Tree& tree : forest.trees) {
    for (TreeNode& node : tree.nodes) {
      if (!node.leaf()) node.column = place[size_t(node.column)];
    }
  }
  sorted.forest.base = std::move(forest.base);
  sorted.forest.trees = std::move(forest.trees);
  return sorted;
}

// Categories without names are the whole numbers that the file calls them by.
std::vector<std::string> KeysOf(const Sorted& sorted, size_t column) {
  std::vector<std::string> keys = sorted.categories[column];
  for (auto c = int64_t(keys.size()); c < sorted.forest.columns[column].cardinality; ++c) {
    keys.push_back(std::to_string(c));
  }
  return keys;
}

bool AllWhole(const std::vector<std::string>& texts) {
  return std::ranges::all_of(texts, [](const std::string& each) {
    const auto number = AllAsNumber<int64_t>(each);
    return number && std::to_string(*number) == each;
  });
}

Status Usage(const std::string& what, const std::string& fix) {
  return Fail({.exit = Exit::kUsage, .what = what, .fix = fix});
}

Status CheckOnce(const std::string& what, std::vector<std::string> names) {
  for (const std::string& each : names) {
    // JSON replaces what is no UTF-8.
    if (*ParseJson(Dump(each)) == each) continue;
    return Usage("the " + what + " have a name that is not UTF-8", "give it another in training");
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return Status::OK();
  return Usage("the " + what + " have the name \"" + *twice + "\" twice",
               "give them other names in training; case of columns does not count");
}

// The model that the folder is written from.
class Importing {
 public:
  Importing(const ForestToImport& given, ReadForest read)
      : given_(given), task_(read.carried.task), sorted_(SortColumns(read)) {
    labels_ = given.labels.empty() ? std::vector<std::string>{"label"} : given.labels;
  }

  Status Place() {
    PT_TRY(DescribeLabel());
    PT_TRY(CheckNames());
    PT_LET(const auto stages, StagesFromJson(Stages(), "pipeline", BuiltInCatalogue()));
    PT_LET(state_.input, TableOf());
    PT_LET(Chain chain, PlaceStages(stages, *state_.input));
    const Json learned = {{"stages", StagesLearned()}, {"objective", FieldsToJson(objective_)}};
    PT_LET(state_.learned, LearnedFromJson(learned, chain, nullptr));
    state_.chain = std::make_shared<const Chain>(std::move(chain));
    state_.net = MakeNetConfig(*state_.chain, state_.learned);
    sorted_.forest.columns = ForestColumns(state_.net);
    return CheckForest(sorted_.forest);
  }

  Result<std::string> Write(const fs::path& out) const {
    ModelFiles files;
    files.json["pipeline.json"] = PipelineToJson(state_);
    files.json["stages.json"] = LearnedToJson(*state_.chain, state_.learned);
    files.json["net.json"] = FieldsToJson(state_.net);
    files.json["metrics.json"] = {{"imported", {{"file", given_.file.filename().string()}}}};
    files.json["fingerprint.json"] = Json::object();
    Json& schema = files.json["schema.json"] = Json::object();
    PT_LET(schema["input"], SchemaToJson(*NeededColumns(state_)));
    PT_LET(schema["output"], SchemaToJson(*AddedColumns(state_)));
    PT_LET(schema["training"], SchemaToJson(*state_.input));
    PT_LET(const TemporaryFolder scratch, TemporaryFolder::Make());
    const ForestTensors tensors(sorted_.forest);
    const std::vector<NamedTensor> named = tensors.tensors();
    files.weights = scratch.path() / "weights.safetensors";
    files.weights_sha256 = WeightsSha256(named);
    PT_TRY(WriteSafetensors(files.weights, named));
    PT_TRY(WriteModelFolder(out, files));
    return files.weights_sha256;
  }

  std::vector<std::string> Columns() const { return NeededColumns(state_)->field_names(); }
  int64_t trees() const { return int64_t(sorted_.forest.trees.size()); }

 private:
  Status DescribeLabel() {
    const int64_t outputs = sorted_.forest.outputs();
    const bool several = task_.kind == TargetKind::kValues || task_.kind == TargetKind::kFlags;
    const int64_t labels = several ? outputs : 1;
    if (int64_t(labels_.size()) != labels) {
      return Usage(
          fmt::format("the forest predicts {}, and there {} {} named", Counted(labels, "column"),
                      labels_.size() == 1 ? "is" : "are", labels_.size()),
          "--label with one name for each, separated by commas");
    }
    objective_ = {.kind = task_.kind, .logarithmic = task_.logarithmic, .levels = task_.levels};
    for (const std::string& each : labels_) objective_.labels.push_back({.column = each});
    if (!OfClasses(task_.kind)) {
      if (given_.classes.empty()) return Status::OK();
      return Usage("the forest predicts no classes", "leave --classes out");
    }
    return DescribeClasses(task_.kind == TargetKind::kTwoClasses ? 2 : outputs);
  }

  Status DescribeClasses(int64_t classes) {
    objective_.classes = given_.classes;
    for (int64_t c = 0; given_.classes.empty() && c < classes; ++c) {
      objective_.classes.push_back(std::to_string(c));
    }
    if (int64_t(objective_.classes.size()) != classes) {
      return Usage(fmt::format("the forest has {} classes, and {} are named", classes,
                               objective_.classes.size()),
                   "--classes with one name for each, in the order of their numbers");
    }
    objective_.class_type = AllWhole(objective_.classes) ? "int64" : "string";
    return Status::OK();
  }

  // Columns are looked up without case, categories with it.
  Status CheckNames() const {
    std::vector<std::string> names;
    for (size_t c = 0; c < sorted_.forest.columns.size(); ++c) {
      const std::string& name = sorted_.forest.columns[c].name;
      names.push_back(Lower(name));
      if (c >= sorted_.numbers) PT_TRY(CheckOnce("categories of " + name, KeysOf(sorted_, c)));
    }
    return CheckOnce("columns", std::move(names));
  }

  Json Stages() const {
    Json numbers = Json::array(), categories = Json::array(), stages = Json::array();
    for (size_t c = 0; c < sorted_.forest.columns.size(); ++c) {
      (c < sorted_.numbers ? numbers : categories).push_back(sorted_.forest.columns[c].name);
    }
    Json trees = {{"kind", "tree_estimator"}, {"id", "trees"}, {"numeric", numbers}};
    if (!categories.empty()) {
      stages.push_back({{"kind", "string_indexer"},
                        {"id", kIndexStage},
                        {"inputs", categories},
                        {"unseen", "null"},
                        {"missing", "null"}});
      trees["categorical"] = {{{"stage", kIndexStage}}};
    }
    const bool several = labels_.size() > 1;
    trees[several ? "labels" : "label"] = several ? Json(labels_) : Json(labels_.front());
    trees["loss"] = {{"name", task_.loss}};
    if (task_.kind == TargetKind::kQuantiles) trees["loss"]["levels"] = task_.levels;
    if (task_.loss == "tweedie") trees["loss"]["power"] = task_.variance_power;
    if (OfNumbers(task_.kind)) trees["label_scale"] = "none";
    if (task_.kind == TargetKind::kRelevance) trees["group"] = GroupName();
    trees["trees"] = {{"rounds", std::max<int64_t>(1, sorted_.forest.rounds())}};
    stages.push_back(std::move(trees));
    return stages;
  }

  Json StagesLearned() const {
    Json learned = Json::array();
    for (size_t c = sorted_.numbers; c < sorted_.forest.columns.size(); ++c) {
      const std::string& name = sorted_.forest.columns[c].name;
      const std::vector<std::string> keys = KeysOf(sorted_, c);
      learned.push_back({{"input", name},
                         {"output", name + "__" + kIndexStage},
                         {"keys", keys},
                         {"cardinality", keys.size()}});
    }
    if (learned.empty()) return Json::array();
    return {{{"id", kIndexStage}, {"kind", "string_indexer"}, {"learned", learned}}};
  }

  // The file does not say by which column rows were grouped.
  std::string GroupName() const {
    std::string name = "query";
    const auto taken = [&] {
      return std::ranges::find(labels_, name) != labels_.end() ||
             std::ranges::find(sorted_.forest.columns, name, &ForestColumn::name) !=
                 sorted_.forest.columns.end();
    };
    while (taken()) name += "_";
    return name;
  }

  // The table that training would have read.
  Result<SchemaPtr> TableOf() const {
    arrow::FieldVector fields;
    for (size_t c = 0; c < sorted_.forest.columns.size(); ++c) {
      const bool whole = c >= sorted_.numbers && AllWhole(KeysOf(sorted_, c));
      fields.push_back(arrow::field(sorted_.forest.columns[c].name, c < sorted_.numbers
                                                                        ? arrow::float64()
                                                                    : whole ? arrow::int64()
                                                                            : arrow::utf8()));
    }
    if (task_.kind == TargetKind::kRelevance) {
      fields.push_back(arrow::field(GroupName(), arrow::int64()));
    }
    const bool flags = task_.kind == TargetKind::kFlags;
    for (const std::string& each : labels_) {
      fields.push_back(arrow::field(each, flags                              ? arrow::boolean()
                                          : !OfClasses(task_.kind)           ? arrow::float64()
                                          : objective_.class_type == "int64" ? arrow::int64()
                                                                             : arrow::utf8()));
    }
    return arrow::schema(std::move(fields));
  }

  const ForestToImport& given_;
  const ForestTask task_;
  Sorted sorted_;
  std::vector<std::string> labels_;
  Objective objective_;
  ModelState state_;
};

}  // namespace

bool IsForestFile(const fs::path& file) {
  std::string begin(64, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), std::streamsize(begin.size()));
  begin.resize(size_t(in.gcount()));
  // Safetensors begin with the length of their header, files of PyTorch with "PK" or as a pickle.
  return BeginsLightgbm(begin) || BeginsUbjson(begin) || BeginsJson(begin);
}

Result<ImportedForest> ImportForest(const ForestToImport& given, const fs::path& out) {
  auto read = Read(given.file);
  if (!read.ok()) {
    Fault fault = FaultOf(read.status());
    if (fault.where.empty()) fault.where = given.file.string();
    return Fail(std::move(fault));
  }
  ImportedForest made{.notes = std::move(read->notes)};
  Importing importing(given, *std::move(read));
  PT_TRY(importing.Place());
  PT_LET(made.weights_sha256, importing.Write(out));
  made.columns = importing.Columns();
  made.trees = importing.trees();
  return made;
}

}  // namespace protium
