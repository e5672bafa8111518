// SPDX-License-Identifier: Apache-2.0
// `protium plan`: shows what a run would do, and runs nothing. A job file becomes the same calls as
// for `run`, on the engine that it names; a program is run on an engine that only describes
// (frame/planned_engine.h). Text and --json are made from the same object.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <utility>

#include "app/run/named_run.h"
#include "app/run/requests.h"
#include "app/verb.h"
#include "app/verbs/stream.h"
#include "base/fault.h"
#include "base/text.h"
#include "engine/address.h"
#include "events/events.h"
#include "frame/open.h"
#include "frame/planned_engine.h"
#include "job/forecast.h"
#include "job/frames.h"
#include "job/read_job.h"
#include "job/row_counts.h"
#include "model/average_options.h"
#include "run/shards_text.h"
#include "run/terminal.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"
#include "terminal/values.h"

namespace protium {

namespace {

// Indents each line by two more spaces, and ends with one line break.
std::string Indented(const std::string& text) {
  std::string indented = "  ";
  for (const char c : text) {
    indented.push_back(c);
    if (c == '\n') indented += "  ";
  }
  while (!indented.empty() && (indented.back() == ' ' || indented.back() == '\n'))
    indented.pop_back();
  return indented + "\n";
}

// A terminal breaks lines that are too long at any character; for it, the lines of a tree are cut
// instead. Elsewhere, and with --json, they are whole.
std::string CutForTerminal(const std::string& text) {
  if (isatty(STDOUT_FILENO) == 0) return text;
  const int32_t width = Terminal::Of(STDOUT_FILENO).width;
  std::stringstream lines(text);
  std::string cut;
  for (std::string line; std::getline(lines, line);) cut += CutToWidth(line, width) + "\n";
  return cut;
}

// Text is only wrapped for terminals.
size_t LineWidth() {
  return isatty(STDOUT_FILENO) == 1 ? size_t(Terminal::Of(STDOUT_FILENO).width) : 1000;
}

// "tabular_mlp predicts", "300 rounds of trees with 31 leaves predict", or "an average of 2
// predicts".
std::string LearnerOf(const Json& estimator) {
  if (estimator.contains("of"))
    return fmt::format("an average of {} predicts", estimator["of"].size());
  if (!estimator.contains("trees")) return estimator["net"].value("name", "") + " predicts";
  const Json& trees = estimator["trees"];
  return fmt::format("{} rounds of trees with {} leaves predict", Shown(trees["rounds"]),
                     Shown(trees["leaves"]));
}

// Adds the estimators, which are not Stages and so not in "stages", but readers of a plan look for
// them in the list.
void AddEstimators(const Json& pipeline, std::vector<std::vector<std::string>>& rows) {
  for (const Json& stage : pipeline) {
    const std::string kind = stage.value("kind", "");
    if (!kind.ends_with("estimator") && kind != kAverageEstimator) continue;
    const Json labels = stage.value("labels", Json::array());
    const std::string label = labels.empty() ? stage.value("label", "") : Shown(labels);
    const std::string loss = stage["loss"].value("name", "");
    const char* const how = loss.ends_with("cross_entropy")                ? ", as classes"
                            : stage.value("label_scale", "") == "standard" ? ", standardized"
                                                                           : ", not scaled";
    rows.push_back({"  " + stage.value("id", kind), kind,
                    fmt::format("{} {}{}", LearnerOf(stage), label, how)});
  }
}

std::string StagesText(const Json& stages, const Json& pipeline) {
  std::vector<std::vector<std::string>> rows = {{"  stage", "kind", "inputs"}};
  for (const Json& stage : stages) {
    const size_t inputs = stage["inputs"].size();
    std::string names = Shown(stage["inputs"]);
    // Length in bytes that leaves room for the other columns on a terminal; cut between names.
    if (names.size() > 60) names = names.substr(0, names.find(", ", 40)) + ", ...";
    rows.push_back({"  " + stage.value("id", ""), stage.value("kind", ""),
                    fmt::format("{} ({})", names, inputs)});
  }
  AddEstimators(pipeline, rows);
  return FittedTable(std::move(rows));
}

// Whether a step takes time by the ids that it reads, or by all that there are; empty without
// tables.
std::string TablesText(const Json& training) {
  const std::string tables = TextAt(training, "tables"), optimizer = TextAt(training, "optimizer");
  if (tables.empty()) return {};
  if (tables == "rows") {
    return fmt::format(
        "embeddings of columns with over 128 categories: {} updates only the rows that a step "
        "reads",
        optimizer);
  }
  return fmt::format(
      "embeddings of columns with over 128 categories: {} updates all their rows in each step; "
      "sgd without momentum, adagrad (both without weight_decay), rowwise_adagrad and lazy_adam "
      "update only the rows that the step reads",
      optimizer);
}

// Shows the placement of one gang: a line for each rank, and the reason, if any.
std::string GangText(const Json& gang) {
  std::vector<std::vector<std::string>> rows = {{"  rank", "host", "cores", "gpus"}};
  for (const Json& rank : gang.value("ranks", Json::array())) {
    const char* const role = rank.value("server", false) ? " (server)" : "";
    rows.push_back({"  " + Shown(rank.value("rank", Json())) + role,
                    Shown(rank.value("host", Json())), Shown(rank.value("cores", Json())),
                    Shown(rank.value("gpus", Json()))});
  }
  const std::string note = gang.value("note", "");
  std::string text = TextTable(rows, {false, false, true, false});
  if (!note.empty()) text += "  " + note + "\n";
  return text;
}

// "5 folds by plane, 2 times", "5 folds in the order of day, ..."; empty without folds.
std::string FoldsText(const Json& folds) {
  if (!folds.is_object()) return {};
  std::string text = fmt::format("{} folds", Shown(folds["k"]));
  const std::string time = TextAt(folds, "by_time");
  if (!time.empty()) {
    const int64_t gap = WholeAt(folds, "gap");
    return text + " in the order of " + time + ", each predicted from the rows before it" +
           (gap > 0 ? fmt::format(" but the last {}", Counted(gap, "time")) : "");
  }
  text += folds["by"].empty() ? " by all columns" : " by " + Shown(folds["by"]);
  if (folds["held_out"] != 0)
    text += fmt::format(", {} of them held out", Shown(folds["held_out"]));
  if (folds["repeats"] != 1) text += fmt::format(", {} times", Shown(folds["repeats"]));
  return text;
}

// "  unpromising trials end early (asha): compared at epochs or rounds 3, 9, ..."
std::string PruningText(const Json& prune) {
  const int64_t grace = WholeAt(prune, "grace");
  const std::string kind = TextAt(prune, "kind");
  if (kind == "wilcoxon") {
    return fmt::format("  unpromising trials end early ({}): compared with the best by folds\n",
                       kind);
  }
  const std::string at =
      prune.contains("reduction")
          ? fmt::format("{}, {}, ...", grace, grace * WholeAt(prune, "reduction"))
          : fmt::format("{} and all later ones", grace);
  const int64_t brackets = WholeAt(prune, "brackets");
  return fmt::format("  unpromising trials end early ({}{}): compared at epochs or rounds {}\n",
                     kind, brackets > 1 ? fmt::format(" in {} brackets", brackets) : "", at);
}

// "auc and latency_us"
std::string MetricsText(const Json& search) {
  if (!search.contains("objectives")) return TextAt(search, "metric");
  const auto names = search["objectives"].get<std::vector<std::string>>();
  return fmt::format("{}", fmt::join(names, " and "));
}

// What a trial must be to be the best, and what may end the search before its last trial.
std::string LimitsText(const Json& search) {
  std::string text;
  if (search.contains("objectives")) {
    text +=
        search["choose"] == "knee"
            ? "  the best is the trial on the front that is nearest to the best of each metric\n"
            : fmt::format("  the best is the trial on the front that is the best by {}\n",
                          TextAt(search, "metric"));
  }
  if (search.contains("require")) {
    const auto all = search["require"].get<std::vector<std::string>>();
    text += fmt::format("  required of the best: {}\n", fmt::join(all, ", "));
  }
  if (search.contains("target")) {
    text += fmt::format("  ends with the first trial, by number, that reaches {}\n",
                        Shown(search["target"]));
  }
  if (search.contains("patience")) {
    const std::string nothing =
        search.contains("least")
            ? fmt::format("less than {}{}", Shown(search["least"]),
                          search.contains("objectives") ? " of the hypervolume" : "")
            : "nothing";
    text += fmt::format("  ends after {} trials in a row, by number, that improve {}\n",
                        WholeAt(search, "patience"), nothing);
  }
  if (search.contains("seconds")) {
    text += fmt::format("  no trial starts after {} s: how many there are depends on the clock\n",
                        Shown(search["seconds"]));
  }
  if (search.contains("timed")) {
    const auto timed = search["timed"].get<std::vector<std::string>>();
    const char* const beside =
        WholeAt(search, "parallel") > 1
            ? "; parallel = 1 keeps other gangs from disturbing what is measured"
            : "";
    text += fmt::format("  by the clock: {}; another run may choose another trial{}\n",
                        fmt::join(timed, " and "), beside);
  }
  return text;
}

std::string PopulationText(const Json& population) {
  const int64_t every = WholeAt(population, "every");
  return fmt::format(
      "  {} generations of {} nets, {} epoch{} each; after each the worst quarter continues from "
      "the "
      "best, with other options\n",
      WholeAt(population, "generations"), WholeAt(population, "members"), every,
      every == 1 ? "" : "s");
}

// Says how many trials a search makes, how they are measured, and lists the first of them.
std::string SearchText(const Json& search) {
  const int64_t trials = search["trials"].get<int64_t>();
  const int64_t fits = search["fits"].get<int64_t>();
  const std::string folds = FoldsText(search["folds"]);
  std::string text = fmt::format(
      "  {} {} by {} on {}: {} fit{}, {} at a time; the best is fitted again on all rows\n", trials,
      trials == 1 ? "trial" : search["method"].get<std::string>() + " trials", MetricsText(search),
      folds.empty() ? "validation rows" : folds, fits, fits == 1 ? "" : "s",
      Shown(search["parallel"]));
  if (search.contains("prune")) text += PruningText(search["prune"]);
  if (search.contains("population")) text += PopulationText(search["population"]);
  text += LimitsText(search);
  std::vector<std::vector<std::string>> rows = {{"  trial"}};
  for (const auto& [path, values] : search["space"].items()) rows[0].push_back(path);
  if (rows[0].size() == 1) return text;
  for (const Json& values : search["first"]) {
    rows.push_back({"  " + std::to_string(rows.size())});
    for (const auto& [path, value] : values.items()) {
      rows.back().push_back(value.is_structured() ? Dump(value) : Shown(value));
    }
  }
  text += TextTable(rows);
  const auto more = trials - int64_t(search["first"].size());
  return more > 0 ? text + fmt::format("  ... and {} more\n", more) : text;
}

// "2.5 h ago"
std::string AgeText(int64_t made) {
  const double seconds = std::max(0.0, double(std::time(nullptr) - made));
  if (seconds < 120) return fmt::format("{:.0f} s ago", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min ago", seconds / 60);
  if (seconds < 172800) return fmt::format("{:.0f} h ago", seconds / 3600);
  return fmt::format("{:.0f} days ago", seconds / 86400);
}

// For each kept table, and what was made of it: from which run it would be taken, or why it would
// not be.
std::string KeptText(const Json& kept) {
  std::string text;
  for (const Json& each : kept) {
    std::string line = "  " + TextAt(each, "name") + "  ";
    if (each.contains("from")) {
      line += "reused from " + TextAt(each, "from");
      if (each.value("shared", false)) line += ", from the shared store";
      if (each.contains("rows")) line += ", " + Grouped(WholeAt(each, "rows")) + " rows";
      line += ", " + AgeText(WholeAt(each, "made"));
    } else if (each.contains("not")) {
      line += "computed in every run: " + TextAt(each, "not");
    } else {
      line += "computed, and kept for later runs";
    }
    text += FittedLines(line + "\n");
  }
  return text;
}

// Formats the plan as text: tree, the engine's SQL if requested, what is not exact, stages, gang.
// `plan` is the result of Describe(), with the parts of the event "pipeline" if there is one.
std::string PlanText(const std::string& name, const Json& plan, bool with_sql) {
  std::string text = fmt::format("plan of {} on {}\n{}", name, plan.value("engine", ""),
                                 CutForTerminal(Indented(plan.value("tree", ""))));
  if (with_sql) text += "\nsql\n" + Indented(plan.value("sql", ""));
  if (plan.contains("tables"))
    text += "\ntables\n" + RowCountsText(plan["tables"], plan.value("reads", Json::object()));
  if (plan.contains("warnings")) {
    text += "\nwarnings\n";
    for (const Json& each : plan["warnings"]) text += FittedLines(Indented(Shown(each)));
  }
  text += "\nmay differ between engines\n";
  if (plan["not_exact"].empty()) text += "  nothing: every engine gives the same rows\n";
  for (const Json& doubt : plan["not_exact"]) text += FittedLines(Indented(Shown(doubt)));
  if (plan.contains("kept") && !plan["kept"].empty()) text += "\nkept\n" + KeptText(plan["kept"]);
  if (plan.contains("stages")) text += "\nstages\n" + StagesText(plan["stages"], plan["pipeline"]);
  if (plan.contains("search")) text += "\nsearch\n" + SearchText(plan["search"]);
  if (plan.contains("training") && !plan["training"].empty()) {
    text += "\ngang\n";
    for (const std::string& each : {ShardsText(plan["training"]), TablesText(plan["training"])}) {
      if (each.empty()) continue;
      for (const std::string& line : Wrapped(each, LineWidth() - 2)) text += "  " + line + "\n";
    }
    for (const Json& gang : plan["placement"]) text += GangText(gang);
  }
  const Json forecast = plan.value("forecast", Json::object());
  if (!forecast.empty()) text += "\nestimated\n" + ForecastText(forecast, LineWidth());
  return text;
}

// Lists the settings that --set changed; all others are in the job file.
std::string OverriddenText(const Json& settings) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& each : settings) {
    const std::string from = each["from"].get<std::string>();
    if (from.starts_with("--set")) {
      rows.push_back({"  " + each["key"].get<std::string>(), Shown(each["value"]), from});
    }
  }
  return rows.empty() ? "" : "\noverridden\n" + TextTable(rows);
}

// Returns the parts of PipelinePlaced; empty for other events. Fit() sends it just before it
// requests its gang, so they belong to the plan that is described next.
Json PipelineIn(const Json& event) {
  Json parts = Json::object();
  if (!Is<PipelinePlaced>(event)) return parts;
  for (const char* part : {"pipeline", "stages", "training"}) parts[part] = event[part];
  if (event.contains("search")) parts["search"] = event["search"];
  return parts;
}

// Plans a program: runs its code on an engine that runs nothing, and shows each table that it would
// write or read, up to the point where it needs rows that only a run can provide.
Status PlanProgram(const Arguments& arguments, const Invocation& invocation) {
  PT_LET(const Json sets, SettingsFrom(arguments.Values("--set")));
  RunRequest request = RequestForProgram(invocation, sets, std::filesystem::current_path(),
                                         arguments.Value("--engine", "local"));
  Json acts = Json::array();
  // Outputs are checked as a run would check them.
  request.session.force = arguments.Has("--force");
  // The contents of the latest event "pipeline", until an act uses it.
  Json pipeline = Json::object();
  request.session.call.events = [&](const Json& event) { pipeline.update(PipelineIn(event)); };
  PT_LET(std::unique_ptr<Engine> engine, OpenEngine(request.session));
  auto planned = std::make_unique<PlannedEngine>(std::move(engine), [&](Json act) {
    act.update(std::exchange(pipeline, Json::object()));
    acts.push_back(std::move(act));
  });
  const PlannedEngine& seen = *planned;
  PT_LET(const std::unique_ptr<Session> session, OpenSession(request.session, std::move(planned)));
  const Status status = request.run(*session);
  // A program that got no rows although it expected some may well fail; its plan is not at fault.
  const bool whole = status.ok() && !seen.owes_rows();
  if (!status.ok() && !seen.owes_rows()) return status;
  const Json settings = JsonWithoutSecrets(request.description["settings"]);
  // "whole" says whether the plan covers all of the program.
  if (arguments.Has("--json")) {
    const Json line = {
        {"program", request.name}, {"settings", settings}, {"acts", acts}, {"whole", whole}};
    return PrintResult(Dump(line) + "\n");
  }
  std::string text;
  for (const Json& act : acts) text += PlanText(request.name, act, arguments.Has("--sql")) + "\n";
  text += acts.empty() ? "no table is written or read\n" : "";
  text +=
      whole ? "nothing was run\n" : "nothing was run; the next steps need the result of these\n";
  return PrintResult(text + OverriddenText(settings));
}

Status ShowPlan(const Arguments& arguments, const Invocation& invocation) {
  if (invocation.program != nullptr) return PlanProgram(arguments, invocation);
  std::vector<std::string> sets = arguments.Values("--set");
  // As a setting it has a place for messages; added last, it wins.
  if (arguments.Has("--engine")) sets.push_back("engine.address=" + arguments.Value("--engine"));
  PT_LET(Job job, ReadJob(arguments.operand(0), sets));
  if (job.file.stream) return ShowStreamPlan(arguments, std::move(job));
  PT_LET(RunRequest request, RequestForJob(job, invocation));
  request.session.force = arguments.Has("--force");
  Json warnings = Json::array();
  request.session.call.events = [&](const Json& event) {
    if (Is<Warning>(event)) warnings.push_back(event["message"]);
  };
  PT_LET(const std::unique_ptr<Session> session, OpenSession(request.session));
  PT_LET(const JobFrames frames, OpenJob(*session, job));
  PT_LET(Json plan, PlanJob(*session, job, frames));
  if (auto kept = KeptForJob(*session, job, frames, plan); kept.ok()) plan["kept"] = *kept;
  plan["tables"] = CountRows(*session);
  if (!warnings.empty()) plan["warnings"] = warnings;
  const Json settings = JsonWithoutSecrets(ListSettings(job, plan.value("pipeline", Json())));
  plan["forecast"] = Forecast(KnownRuns(arguments).string(), job.file.name, settings, plan);
  if (!arguments.Has("--json")) {
    return PrintResult(PlanText(job.file.name, plan, arguments.Has("--sql")) +
                       OverriddenText(settings) +
                       "\nnothing was run; --sql shows the engine's SQL, --json every setting\n");
  }
  // They are for `protium cache why` alone.
  for (Json& each : plan["kept"]) each.erase("causes");
  Json whole = {{"job", job.file.name}, {"settings", settings}};
  for (const auto& [key, value] : plan.items()) whole[key] = value;
  return PrintResult(Dump(whole) + "\n");
}

}  // namespace

CommandVerb PlanVerb() {
  return {{.name = "plan",
           .operands = {"JOB"},
           .flags = {SetFlag(),
                     EngineFlag(),
                     {"--sql", "", "also shows the SQL that the engine runs", ""},
                     ForceFlag(),
                     JsonFlag(),
                     RunsDirFlag()},
           .says = "shows what a job would do, without running it",
           .more = "Shows the plan, which of its steps may differ between engines, the gang and "
                   "where its workers run,\n"
                   "and an estimate of time and memory: from the latest finished run of the job, "
                   "or else from the\n"
                   "sizes of its tables. --sql adds the SQL as the engine sees it; --json adds "
                   "every setting in\n"
                   "effect and where it was set.\n"},
          ShowPlan};
}

}  // namespace protium
