// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json.h"
#include "inspect/sql_names.h"
#include "job/csv_flags.h"
#include "run/terminal.h"
#include "sources/object_store.h"
#include "sources/server_url.h"

namespace protium {
namespace {

using Stages = std::vector<const char*>;

// A list of columns, and of the outputs of earlier stages: "inputs = [...]".
std::string ColumnsLine(const std::string& key, const std::vector<const ColumnProfile*>& columns,
                        const Stages& stages) {
  std::vector<std::string> items;
  for (const ColumnProfile* each : columns) items.push_back(Dump(Json(each->name)));
  for (const char* each : stages) items.push_back(fmt::format("{{ stage = \"{}\" }}", each));
  return key + " = [" + ListOf(items, key.size() + 4) + "]\n";
}

std::string InputsOf(const std::vector<const ColumnProfile*>& columns, const Stages& stages = {}) {
  return ColumnsLine("inputs", columns, stages);
}

// The stages of earlier values of the label, which are missing at the beginning of a series.
Stages EarlierStages(const JobOutline& outline) {
  if (!outline.looks_back()) return {};
  return outline.spec.series.season > 1 ? Stages{"ago", "season", "seasons"}
                                        : Stages{"ago", "seasons"};
}

// What grows steadily is known by the days since the first row.
std::string TrendStage(const JobOutline& outline) {
  if (!outline.has_trend()) return {};
  const FirstSeries& series = outline.spec.series;
  return fmt::format(
      "[[pipeline]]                          # days since the first row\nkind   = "
      "\"sql_transformer\"\nid     = \"{0}\"\ninputs = [{1}]\nstatement = \"\"\"SELECT *, "
      "datediff({2}, DATE '{3}') AS {0} FROM __THIS__\"\"\"\n\n",
      kTrendColumn, Dump(Json(series.time)), SqlName(series.time), series.first.substr(0, 10));
}

std::string WindowText(const JobOutline& outline, const char* id, int64_t rows, const char* of) {
  const FirstSeries& series = outline.spec.series;
  const std::string by =
      series.by.empty() ? "" : fmt::format("by     = [{}]\n", Dump(Json(series.by)));
  return fmt::format(
      "[[pipeline]]\nkind   = \"rolling\"\nid     = \"{}\"\ninputs = [{}]\n{}time   = {}\n"
      "rows   = {:<28} # {}\nlag    = {}\nof     = {}\n\n",
      id, Dump(Json(outline.label.name)), by, Dump(Json(series.time)), rows,
      "of the series, up to `lag` rows earlier", series.horizon, of);
}

std::string SeriesStages(const JobOutline& outline) {
  if (!outline.looks_back()) return {};
  const FirstSeries& series = outline.spec.series;
  const std::string by =
      series.by.empty() ? "" : fmt::format("by     = [{}]\n", Dump(Json(series.by)));
  std::string text = fmt::format(
      "[[pipeline]]                          # earlier values; rows to score may lack the column\n"
      "kind   = \"lag\"\nid     = \"ago\"\ninputs = [{}]\n{}time   = {}\nlags   = [{}]\n\n",
      Dump(Json(outline.label.name)), by, Dump(Json(series.time)), fmt::join(series.Lags(), ", "));
  if (series.season > 1)
    text += WindowText(outline, "season", series.season, "[\"mean\", \"std\"]");
  const int64_t longer = 4 * std::max(series.season, int64_t{3});
  return text + WindowText(outline, "seasons", longer, "[\"mean\"]");
}

// A name as a key of TOML.
std::string KeyOf(const std::string& name) { return IsPlainName(name) ? name : Dump(Json(name)); }

// What a connection is called in the job: as its database.
std::string ConnectionOf(const Source& source) {
  const Result<ServerUrl> url = ReadServerUrl(source.connection.url);
  return url.ok() ? url->database : "server";
}

std::string SourceLine(const LookedTable& table) {
  const Source& source = *table.place.at.source;
  const std::string at = IsObjectPlace(source.file)   ? source.file
                         : table.place.at.elsewhere() ? ConnectionOf(source)
                                                      : FileOf(table);
  // The ending of JSON lines says what they are.
  const std::string kind =
      source.kind == SourceKind::kJsonLines ? "file" : FieldsToJson(source.kind).get<std::string>();
  std::string line = fmt::format("{} = {{ {} = {}", KeyOf(table.place.name), kind, Dump(Json(at)));
  if (source.kind == SourceKind::kCsv) {
    for (const std::string& each : OptionsSaid(OptionsOf(table))) line += ", " + each;
  }
  const char* const key = source.kind == SourceKind::kExcel ? "sheet" : "table";
  if (!source.table.empty()) line += fmt::format(", {} = {}", key, Dump(Json(source.table)));
  if (source.version) line += fmt::format(", version = {}", *source.version);
  return line + " }\n";
}

std::string ConnectionText(const LookedTable& table) {
  if (!table.place.at.elsewhere()) return {};
  const Source& source = *table.place.at.source;
  if (IsObjectPlace(source.file)) return {};
  const PasswordPlace& password = source.connection.password;
  std::string text = fmt::format("\n[connections.{}]\nurl = {}\n", KeyOf(ConnectionOf(source)),
                                 Dump(Json(source.connection.url)));
  if (!password.env.empty()) {
    text += fmt::format("password = {{ env = {} }}\n", Dump(Json(password.env)));
  } else if (!password.file.empty()) {
    text += fmt::format("password = {{ file = {} }}\n", Dump(Json(password.file)));
  }
  return text;
}

// For CSV and Parquet the key is the format; for other formats the ending gives it.
std::string TableLine(const LookedTable& table) {
  if (table.place.at.source) return SourceLine(table);
  const std::string& name = table.place.name;
  const Format format = FormatOfPlace(table.place.at.path);
  const bool csv = format == Format::kCsv;
  const char* const key = csv ? "csv" : format == Format::kParquet ? "parquet" : "file";
  std::string line = fmt::format("{} = {{ {} = {}", KeyOf(name), key, Dump(Json(FileOf(table))));
  if (!csv) return line + " }\n";
  for (const std::string& each : OptionsSaid(OptionsOf(table))) line += ", " + each;
  return line + " }\n";
}

std::string TimeStages(const JobOutline& outline) {
  if (outline.columns.times.empty()) return {};
  std::vector<std::string> parts;
  for (const std::string& each : outline.parts) {
    // Years to come, and days of the year, have no weights that were learned.
    const bool long_ago = each == "year" || each == "day_of_year";
    if (!outline.linear_series() || !long_ago) parts.push_back(Dump(Json(each)));
  }
  return fmt::format(
      "[[pipeline]]                          # recurring parts of dates and times\n"
      "kind   = \"datetime_parts\"\nid     = \"when\"\n{}parts  = [{}]\n\n",
      InputsOf(outline.columns.times), fmt::join(parts, ", "));
}

// Trees read the parts of times as numbers.
std::string CategoryStages(const JobOutline& outline) {
  const UsedColumns& columns = outline.columns;
  const bool times = !columns.times.empty() && !outline.grows_trees();
  if (columns.categories.empty() && !times) return {};
  return "[[pipeline]]                          # texts become indices; unseen texts share one\n"
         "kind   = \"string_indexer\"\nid     = \"index\"\n" +
         InputsOf(columns.categories, times ? Stages{"when"} : Stages{}) +
         (outline.has_rare_values()
              ? fmt::format("min_count = {}                         # rarer texts count as new\n",
                            kRareBelow)
              : "") +
         "\n";
}

// Behind the training rows, each of which gets a mean without its own label.
std::string ManyValueStages(const JobOutline& outline) {
  if (outline.columns.coded.empty()) return {};
  const std::string inputs = InputsOf(outline.columns.coded);
  if (!outline.has_mean_label()) {
    return "[[pipeline]]                          # texts with many values: how often each occurs\n"
           "kind   = \"frequency_encoder\"\nid     = \"often\"\n" +
           inputs + "\n";
  }
  return "[[pipeline]]                          # texts with many values: the mean label of each\n"
         "kind   = \"target_encoder\"\nid     = \"often\"\n" +
         inputs + "label  = " + Dump(Json(outline.label.name)) + "\n\n";
}

std::string TextStages(const JobOutline& outline) {
  if (outline.columns.texts.empty()) return {};
  return "[[pipeline]]                          # texts are split into words,\n"
         "kind   = \"tokenizer\"\nid     = \"words\"\n" +
         InputsOf(outline.columns.texts) +
         "\n[[pipeline]]                          # and the frequent words are counted\n"
         "kind   = \"count_vectorizer\"\nid     = \"counts\"\ninputs = [{ stage = \"words\" }]\n"
         "vocab_size = 100\n\n"
         "[[pipeline]]\nkind   = \"vector_columns\"\nid     = \"word\"\n"
         "inputs = [{ stage = \"counts\" }]\n\n";
}

// Trees read numbers as they are, NULL too.
std::string NumberStages(const JobOutline& outline) {
  const Stages earlier = EarlierStages(outline);
  const bool coded = !outline.columns.coded.empty();
  const bool any =
      !outline.columns.numbers.empty() || !earlier.empty() || outline.has_trend() || coded;
  if (!any || outline.grows_trees()) return {};
  const auto missing = outline.Numbers(true);
  const bool fills = !missing.empty() || !earlier.empty();
  Stages scaled = fills ? Stages{"fill"} : Stages{};
  if (outline.has_trend()) scaled.push_back(kTrendColumn);
  if (coded) scaled.push_back("often");
  std::string text;
  if (fills) {
    text +=
        "[[pipeline]]                          # missing numbers become the median\n"
        "kind   = \"imputer\"\nid     = \"fill\"\n" +
        InputsOf(missing, earlier) + "with   = \"median\"\n\n";
  }
  text += outline.wide() || outline.linear_series()
              ? "[[pipeline]]                          # mean 0, standard deviation 1\n"
                "kind   = \"standard_scaler\"\n"
              : "[[pipeline]]                          # to a roughly normal distribution\n"
                "kind   = \"quantile_scaler\"\n";
  return text + "id     = \"scale\"\n" + InputsOf(outline.Numbers(false), scaled) + "\n";
}

// Weights make predictions of rare classes more frequent and probabilities too high for them: only
// people know which of the two is wanted.
std::string LossOf(const JobOutline& outline) {
  if (outline.aim == Aim::kNumber && outline.grows_trees()) {
    return "loss   = \"mse\"                        # for amounts; huber is robust to outliers\n";
  }
  if (outline.linear_series()) {
    return "loss   = \"mae\"                        # for amounts; robust to unusual days\n";
  }
  if (outline.aim == Aim::kNumber) {
    return "loss   = { name = \"huber\", delta = 1.0 }   # for amounts; robust to outliers\n";
  }
  const bool two = outline.aim == Aim::kTwoClasses;
  const char* const name = two ? "binary_cross_entropy" : "cross_entropy";
  std::string text = fmt::format("{:<38}# for {}classes\n", fmt::format("loss   = \"{}\"", name),
                                 two ? "two " : "");
  if (outline.rare.empty()) return text;
  return text + fmt::format(
                    "# {}; to weigh all classes equally:\n"
                    "# loss = {{ name = \"{}\", class_weights = \"balanced\" }}\n",
                    CutToWidth(outline.rare, 60), name);
}

std::string ValidationOf(const JobOutline& outline) {
  const std::string by = outline.Together(), time = outline.InTime();
  const double share = outline.grows_trees() ? outline.validation : outline.net_validation;
  return fmt::format("{{ share = {}{}{} }}", share,
                     by.empty() ? "" : ", by = [" + Dump(Json(by)) + "]",
                     time.empty() ? "" : ", by_time = " + Dump(Json(time)));
}

// The forecast that a model of a series has to beat.
std::string BaselineOf(const JobOutline& outline) {
  if (!outline.looks_back()) return {};
  const FirstSeries& series = outline.spec.series;
  return fmt::format("baseline       = {:<21} # the value {} before\n",
                     Dump(Json(fmt::format("{}__ago__{}", outline.label.name, series.NaiveLag()))),
                     series.Steps(series.NaiveLag()));
}

std::string TrainOfTrees(const JobOutline& outline) {
  return fmt::format(
      "[train]\n"
      "validation     = {:<21} # held-out rows that choose the number of rounds\n"
      "early_stopping = {:<21} # rounds without improvement before it stops\n"
      "{}seed           = 1\n\n",
      ValidationOf(outline), fmt::format("{{ patience = {} }}", outline.trees.patience),
      BaselineOf(outline));
}

std::string TrainOfNet(const JobOutline& outline) {
  return fmt::format(
      "[train]\n"
      "epochs         = {:<21} # passes over the rows, at most\n"
      "batch_size     = {:<21} # rows per step\n"
      "validation     = {:<21} # held-out rows that choose the best epoch\n"
      "early_stopping = {:<21} # epochs without improvement before it stops\n"
      "optimizer      = {{ name = \"adamw\", learning_rate = {} }}\n"
      "schedule       = \"cosine\"              # down to 0 in the last epoch\n"
      "{}seed           = 1\n\n",
      outline.epochs, outline.batch, ValidationOf(outline),
      fmt::format("{{ patience = {} }}", outline.patience), outline.wide() ? "1e-3" : "3e-3",
      BaselineOf(outline));
}

const char* WhyTogether(HeldOut how) {
  if (how == HeldOut::kDays) return "whole days stay together";
  return how == HeldOut::kEntities ? "rows about the same thing stay together"
                                   : "many rows differ only in this";
}

std::string SplitText(const JobOutline& outline) {
  const FirstSplit& split = outline.split;
  std::string text = "[split]                               # rows that training never sees\n";
  if (split.how == HeldOut::kLatest) {
    return text + fmt::format("by_time = {:<27} # the latest rows\ntest = 0.2\n\n",
                              Dump(Json(split.column->name)));
  }
  if (split.column != nullptr) {
    text +=
        fmt::format("by   = [{}]  # {}\n", Dump(Json(split.column->name)), WhyTogether(split.how));
  }
  return text + "test = 0.2\n\n";
}

std::string TreesOf(const JobOutline& outline) {
  const UsedColumns& columns = outline.columns;
  const FirstTrees& trees = outline.trees;
  Stages stages = EarlierStages(outline);
  if (outline.has_trend()) stages.push_back(kTrendColumn);
  if (!columns.times.empty()) stages.push_back("when");
  if (!columns.coded.empty()) stages.push_back("often");
  if (!columns.texts.empty()) stages.push_back("word");
  std::string text =
      "[[pipeline]]                          # takes numbers as they are, missing ones included\n"
      "kind   = \"tree_estimator\"\n";
  text += fmt::format("trees  = {{ rounds = {}, learning_rate = {}, leaves = {} }}\n", trees.rounds,
                      trees.learning_rate, trees.leaves);
  if (!columns.categories.empty()) text += "categorical = [{ stage = \"index\" }]\n";
  if (!columns.numbers.empty() || !stages.empty()) {
    text += ColumnsLine("numeric", columns.numbers, stages);
  }
  return text;
}

std::string NetOf(const JobOutline& outline) {
  const UsedColumns& columns = outline.columns;
  std::string text = "[[pipeline]]\nkind   = \"torch_estimator\"\n";
  text += outline.estimator == FirstEstimator::kLinear ? "net    = { name = \"linear\" }\n"
          : outline.wide()
              ? "net    = { name = \"tabular_mlp\", hidden = [64, 32] }\n"
              : "net    = { name = \"tabm\", hidden = [64, 64] }   # 16 nets that share weights\n";
  if (!columns.categories.empty() || !columns.times.empty()) {
    text += "categorical = [{ stage = \"index\" }]\n";
  }
  Stages numeric;
  if (!NumberStages(outline).empty()) numeric.push_back("scale");
  if (!columns.texts.empty()) numeric.push_back("word");
  if (!numeric.empty()) text += ColumnsLine("numeric", {}, numeric);
  return text;
}

std::string ScaleOf(const JobOutline& outline) {
  if (!outline.log_label) return {};
  return "label_scale = \"log1p\"                 # learns ln(1 + label); predictions undo it\n";
}

std::string EstimatorOf(const JobOutline& outline) {
  return (outline.grows_trees() ? TreesOf(outline) : NetOf(outline)) +
         "label  = " + Dump(Json(outline.label.name)) + "\n" + ScaleOf(outline) + LossOf(outline) +
         "\n" + (outline.grows_trees() ? TrainOfTrees(outline) : TrainOfNet(outline));
}

// Runs as it is once the signs before its lines are gone.
std::string SearchText(const JobOutline& outline) {
  std::string text =
      "# To search for better options, uncomment these lines:\n"
      "# [search]\n"
      "# method = \"tpe\"                      # learns from earlier trials which values are good\n"
      "# trials = 20\n"
      "# prune  = \"asha\"                     # stops unpromising trials early\n"
      "# [search.space]\n";
  if (outline.grows_trees()) {
    return text +
           "# \"trees.leaves\"        = { log_int_uniform = [4, 64] }\n"
           "# \"trees.learning_rate\" = { log_uniform = [0.02, 0.3] }\n\n";
  }
  text += "# \"train.optimizer.learning_rate\" = { log_uniform = [3e-4, 3e-2] }\n";
  if (outline.estimator == FirstEstimator::kLinear) return text + "\n";
  return text + "# \"net.hidden\" = [[64, 32], [64, 64], [128, 64]]\n\n";
}

}  // namespace

std::string JobText(const JobOutline& outline) {
  const FirstJobSpec& spec = outline.spec;
  const std::string& table = spec.source.tables.front().place.name;
  std::string text = fmt::format("# Predicts {} from {} ({}). Run it: protium run {}\n",
                                 outline.label.name, table, AimText(outline.aim), spec.file);
  for (const std::string& each : WhyLines(outline)) text += CutToWidth("# " + each, 100) + "\n";
  for (const std::string& each : outline.columns.left_out) {
    text += CutToWidth("# Left out: " + each, 100) + "\n";
  }
  text += fmt::format("name = {}\n", Dump(Json(spec.name)));
  if (!spec.data.empty()) {
    text += fmt::format("data = {:<30} # folder of the tables, relative to this file\n",
                        Dump(Json(spec.data)));
  }
  if (!outline.compared.empty()) {
    text += fmt::format("run.compared = {}\n", Dump(Json(outline.compared)));
  }
  text += "\n[tables]\n";
  for (const LookedTable& each : spec.source.tables) text += TableLine(each);
  // Init takes one table of a server.
  text += ConnectionText(spec.source.tables.front());
  text += "\n[etl]                                 # any SELECT over the tables\nsql = \"\"\"\n" +
          outline.sql + "\n\"\"\"\n\n";
  text += SplitText(outline) + SeriesStages(outline) + TrendStage(outline) + TimeStages(outline) +
          CategoryStages(outline) + ManyValueStages(outline) + TextStages(outline) +
          NumberStages(outline) + EstimatorOf(outline) + SearchText(outline);
  return text +
         "[outputs]                             # the test rows with their predictions\n"
         "predictions = { parquet = \"predictions.parquet\" }\n";
}

}  // namespace protium
