// SPDX-License-Identifier: Apache-2.0
#include "reference/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "job/job.h"
#include "protium/stage_options.h"
#include "reference/pages.h"
#include "terminal/text_table.h"

namespace protium {

namespace {

using Kind = FieldType::Kind;
using Fields = std::vector<DescribedField>;

// Returns the keys of a whole file. JobFile stores some as plain JSON, whose shape depends on the
// catalogue; here they get the shape of the options and rows that they stand for.
Fields AllKeys() {
  Fields keys = Describe(JobFile());
  const auto set = [&](const char* name, FieldType type, const char* rows) {
    const auto key = std::ranges::find(keys, name, &DescribedField::name);
    key->type = std::move(type);
    key->field.rows_of = rows;
    key->value = Json();
  };
  const FieldType stages{.kind = Kind::kList, .words = "list of stages"};
  const FieldType choice{.words = "text or table"};
  set("pipeline", stages, "stages");
  set("net", choice, "nets");
  set("loss", choice, "losses");
  set("train", {.kind = Kind::kTable, .fields = Describe(TrainOptions())}, "");
  set("trees", {.kind = Kind::kTable, .fields = Describe(TreeOptions())}, "");
  set("gang", {.kind = Kind::kTable, .fields = Describe(GangSpec())}, "");
  return keys;
}

// Returns the table that a type is or holds; null for a value.
const FieldType* TableIn(const FieldType& type) {
  if (type.kind == Kind::kTable) return &type;
  for (const FieldType& each : type.of) {
    if (const FieldType* const table = TableIn(each)) return table;
  }
  return nullptr;
}

// Returns the rows that a key chooses from: for pipeline the stages, for train.optimizer the
// optimizers.
std::vector<CatalogueRow> RowsOf(const Catalogue& catalogue, const DescribedField& key) {
  for (Topic& topic : ListTopics(catalogue)) {
    if (topic.name == key.field.rows_of) return std::move(topic.rows);
  }
  return {};
}

// A key with the keys below it.
struct Found {
  std::string path;    // "train.optimizer"
  DescribedField key;  // Its name is the path. For the whole file: without a name.
  Fields below;        // With their whole paths.
  std::vector<CatalogueRow> rows;
};

// Returns the options of all rows by name, each once; with a choice of optimizers
// "train.optimizer.momentum" is a key whichever optimizer is chosen.
Fields OptionsOf(const std::vector<CatalogueRow>& rows) {
  Fields all;
  for (const CatalogueRow& row : rows) {
    for (const DescribedField& option : row.options) {
      const auto known = std::ranges::find(all, option.name, &DescribedField::name);
      if (known != all.end()) continue;
      all.push_back(option);
    }
  }
  return all;
}

class Walk {
 public:
  explicit Walk(const Catalogue& catalogue) : catalogue_(catalogue) {
    found_.key = {.type = {.kind = Kind::kTable, .fields = AllKeys()}};
  }

  Result<Found> To(const std::string& path) {
    size_t start = 0;
    while (start < path.size()) {
      const size_t end = std::min(path.find('.', start), path.size());
      PT_TRY(Step(path.substr(start, end - start), path));
      start = end + 1;
    }
    found_.rows = RowsOf(catalogue_, found_.key);
    const FieldType* const table = TableIn(found_.key.type);
    if (table != nullptr) found_.below = Flattened(table->fields, found_.path);
    return found_;
  }

 private:
  Fields Children() const {
    const FieldType* const table = TableIn(found_.key.type);
    return table != nullptr ? table->fields : OptionsOf(RowsOf(catalogue_, found_.key));
  }

  Status Step(const std::string& step, const std::string& path) {
    const Fields children = Children();
    const auto next = std::ranges::find(children, step, &DescribedField::name);
    if (next == children.end()) return PassOver(step, path, children);
    found_.path += (found_.path.empty() ? "" : ".") + step;
    found_.key = *next;
    return Status::OK();
  }

  // A row's name narrows what follows to its options; it is not a key, and neither is the number of
  // a stage or the name of a user's table.
  Status PassOver(const std::string& step, const std::string& path, const Fields& children) {
    for (const CatalogueRow& row : RowsOf(catalogue_, found_.key)) {
      if (row.name != step) continue;
      found_.path += "." + step;
      found_.key = {.name = step,
                    .field = {.help = ""},
                    .type = {.kind = Kind::kTable, .fields = row.options}};
      return Status::OK();
    }
    const Kind kind = found_.key.type.kind;
    const bool entry = kind == Kind::kEntries && Nearest(step, NamesOf(children)).empty();
    if ((entry || (kind == Kind::kList && AllAsNumber<int64_t>(step))) && !passed_) {
      passed_ = true;
      return Status::OK();
    }
    return Unknown(path, children);
  }

  static std::vector<std::string> NamesOf(const Fields& fields) {
    std::vector<std::string> names;
    for (const DescribedField& each : fields) names.push_back(each.name);
    return names;
  }

  // Suggests the nearest keys beside it; keys elsewhere with the same ending come first.
  Status Unknown(const std::string& path, const Fields& children) const {
    const std::string last = path.substr(path.rfind('.') + 1);
    std::string fix;
    for (const std::string& each : KeysEndingWith(last)) fix += (fix.empty() ? "" : " or ") + each;
    if (!fix.empty()) fix = "did you mean " + fix + "?";
    // Full paths, as they are typed.
    std::vector<std::string> beside = NamesOf(children);
    for (std::string& each : beside) each = path.substr(0, path.size() - last.size()) + each;
    if (fix.empty()) fix = Suggest(path, beside);
    if (fix.empty()) fix = "protium help keys " + found_.path + " lists those that there are";
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("there is no key \"{}\"", path),
                 .fix = std::move(fix)});
  }

  const Catalogue& catalogue_;
  Found found_;
  bool passed_ = false;
};

std::string ListOf(const std::vector<CatalogueRow>& rows) {
  std::string names;
  for (const CatalogueRow& row : rows) names += (names.empty() ? "" : ", ") + row.name;
  std::string text;
  for (const std::string& line : Wrapped(names, 96)) text += "  " + line + "\n";
  return text;
}

// Lists the groups: only the first level, or the page would be ten pages long.
std::string GroupsText(const std::string& program) {
  return "keys of a job file\n\n" + OptionsTable(AllKeys(), "key") +
         fmt::format(
             "\n{0} help keys train shows what is below a key; {0} help schema is for "
             "editors.\n",
             program);
}

}  // namespace

Result<std::string> KeysText(const Catalogue& catalogue, const std::string& path,
                             const std::string& program) {
  if (path.empty()) return GroupsText(program);
  PT_LET(Found found, Walk(catalogue).To(path));
  std::string text;
  if (*found.key.field.help != 0) {
    found.key.name = found.path;
    text += OptionsTable({found.key}, "key");
  }
  if (!found.below.empty()) text += (text.empty() ? "" : "\n") + OptionsTable(found.below, "key");
  if (found.rows.empty()) return text;
  const char* const topic = found.key.field.rows_of;
  return text + fmt::format("\none of\n{}\n{} help {} NAME shows the options of one.\n",
                            ListOf(found.rows), program, topic);
}

Result<Json> KeysAsJson(const Catalogue& catalogue, const std::string& path) {
  if (path.empty()) return DescribedToJson(AllKeys());
  PT_LET(Found found, Walk(catalogue).To(path));
  if (!found.below.empty()) return DescribedToJson(found.below);
  found.key.name = found.path;
  return DescribedToJson({found.key});
}

std::vector<std::string> KeyNames() {
  std::vector<std::string> names;
  for (const DescribedField& each : Flattened(AllKeys())) names.push_back(each.name);
  return names;
}

std::vector<std::string> KeysEndingWith(const std::string& end) {
  std::vector<std::string> names;
  for (std::string& each : KeyNames()) {
    if (each == end || each.ends_with("." + end)) names.push_back(std::move(each));
  }
  return names;
}

}  // namespace protium
