// SPDX-License-Identifier: Apache-2.0
#include "app/table/first_job.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "app/csv_flags.h"
#include "app/table/cells.h"
#include "app/table/sql_names.h"
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
constexpr int64_t kFewCategories = 20;  // Are taken even where each has a row or two.
constexpr int64_t kRowsOfCategory = 3;  // On average; fewer are learned by heart.
constexpr size_t kLineWidth = 100;

// What a column is to the net.
enum class Use { kCategory, kNumber, kTime, kLeftOut };

// What is predicted.
enum class Aim { kTwoClasses, kClasses, kNumber };

struct UsedColumns {
  std::vector<const ColumnProfile*> categories, numbers, times;
  std::vector<std::string> left_out;  // "id has another value in every row: an id?"
  const ColumnProfile* id = nullptr;  // One of those left out that has another value in every row.
  bool split_by_id = false;
  bool any() const { return !categories.empty() || !numbers.empty() || !times.empty(); }
};

bool IsWhole(const arrow::DataType& type) {
  return type.id() == Type::INT32 || type.id() == Type::INT64;
}

bool IsTime(const arrow::DataType& type) {
  return type.id() == Type::DATE32 || type.id() == Type::TIMESTAMP;
}

bool IsInfinite(const ColumnProfile& column) {
  return column.least == "-inf" || column.greatest == "inf";
}

// Whether the text begins with a date whose parts stand between slashes, the year first.
bool HasSlashedDate(std::string_view text) {
  constexpr std::string_view kShape = "dddd/dd/dd";
  if (text.size() < kShape.size()) return false;
  for (size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != '/') return false;
  }
  return true;
}

std::string DatesHint(const ColumnProfile& column) {
  const char* const type = column.least.size() > 10 ? "TIMESTAMP" : "DATE";
  return fmt::format("is text with dates: write CAST(REPLACE({0}, '/', '-') AS {1}) AS {0}",
                     SqlName(column.name), type);
}

Use UseOf(const TableProfile& table, const ColumnProfile& column, std::string& why) {
  why = WhyUseless(table, column);
  if (HasSlashedDate(column.least) && HasSlashedDate(column.greatest)) {
    why = DatesHint(column);
    return Use::kLeftOut;
  }
  // Stages never overwrite columns, so the job would be refused.
  const std::string name = Lower(column.name);
  if (name == "prediction" || name == "probability") why = "has the name of what the model adds";
  if (!why.empty()) return Use::kLeftOut;
  const Type::type id = column.type->id();
  if (id == Type::BOOL) return Use::kCategory;
  if (IsTime(*column.type)) return Use::kTime;
  if (IsNumber(*column.type)) return Use::kNumber;
  const int64_t values = table.rows - column.nulls;
  if (id == Type::STRING && column.distinct > kFewCategories &&
      column.distinct * kRowsOfCategory > values) {
    why = fmt::format("has {} different texts in {} rows: too few rows of each",
                      Grouped(column.distinct), Grouped(values));
    return Use::kLeftOut;
  }
  if (id == Type::STRING && column.distinct <= kMostCategories) return Use::kCategory;
  why =
      id == Type::STRING
          ? fmt::format("has {} different texts: see tokenizer and hasher in `protium help stages`",
                        Grouped(column.distinct))
          : "is of type " + TypeText(*column.type);
  return Use::kLeftOut;
}

UsedColumns Sort(const TableProfile& table, const ColumnProfile& label, const Tellers& tellers) {
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
    if (const auto teller = tellers.find(each.name); teller != tellers.end() && why.empty()) {
      use = Use::kLeftOut;
      why = teller->second;
    }
    if (use == Use::kLeftOut) out.left_out.push_back(each.name + " " + why);
    if (out.id == nullptr && each.exact && each.nulls == 0 && each.distinct == table.rows) {
      out.id = use == Use::kLeftOut && each.same_as.empty() ? &each : nullptr;
    }
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
    if ((each->nulls > 0 || IsInfinite(*each)) == missing) out.push_back(each);
  }
  return out;
}

// Of columns; an infinite value would be no number to learn from, and becomes NULL.
constexpr char kAsDouble[] = "CAST({0} AS DOUBLE) AS {0}";
constexpr char kFinite[] = "CASE WHEN abs({0}) < CAST('Infinity' AS DOUBLE) THEN {0} END AS {0}";

// Decimals become doubles, since scaling rounds them anyway.
std::string SelectOf(const UsedColumns& columns, const ColumnProfile& label) {
  std::vector<std::string> items;
  for (const auto* group : {&columns.categories, &columns.numbers, &columns.times}) {
    for (const ColumnProfile* each : *group) {
      const std::string name = SqlName(each->name);
      items.push_back(arrow::is_decimal(each->type->id()) ? fmt::format(kAsDouble, name)
                      : IsInfinite(*each)                 ? fmt::format(kFinite, name)
                                                          : name);
    }
  }
  if (columns.split_by_id) items.push_back(SqlName(columns.id->name));
  const std::string name = SqlName(label.name);
  const bool decimal = arrow::is_decimal(label.type->id());
  items.push_back(decimal             ? fmt::format(kAsDouble, name)
                  : IsInfinite(label) ? fmt::format(kFinite, name)
                                      : name);
  return ListOf(items, 7);
}

// Of CSV and Parquet the key is the format; of others the ending says it.
std::string TableLine(const FirstJobSpec& spec) {
  const bool plain = IsPlainName(spec.name), csv = spec.format == Format::kCsv;
  const char* const key = csv ? "csv" : spec.format == Format::kParquet ? "parquet" : "file";
  std::string line = fmt::format("{} = {{ {} = {}", plain ? spec.name : Dump(Json(spec.name)), key,
                                 Dump(Json(spec.file)));
  CsvOptions options = spec.csv;
  // The name says it.
  if (options.delimiter == "\t" && Lower(spec.file).find(".tsv") != std::string::npos) {
    options.delimiter = ",";
  }
  if (!csv) return line + " }\n";
  for (const std::string& each : OptionsSaid(options)) line += ", " + each;
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

// Whether most rows have an equal in what is selected. The split goes by values, so that a handful
// of them would decide it.
bool ManyEqualRows(const TableProfile& table, const UsedColumns& columns,
                   const ColumnProfile& label) {
  double different = double(label.distinct);
  for (const auto* group : {&columns.categories, &columns.numbers, &columns.times}) {
    for (const ColumnProfile* each : *group) {
      different *= double(each->distinct + (each->nulls > 0 ? 1 : 0));
    }
  }
  return different * 2 < double(table.rows);
}

// A date that enough rows share: its days stay on one side of every split, as rows of one day often
// tell of each other.
std::string SplitBy(const TableProfile& table, const UsedColumns& columns) {
  for (const ColumnProfile* each : columns.times) {
    if (each->type->id() != Type::DATE32 || each->nulls > 0) continue;
    if (each->distinct >= 20 && each->distinct * 3 <= table.rows) return Dump(Json(each->name));
  }
  if (columns.split_by_id) return Dump(Json(columns.id->name));
  return {};
}

std::string SplitOf(const std::string& by, bool by_id) {
  const char* const why = by_id ? "many rows are equal but for this" : "whole days stay together";
  return "[split]                               # rows that training never sees\n" +
         (by.empty() ? std::string() : fmt::format("by   = [{}]  # {}\n", by, why)) +
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

bool IsOfClasses(const ColumnProfile& label) {
  const Result<Aim> aim = AimOf(label);
  return aim.ok() && *aim != Aim::kNumber;
}

Result<FirstJob> ProposeJob(const TableProfile& table, const FirstJobSpec& spec) {
  PT_LET(const ColumnProfile* const label, FindLabel(table, spec.label));
  PT_LET(const Aim aim, AimOf(*label));
  UsedColumns columns = Sort(table, *label, spec.tellers);
  // Better to learn from these than from nothing.
  if (!columns.any()) columns = Sort(table, *label, {});
  if (!columns.any()) {
    return Fail({.exit = Exit::kInput,
                 .what = "there is no column to learn \"" + label->name + "\" from",
                 .why = columns.left_out.empty() ? "the table has no other column"
                                                 : columns.left_out.front()});
  }
  const bool equal = ManyEqualRows(table, columns, *label);
  columns.split_by_id = equal && columns.id != nullptr;
  const std::string by = SplitBy(table, columns);
  FirstJob job{.notes = NotesOf(*label, aim, columns)};
  if (equal && columns.id == nullptr) {
    job.notes.push_back(
        "most rows are equal to others: the split keeps equal rows together, so that its test rows "
        "are few; a column that tells rows apart would help");
  }
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
  job.toml += SplitOf(by, columns.split_by_id) + TimeStages(columns) + CategoryStages(columns) +
              NumberStages(columns);
  job.toml += EstimatorOf(table, columns, *label, aim) + TrainOf(table, by);
  job.toml +=
      "[outputs]                             # the test rows with their predictions\n"
      "predictions = { parquet = \"predictions.parquet\" }\n";
  return job;
}

}  // namespace protium
