// SPDX-License-Identifier: Apache-2.0
#include "app/table/first_job.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/table/cells.h"
#include "base/ascii.h"
#include "base/fault.h"
#include "base/json.h"
#include "base/nearest.h"
#include "run/terminal.h"

namespace protium {
namespace {

using arrow::Type;

constexpr int64_t kMostClassNumbers = 10;  // Whole numbers of more kinds are taken for amounts.
constexpr int64_t kMostClasses = 1000;
constexpr int64_t kMostCategories = 1000;
constexpr size_t kLineWidth = 100;

// What a column is to the net.
enum class Use { kCategory, kNumber, kTime, kLeftOut };

// What is predicted.
enum class Aim { kTwoClasses, kClasses, kNumber };

struct UsedColumns {
  std::vector<const ColumnProfile*> categories, numbers, times;
  std::vector<std::string> left_out;  // "id has another value in every row: an id?"
  bool any() const { return !categories.empty() || !numbers.empty() || !times.empty(); }
};

bool IsWhole(const arrow::DataType& type) {
  return type.id() == Type::INT32 || type.id() == Type::INT64;
}

bool IsTime(const arrow::DataType& type) {
  return type.id() == Type::DATE32 || type.id() == Type::TIMESTAMP;
}

Use UseOf(const TableProfile& table, const ColumnProfile& column, std::string& why) {
  why = WhyUseless(table, column);
  // Stages never overwrite columns, so the job would be refused.
  const std::string name = Lower(column.name);
  if (name == "prediction" || name == "probability") why = "has the name of what the model adds";
  if (!why.empty()) return Use::kLeftOut;
  const Type::type id = column.type->id();
  if (id == Type::BOOL) return Use::kCategory;
  if (IsTime(*column.type)) return Use::kTime;
  if (IsNumber(*column.type)) return Use::kNumber;
  if (id == Type::STRING && column.distinct <= kMostCategories) return Use::kCategory;
  why =
      id == Type::STRING
          ? fmt::format("has {} different texts: see tokenizer and hasher in `protium help stages`",
                        Grouped(column.distinct))
          : "is of type " + TypeText(*column.type);
  return Use::kLeftOut;
}

UsedColumns Sort(const TableProfile& table, const ColumnProfile& label) {
  UsedColumns out;
  for (const ColumnProfile& each : table.columns) {
    if (&each == &label) continue;
    std::string why;
    Use use = UseOf(table, each, why);
    // A copy of the label would be all that is learned.
    if (each.same_as == label.name || label.same_as == each.name) {
      use = Use::kLeftOut;
      why = "equals the label in every row";
    }
    if (use == Use::kLeftOut) out.left_out.push_back(each.name + " " + why);
    if (use == Use::kCategory) out.categories.push_back(&each);
    if (use == Use::kNumber) out.numbers.push_back(&each);
    if (use == Use::kTime) out.times.push_back(&each);
  }
  return out;
}

Result<const ColumnProfile*> FindLabel(const TableProfile& table, const std::string& label) {
  if (const ColumnProfile* found = table.Find(label)) return found;
  std::vector<std::string> names;
  for (const ColumnProfile& each : table.columns) names.push_back(each.name);
  return Fail({.exit = Exit::kUsage,
               .what = "the table has no column \"" + label + "\" to be the label",
               .fix = Suggest(label, names)});
}

Status RefuseLabel(const ColumnProfile& label, const std::string& why) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("\"{}\" cannot be learned: {}", label.name, why),
               .fix = "name another column with --label"});
}

Result<Aim> AimOf(const ColumnProfile& label) {
  if (label.distinct < 2) return RefuseLabel(label, "it has the same value in every row");
  const Type::type id = label.type->id();
  const bool classes = id == Type::STRING || id == Type::BOOL;
  if (classes || IsWhole(*label.type)) {
    if (label.distinct == 2) return Aim::kTwoClasses;
    if (IsWhole(*label.type) && label.distinct > kMostClassNumbers) return Aim::kNumber;
    if (label.distinct <= kMostClasses) return Aim::kClasses;
    return RefuseLabel(label, fmt::format("it has {} different texts", Grouped(label.distinct)));
  }
  if (IsNumber(*label.type)) return Aim::kNumber;
  return RefuseLabel(label, "it is of type " + TypeText(*label.type));
}

// Words that mean something else than a column where a column may stand, and words that begin or
// join parts of a query: those of SQL:2016 that Spark or DuckDB reserve.
constexpr std::string_view kWords[] = {
    "all",     "analyse",     "and",      "any",     "array",      "as",        "asc",
    "between", "both",        "by",       "case",    "cast",       "check",     "collate",
    "column",  "cross",       "create",   "cube",    "current",    "date",      "default",
    "desc",    "describe",    "distinct", "do",      "else",       "end",       "escape",
    "except",  "exists",      "false",    "fetch",   "filter",     "for",       "foreign",
    "from",    "full",        "grant",    "group",   "grouping",   "having",    "in",
    "inner",   "intersect",   "interval", "into",    "is",         "isnull",    "join",
    "lambda",  "lateral",     "leading",  "left",    "like",       "limit",     "map",
    "minus",   "natural",     "not",      "notnull", "null",       "of",        "offset",
    "on",      "only",        "or",       "order",   "outer",      "overlaps",  "pivot",
    "placing", "primary",     "qualify",  "range",   "references", "returning", "right",
    "rollup",  "row",         "rows",     "select",  "semi",       "anti",      "session_user",
    "set",     "show",        "similar",  "some",    "struct",     "summarize", "symmetric",
    "table",   "tablesample", "then",     "time",    "timestamp",  "to",        "trailing",
    "true",    "union",       "unique",   "unpivot", "user",       "using",     "values",
    "when",    "where",       "window",   "with"};

// Whether SQL reads the text as a name without quotes. Words with "current_" may be functions.
bool IsPlainName(const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  if (!std::ranges::all_of(name, letter)) return false;
  const std::string word = Lower(name);
  return !word.starts_with("current_") && std::ranges::find(kWords, word) == std::end(kWords);
}

std::string SqlName(const std::string& name) {
  if (IsPlainName(name)) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// A list that goes on in the next line where it becomes too long.
std::string ListOf(const std::vector<std::string>& items, size_t indent) {
  std::string text;
  size_t width = indent;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? ", " : "");
    if (i > 0 && width + item.size() > kLineWidth) {
      text.pop_back();
      text += "\n" + std::string(indent, ' ');
      width = indent;
    }
    text += item;
    width += item.size();
  }
  return text;
}

// The inputs of a stage: columns, and the outputs of an earlier stage.
std::string InputsOf(const std::vector<const ColumnProfile*>& columns,
                     const char* stage = nullptr) {
  std::vector<std::string> items;
  for (const ColumnProfile* each : columns) items.push_back(Dump(Json(each->name)));
  if (stage != nullptr) items.push_back(fmt::format("{{ stage = \"{}\" }}", stage));
  return "inputs = [" + ListOf(items, 10) + "]\n";
}

std::vector<const ColumnProfile*> WithMissing(const std::vector<const ColumnProfile*>& columns,
                                              bool missing) {
  std::vector<const ColumnProfile*> out;
  for (const ColumnProfile* each : columns) {
    if ((each->nulls > 0) == missing) out.push_back(each);
  }
  return out;
}

// Decimals become doubles, since scaling rounds them anyway.
std::string SelectOf(const UsedColumns& columns, const ColumnProfile& label) {
  std::vector<std::string> items;
  for (const auto* group : {&columns.categories, &columns.numbers, &columns.times}) {
    for (const ColumnProfile* each : *group) {
      const std::string name = SqlName(each->name);
      const bool decimal = arrow::is_decimal(each->type->id());
      items.push_back(decimal ? "CAST(" + name + " AS DOUBLE) AS " + name : name);
    }
  }
  const std::string name = SqlName(label.name);
  const bool decimal = arrow::is_decimal(label.type->id());
  items.push_back(decimal ? "CAST(" + name + " AS DOUBLE) AS " + name : name);
  return ListOf(items, 7);
}

// Of CSV and Parquet the key is the format; of others the ending says it.
std::string TableLine(const FirstJobSpec& spec) {
  const bool plain = IsPlainName(spec.name), csv = spec.format == Format::kCsv;
  const char* const key = csv ? "csv" : spec.format == Format::kParquet ? "parquet" : "file";
  std::string line = fmt::format("{} = {{ {} = {}", plain ? spec.name : Dump(Json(spec.name)), key,
                                 Dump(Json(spec.file)));
  if (csv && !spec.csv.null.empty()) line += ", null = " + Dump(ToJson(spec.csv.null));
  if (csv && spec.csv.delimiter != ",") line += ", delimiter = " + Dump(Json(spec.csv.delimiter));
  return line + " }\n";
}

std::string TimeStages(const UsedColumns& columns) {
  if (columns.times.empty()) return {};
  const bool clock = std::ranges::any_of(
      columns.times, [](const auto* each) { return each->type->id() == Type::TIMESTAMP; });
  return fmt::format(
      "[[pipeline]]                          # what recurs in dates and times\n"
      "kind   = \"datetime_parts\"\nid     = \"when\"\n{}parts  = [{}]\n\n",
      InputsOf(columns.times),
      clock ? "\"month\", \"day_of_week\", \"hour\"" : "\"month\", \"day_of_week\"");
}

std::string CategoryStages(const UsedColumns& columns) {
  if (columns.categories.empty() && columns.times.empty()) return {};
  return "[[pipeline]]                          # texts become numbers; new ones share one\n"
         "kind   = \"string_indexer\"\nid     = \"index\"\n" +
         InputsOf(columns.categories, columns.times.empty() ? nullptr : "when") + "\n";
}

std::string NumberStages(const UsedColumns& columns) {
  if (columns.numbers.empty()) return {};
  const auto missing = WithMissing(columns.numbers, true);
  std::string text;
  if (!missing.empty()) {
    text +=
        "[[pipeline]]                          # what is missing becomes the median\n"
        "kind   = \"imputer\"\nid     = \"fill\"\n" +
        InputsOf(missing) + "with   = \"median\"\n\n";
  }
  return text +
         "[[pipeline]]                          # mean 0, deviation 1\n"
         "kind   = \"standard_scaler\"\nid     = \"scale\"\n" +
         InputsOf(WithMissing(columns.numbers, false), missing.empty() ? nullptr : "fill") + "\n";
}

std::string LossOf(Aim aim) {
  if (aim == Aim::kTwoClasses) {
    return "loss   = \"binary_cross_entropy\"       # of two classes\n";
  }
  if (aim == Aim::kClasses) return "loss   = \"cross_entropy\"              # of classes\n";
  return "loss   = { name = \"huber\", delta = 1.0 }   # of amounts; forgives outliers\n";
}

// Small tables are passed over more often, in smaller batches: about as many steps for all.
struct Effort {
  int64_t batch = 512;
  int64_t epochs = 10;
  int64_t patience = 3;
};

Effort EffortFor(int64_t rows) {
  constexpr int64_t kSteps = 3000;
  Effort effort;
  while (effort.batch > 16 && effort.batch * 20 > rows) effort.batch /= 2;
  effort.epochs =
      std::clamp(kSteps * effort.batch / std::max(rows, int64_t{1}), int64_t{8}, int64_t{100});
  effort.patience = effort.epochs / 5 + 2;
  return effort;
}

std::string TrainOf(const TableProfile& table, const std::string& by) {
  const Effort effort = EffortFor(table.rows);
  const std::string validation = fmt::format("{{ share = {}{} }}", table.rows < 1000 ? 0.2 : 0.1,
                                             by.empty() ? "" : ", by = [" + by + "]");
  return fmt::format(
      "[train]\n"
      "epochs         = {:<21} # passes over the rows, at most\n"
      "batch_size     = {:<21} # rows of a step\n"
      "validation     = {:<21} # rows that choose the epoch\n"
      "early_stopping = {{ patience = {} }}\n"
      "optimizer      = {{ name = \"adam\", learning_rate = 1e-3 }}\n"
      "seed           = 1\n\n",
      effort.epochs, effort.batch, validation, effort.patience);
}

// A date that enough rows share: its days stay on one side of every split, as rows of one day often
// tell of each other.
std::string SplitBy(const TableProfile& table, const UsedColumns& columns) {
  for (const ColumnProfile* each : columns.times) {
    if (each->type->id() != Type::DATE32 || each->nulls > 0) continue;
    if (each->distinct >= 20 && each->distinct * 3 <= table.rows) return Dump(Json(each->name));
  }
  return {};
}

std::string SplitOf(const std::string& by) {
  return "[split]                               # rows that training never sees\n" +
         (by.empty() ? std::string() : "by   = [" + by + "]  # whole days stay together\n") +
         "test = 0.2\n\n";
}

const char* AimText(Aim aim) {
  if (aim == Aim::kTwoClasses) return "one of two classes";
  return aim == Aim::kClasses ? "one of several classes" : "a number";
}

std::vector<std::string> NotesOf(const ColumnProfile& label, Aim aim, const UsedColumns& columns) {
  std::vector<std::string> notes = {fmt::format(
      "{} is learned as {}{}", label.name, AimText(aim),
      label.nulls > 0 ? fmt::format("; {} rows without it are left out", Grouped(label.nulls))
                      : "")};
  if (aim == Aim::kClasses && IsWhole(*label.type)) {
    notes.push_back("if its numbers are amounts, write loss = \"huber\" instead");
  }
  notes.push_back(fmt::format("from {} categories, {} numbers, {} dates", columns.categories.size(),
                              columns.numbers.size(), columns.times.size()));
  for (const std::string& each : columns.left_out) notes.push_back("left out: " + each);
  return notes;
}

std::string EstimatorOf(const TableProfile& table, const UsedColumns& columns,
                        const ColumnProfile& label, Aim aim) {
  std::string text = "[[pipeline]]\nkind   = \"torch_estimator\"\n";
  text += table.rows < 20'000
              ? "net    = { name = \"tabular_mlp\", hidden = [64, 32] }\n"
              : "net    = { name = \"tabular_mlp\", hidden = [128, 64], dropout = 0.1 }\n";
  if (!columns.categories.empty() || !columns.times.empty()) {
    text += "categorical = [{ stage = \"index\" }]\n";
  }
  if (!columns.numbers.empty()) text += "numeric = [{ stage = \"scale\" }]\n";
  text += "label  = " + Dump(Json(label.name)) + "\n" + LossOf(aim);
  return text + "\n";
}

}  // namespace

Result<FirstJob> ProposeJob(const TableProfile& table, const FirstJobSpec& spec) {
  PT_LET(const ColumnProfile* const label, FindLabel(table, spec.label));
  PT_LET(const Aim aim, AimOf(*label));
  const UsedColumns columns = Sort(table, *label);
  if (!columns.any()) {
    return Fail({.exit = Exit::kInput,
                 .what = "there is no column to learn \"" + label->name + "\" from",
                 .why = columns.left_out.empty() ? "the table has no other column"
                                                 : columns.left_out.front()});
  }
  const std::string by = SplitBy(table, columns);
  FirstJob job{.notes = NotesOf(*label, aim, columns)};
  job.toml = fmt::format("# Learns {} from {}: {}. Run it: protium run {}.toml\n", label->name,
                         spec.file, AimText(aim), spec.name);
  for (const std::string& each : columns.left_out) {
    job.toml += CutToWidth("# Left out: " + each, int32_t(kLineWidth)) + "\n";
  }
  job.toml +=
      fmt::format("name = {}\ndata = {:<30} # folder of the table, relative to this file\n\n",
                  Dump(Json(spec.name)), Dump(Json(spec.data)));
  job.toml += "[tables]\n" + TableLine(spec) + "\n";
  job.toml +=
      "[etl]                                 # any SELECT over the tables\nsql = \"\"\"\nSELECT " +
      SelectOf(columns, *label) + "\nFROM " + SqlName(spec.name) + "\n\"\"\"\n\n";
  job.toml += SplitOf(by) + TimeStages(columns) + CategoryStages(columns) + NumberStages(columns);
  job.toml += EstimatorOf(table, columns, *label, aim) + TrainOf(table, by);
  job.toml +=
      "[outputs]                             # the test rows with their predictions\n"
      "predictions = { parquet = \"predictions.parquet\" }\n";
  return job;
}

}  // namespace protium
