// SPDX-License-Identifier: Apache-2.0
#include "app/report/sections.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "app/report/chart.h"
#include "app/run/run_report.h"
#include "base/fault.h"
#include "run/terminal.h"

namespace protium {

namespace {

// A table row of cells, which are escaped here; those from `numbers_from` on are aligned as
// numbers.
std::string Row(const std::vector<std::string>& cells, const char* kind = "td",
                size_t numbers_from = 99) {
  std::string row = "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) {
    row += fmt::format("<{}{}>{}</{}>", kind, i >= numbers_from ? " class=\"num\"" : "",
                       Escaped(cells[i]), kind);
  }
  return row + "</tr>\n";
}

// A list of flat objects as a table, with the keys of the first one as its heading.
std::string FormatTable(const Json& list) {
  if (!list.is_array() || list.empty() || !list[0].is_object()) return {};
  std::vector<std::string> keys;
  for (const auto& [key, value] : list[0].items()) keys.push_back(key);
  std::string table = "<div class=\"scroll\"><table>\n" + Row(keys, "th");
  for (const Json& each : list) {
    std::vector<std::string> cells;
    for (const std::string& key : keys) cells.push_back(Shown(each.value(key, Json())));
    table += Row(cells);
  }
  return table + "</table></div>\n";
}

// Four digits after the point in every row, so that rows can be compared.
std::string ShownMetric(const Json& value) {
  return value.is_number_float() ? fmt::format("{:.4f}", value.get<double>()) : Shown(value);
}

// Adds a tile with a figure and its caption; nothing without a figure.
void Tile(std::string& tiles, const std::string& value, const std::string& says) {
  if (value.empty()) return;
  tiles += fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", Escaped(value),
                       Escaped(says));
}

// "; the baseline has 0.166"; empty if there is none.
std::string Compared(const Json& metrics, const std::string& name) {
  const Json theirs = AtPath(metrics, "baseline." + name);
  if (!theirs.is_number()) return {};
  return fmt::format("; the baseline has {:.3f}", theirs.get<double>());
}

}  // namespace

Json AtPath(const Json& tree, std::string_view path) {
  const Json* node = &tree;
  while (true) {
    const size_t dot = path.find('.');
    const auto found =
        node->is_object() ? node->find(std::string(path.substr(0, dot))) : node->end();
    if (!node->is_object() || found == node->end()) return Json();
    node = &*found;
    if (dot == path.npos) return *node;
    path.remove_prefix(dot + 1);
  }
}

std::string Shown(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.5g}", value.get<double>());
  if (value.is_number_integer()) return Grouped(value.get<int64_t>());
  if (!value.is_array()) return Dump(value);
  std::string list;
  for (const Json& each : value) list += (list.empty() ? "" : ", ") + Shown(each);
  return list;
}

// The fault as the terminal showed it, line breaks included.
std::string FaultSection(const ReportFacts& facts) {
  const Json error = AtPath(facts.result, "error");
  if (!error.is_object() || error.empty()) return {};
  return "<div class=\"fault\"><pre>" + Escaped(Render(FaultOf(StatusFromJson(error)))) +
         "</pre></div>\n";
}

// The figures that a reader looks for first: test metrics beside the baseline, time, rows, steps.
std::string TilesSection(const ReportFacts& facts) {
  const Json metrics = AtPath(facts.result, "metrics");
  std::string tiles;
  Json test = AtPath(metrics, "test");
  if (!test.is_object()) test = Json::object();
  for (const auto& [name, value] : test.items()) {
    // The number of rows stands among the metrics and has a tile of its own.
    if (name == "rows" || !value.is_number()) continue;
    Tile(tiles, fmt::format("{:.3f}", value.get<double>()),
         "test " + name + Compared(metrics, name));
  }
  const Json total = AtPath(facts.result, "seconds.total");
  if (total.is_number()) Tile(tiles, Seconds(total.get<double>()), "in total");
  Tile(tiles, Shown(AtPath(facts.result, "rows")), "training rows");
  Tile(tiles, Shown(AtPath(metrics, "test.rows")), "rows scored with a label");
  Tile(tiles, Shown(AtPath(facts.result, "steps")), "steps");
  return tiles.empty() ? "" : "<div class=\"tiles\">\n" + tiles + "</div>\n";
}

std::string MetricsSection(const ReportFacts& facts) {
  const Json metrics = AtPath(facts.result, "metrics");
  // The columns are the metrics of the test rows, or of the validation rows if none were scored.
  std::vector<std::string> names;
  for (const char* set : {"test", "validation"}) {
    const Json values = AtPath(metrics, set);
    if (!values.is_object() || !names.empty()) continue;
    for (const auto& [name, value] : values.items()) names.push_back(name);
  }
  if (names.empty()) return {};
  std::vector<std::string> head = {""};
  head.insert(head.end(), names.begin(), names.end());
  std::string table = "<h2>Metrics</h2>\n<div class=\"scroll\"><table>\n" + Row(head, "th", 1);
  const Json column = AtPath(facts.result, "baseline_column");
  // What the baseline predicts: numbers by a line in one column, classes by how frequent they are.
  const std::string baseline = column.is_string()
                                   ? "a straight line in " + column.get<std::string>()
                                   : "the shares of the classes";
  for (const auto& [set, label] :
       {std::pair{"test", "the model, on " + ScoredRows(facts.result)},
        std::pair{"baseline", "the baseline, " + baseline + ", on " + ScoredRows(facts.result)},
        std::pair{"validation", "the model, on validation rows" + BestEpoch(facts.result)}}) {
    const Json values = AtPath(metrics, set);
    if (!values.is_object() || values.empty()) continue;
    std::vector<std::string> cells = {label};
    for (const std::string& name : names) cells.push_back(ShownMetric(AtPath(values, name)));
    table += Row(cells, "td", 1);
  }
  return table + "</table></div>\n";
}

// A bar of the phases. What they leave of the total (starting, checking, writing) is "the rest".
std::string TimeSection(const ReportFacts& facts) {
  const Json seconds = AtPath(facts.result, "seconds");
  const Json total = AtPath(seconds, "total");
  if (!total.is_number() || total.get<double>() <= 0) return {};
  std::vector<std::pair<std::string, double>> parts;
  double left = total.get<double>();
  for (const char* name : {"etl", "fit", "train", "score"}) {
    const Json part = AtPath(seconds, name);
    if (!part.is_number()) continue;
    parts.emplace_back(name, part.get<double>());
    left -= part.get<double>();
  }
  // Phases are measured one by one, so their sum may exceed the total by a rounding.
  parts.emplace_back("the rest", std::max(0.0, left));
  std::string bar, legend;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double share = 100 * parts[i].second / total.get<double>();
    bar += fmt::format("<div class=\"key{}\" style=\"width:{:.2f}%\" title=\"{} {}\"></div>", i,
                       share, parts[i].first, Seconds(parts[i].second));
    legend += fmt::format("<span><i class=\"key{}\"></i>{} {}</span>", i, parts[i].first,
                          Seconds(parts[i].second));
  }
  std::string text = "<h2>Time</h2>\n<div class=\"bar\">" + bar + "</div><div class=\"legend\">" +
                     legend + "</div>\n";
  const Json first = AtPath(seconds, "first_step"), wait = AtPath(facts.result, "wait_share");
  text += fmt::format("<p class=\"soft\">{} in all", Seconds(total.get<double>()));
  if (first.is_number())
    text += ", " + Seconds(first.get<double>()) + " to the end of the first step";
  if (wait.is_number())
    text += fmt::format(", {:.1f} % of the training time spent waiting", 100 * wait.get<double>());
  return text + "</p>\n";
}

namespace {

// Shards are never cut: if the workers do not divide them evenly, some workers idle for a part of
// each step, and the text says how much.
std::string ShareText(const Json& training) {
  const int64_t workers = training.value("workers", int64_t{1});
  const int64_t shards = training.value("shards", int64_t{1});
  const int64_t batch = training.value("batch_size", int64_t{0});
  std::string text = fmt::format("{} rows per step = {} shards x {} rows", batch, shards,
                                 batch % shards == 0 ? std::to_string(batch / shards)
                                                     : fmt::format("about {}", batch / shards));
  // Of one worker.
  const int64_t most = (shards + workers - 1) / workers;
  if (workers > shards)
    return text + fmt::format("; {} workers, more than there are shards", workers);
  if (shards % workers == 0) {
    return text + fmt::format("; {} worker{} with {} shard{} each", workers, workers > 1 ? "s" : "",
                              most, most > 1 ? "s" : "");
  }
  // A step takes as long as the worker with the most shards.
  const double idle = 1 - double(shards) / double(most * workers);
  return text + fmt::format("; {} workers with {} or {} shards, {:.0f} % of them idle", workers,
                            most - 1, most, 100 * idle);
}

}  // namespace

std::string ShardsText(const Json& training) {
  const std::string text = ShareText(training);
  if (!training.contains("row_bytes")) return text;
  return text +
         fmt::format("; rows of {} bytes, of which {} fit engine.rows_memory: more go to disk",
                     training["row_bytes"].get<int64_t>(),
                     Grouped(training["rows_in_memory"].get<int64_t>()));
}

// How the rows of a step are shared out, and on which host, cores and GPUs each rank sat.
std::string WorkersSection(const ReportFacts& facts) {
  const Json training = AtPath(facts.job, "plan.training");
  if (!training.is_object() || training.empty()) return {};
  std::string text = "<h2>Workers</h2>\n<p>" + Escaped(ShardsText(training)) + "</p>\n";
  const Json on_disk = AtPath(facts.result, "rows_on_disk_bytes");
  if (on_disk.is_number()) {
    text += fmt::format("<p>{:.1f} MiB of packed rows were read from disk in every epoch.</p>\n",
                        on_disk.get<double>() / (1 << 20));
  }
  const Json gangs = AtPath(facts.job, "plan.placement");
  if (!gangs.is_array()) return text;
  for (const Json& gang : gangs) {
    text += FormatTable(gang.value("ranks", Json::array()));
    const Json note = gang.value("note", Json());
    if (note.is_string()) text += "<p class=\"soft\">" + Escaped(Shown(note)) + "</p>\n";
  }
  return text;
}

// One line a stage; the columns that it makes may be hundreds, so they are counted.
std::string StagesSection(const ReportFacts& facts) {
  const Json stages = AtPath(facts.job, "plan.stages");
  if (!stages.is_array() || stages.empty()) return {};
  std::string table = "<h2>Pipeline</h2>\n<div class=\"scroll\"><table>\n" +
                      Row({"stage", "kind", "from", "columns made"}, "th", 3);
  for (const Json& stage : stages) {
    const Json outputs = stage.value("outputs", Json::array());
    table += Row({stage.value("id", ""), stage.value("kind", ""),
                  Shown(stage.value("inputs", Json())), std::to_string(outputs.size())},
                 "td", 3);
  }
  const Json pipeline = AtPath(facts.job, "job.pipeline");
  const Json last = pipeline.is_array() && !pipeline.empty() ? pipeline.back() : Json();
  if (last.is_object() && last.value("kind", "") == "torch_estimator") {
    table += Row({last.value("id", ""), "torch_estimator: " + Shown(AtPath(last, "net.name")),
                  "label " + Shown(last.value("label", last.value("labels", Json()))), ""},
                 "td", 3);
  }
  return table + "</table></div>\n";
}

std::string SettingsSection(const ReportFacts& facts) {
  const Json settings = AtPath(facts.job, "settings");
  if (!settings.is_array() || settings.empty()) return {};
  std::string table =
      "<h2>Settings</h2>\n<details><summary>every value and where it came from</summary>\n"
      "<div class=\"scroll\"><table>\n" +
      Row({"key", "value", "from"}, "th");
  for (const Json& each : settings) {
    std::string value = Shown(each.value("value", Json()));
    // SQL and other long texts have sections of their own.
    if (value.find('\n') != value.npos) value = fmt::format("({} characters)", value.size());
    // "/long/path/flights.toml:12:3" is no clearer than "flights.toml:12:3".
    std::string from = each.value("from", "");
    if (from.starts_with('/')) from = from.substr(from.rfind('/') + 1);
    std::string row = Row({each.value("key", ""), value, from});
    // After "<tr".
    if (from == "default") row.insert(3, " class=\"soft\"");
    table += row;
  }
  return table + "</table></div></details>\n";
}

std::string SqlSection(const ReportFacts& facts) {
  const Json sql = AtPath(facts.job, "job.etl.sql");
  if (!sql.is_string()) return {};
  std::string text = "<h2>SQL</h2>\n<pre>" + Escaped(sql.get<std::string>()) + "</pre>\n";
  const Json doubts = AtPath(facts.job, "plan.not_exact");
  if (!doubts.is_array() || doubts.empty()) return text;
  text += "<p class=\"soft\">May differ between engines or runs:</p><ul>\n";
  for (const Json& doubt : doubts) text += "<li>" + Escaped(Shown(doubt)) + "</li>\n";
  return text + "</ul>\n";
}

std::string VersionsSection(const ReportFacts& facts) {
  std::string rows;
  const Json sha = AtPath(facts.result, "weights_sha256");
  if (sha.is_string()) rows += Row({"weights, SHA-256", sha.get<std::string>()});
  // Versions of the programs, and the fingerprint of the arithmetic that the weights depend on.
  for (const char* from : {"versions", "fingerprint"}) {
    const Json facts_of =
        AtPath(std::string_view(from) == "versions" ? facts.job : facts.result, from);
    if (!facts_of.is_object()) continue;
    for (const auto& [key, value] : facts_of.items()) rows += Row({key, Shown(value)});
  }
  return rows.empty() ? "" : "<h2>Versions</h2>\n<table>\n" + rows + "</table>\n";
}

}  // namespace protium
