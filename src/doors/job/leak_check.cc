// SPDX-License-Identifier: Apache-2.0
#include "job/leak_check.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "column/stream.h"
#include "job/leak_sample.h"
#include "leaks/leaks.h"
#include "leaks/result_doubts.h"
#include "leaks/shared_groups.h"
#include "leaks/split_text.h"
#include "leaks/twin_rows.h"
#include "pipeline/kept_answer.h"
#include "protium/events.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr size_t kMostFindings = 5;  // Of columns.
constexpr std::string_view kPossibleLeak = "possible target leak:";

bool IsKnown(const Job& job, const std::string& column) {
  return std::ranges::find(job.file.leaks.known, column) != job.file.leaks.known.end();
}

// Where the pipeline names the column: "inputs of the stage \"fill\"".
std::string PlaceOf(const Job& job, const std::string& column) {
  for (const StageOptions& stage : job.pipeline->stages()) {
    const Json options = stage.options.ToJson();
    for (const auto& [key, value] : options.items()) {
      if (!value.is_array() || std::ranges::find(value, Json(column)) == value.end()) continue;
      const std::string id = options.value("id", std::string());
      return fmt::format("{} of {}", key, id.empty() ? stage.kind : "the stage \"" + id + "\"");
    }
  }
  return "the SQL";
}

std::string KnownText(const std::string& column) {
  return fmt::format("[leaks] known = [{}]", Dump(Json(column)));
}

std::string SampleText(const LeakSample& looked) {
  return looked.share < 1 ? fmt::format(" (in a sample of {} rows)", Grouped(looked.Rows())) : "";
}

Result<std::vector<std::string>> ColumnFindings(const Job& job, const AimedLabel& aimed,
                                                const LeakSample& looked) {
  PT_LET(const TableProfile table, ProfileRows(*MakeStream(looked.schema, looked.train), 0));
  PT_LET(Leaks leaks,
         FindLeaks(*MakeStream(looked.schema, looked.train), table, aimed.label, aimed.classes));
  for (const ColumnProfile& each : table.columns) {
    const bool same = each.same_as == aimed.label && each.name != aimed.label;
    if (same) leaks.insert_or_assign(each.name, "equals " + aimed.label + " in every row");
  }
  std::vector<std::string> findings;
  size_t more = 0;
  for (const auto& [column, why] : leaks) {
    const bool read = std::ranges::find(looked.inputs, column) != looked.inputs.end();
    if (!read || IsKnown(job, column)) continue;
    if (findings.size() == kMostFindings) {
      ++more;
      continue;
    }
    findings.push_back(fmt::format(
        "{} {} {}{}; to leave it out, delete it from {}; if it is known when you predict: {}",
        kPossibleLeak, column, why, SampleText(looked), PlaceOf(job, column), KnownText(column)));
  }
  if (more > 0) {
    findings.back() += fmt::format("; {} like this", Counted(int64_t(more), "more column"));
  }
  return findings;
}

// "a", "b", "c" and, of more, how many; as a list of options has them.
struct InputList {
  std::string list;
  std::string rest;
};
InputList FirstInputs(const LeakSample& looked) {
  constexpr size_t kMost = 3;
  const size_t shown = std::min(looked.inputs.size(), kMost);
  std::string list;
  for (size_t i = 0; i < shown; ++i) list += (i > 0 ? ", " : "") + Dump(Json(looked.inputs[i]));
  if (shown == looked.inputs.size()) return {list, "the inputs"};
  return {list + ", ...", fmt::format("all {} inputs", looked.inputs.size())};
}

// What is said of copies of training rows among the rows of another part, "test" or "validation".
Result<std::optional<std::string>> TwinFinding(const AimedLabel& aimed, const LeakSample& looked,
                                               const arrow::RecordBatchVector& part,
                                               const std::string& name, const std::string& option) {
  PT_LET(const TwinRows twins, FindTwins(looked.train, part, looked.inputs, aimed.label));
  if (!twins.telling()) return std::optional<std::string>();
  const InputList inputs = FirstInputs(looked);
  return fmt::format(
      "{}; to keep equal rows together: {} = [{}], {}; if that is meant: [leaks] duplicates = "
      "false",
      TwinText(twins, name, SampleText(looked)), option, inputs.list, inputs.rest);
}

Result<std::vector<std::string>> RowFindings(const Job& job, const AimedLabel& aimed,
                                             const LeakSample& looked) {
  std::vector<std::string> findings;
  if (!job.file.leaks.duplicates || !looked.whole) return findings;
  const auto look = [&](const arrow::RecordBatchVector& part, const std::string& name,
                        const std::string& option) -> Status {
    if (part.empty()) return Status::OK();
    PT_LET(auto found, TwinFinding(aimed, looked, part, name, option));
    if (found) findings.push_back(std::move(*found));
    return Status::OK();
  };
  PT_TRY(look(looked.test, "test", "[split] by"));
  PT_TRY(look(looked.validation, "validation", "train.validation.by"));
  return findings;
}

// Whether the split says itself what it keeps together, or holds out what is later.
bool IsMeant(const JobSplit& split, const std::string& column) {
  return !split.by_time.empty() || std::ranges::find(split.by, column) != split.by.end();
}

Result<std::optional<std::string>> GroupFinding(const Job& job, const JobFrames& frames,
                                                const AimedLabel& aimed, const LeakSample& looked,
                                                const std::string& column) {
  // Of a sample by the inputs, groups have fewer rows than in the table: then they are sampled.
  arrow::RecordBatchVector train = looked.train, test = looked.test;
  if (looked.share < 1) {
    const Columns columns = {column, aimed.label};
    PT_LET(train, ReadSample(frames.train, columns, {{column}, looked.share}));
    PT_LET(test, ReadSample(frames.test, columns, {{column}, looked.share}));
  }
  PT_LET(const SharedGroups groups,
         FindSharedGroups(train, test, column, aimed.label, aimed.classes));
  if (!groups.telling()) return std::nullopt;
  return fmt::format(
      "{}; to keep them together: [split] by = [{}], and in train.validation; if that is meant: {}",
      GroupText(groups, column), Dump(Json(column)), KnownText(column));
}

Result<std::vector<std::string>> GroupFindings(const Job& job, const JobFrames& frames,
                                               const AimedLabel& aimed, const LeakSample& looked) {
  std::vector<std::string> findings;
  for (const auto& field : looked.schema->fields()) {
    const std::string& name = field->name();
    const bool asked = MayNameGroups(name, *field->type()) && name != aimed.label;
    if (!asked || IsKnown(job, name) || IsMeant(*job.file.split, name)) continue;
    PT_LET(const auto found, GroupFinding(job, frames, aimed, looked, name));
    if (found) findings.push_back(*found);
  }
  return findings;
}

// All that a look reads besides the rows of the training side, of which the others are the rest.
Json WhatDecides(const Job& job, int64_t rows) {
  return {{"leaks", FieldsToJson(job.file.leaks)},
          {"split", job.file.split ? FieldsToJson(*job.file.split) : Json()},
          {"pipeline", job.file.pipeline},
          {"rows", rows}};
}

Result<LeakLook> LookOnce(SessionState& state, const Job& job, const JobFrames& frames,
                          int64_t rows) {
  // What a loss of an extension aims at, only its library knows.
  if (!job.file.leaks.look || job.catalogue != nullptr) return LookForLeaks(job, frames, rows);
  const KeptAnswer kept(state, "leaks", frames.train.plan(), WhatDecides(job, rows));
  LeakLook look;
  const auto answer = kept.Find();
  if (answer && FieldsFromJson(*answer, "", look).ok()) return look;
  PT_LET(look, LookForLeaks(job, frames, rows));
  kept.Keep(FieldsToJson(look));
  return look;
}

void Record(SessionState& state, const std::vector<std::string>& findings) {
  for (const std::string& each : findings) state.call().Send(Warning{each});
  Json all = state.record().results().value("leaks", Json::array());
  for (const std::string& each : findings) all.push_back(each);
  if (!all.empty()) state.record().Set("leaks", std::move(all));
}

}  // namespace

Status CheckKnown(const Job& job, const Columns& table) {
  const Columns& known = job.file.leaks.known;
  for (size_t i = 0; i < known.size(); ++i) {
    if (std::ranges::find(table, known[i]) != table.end()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the table has no column \"{}\"", known[i]),
                 .where = fmt::format("leaks.known.{}", i),
                 .fix = Suggest(known[i], table)});
  }
  return Status::OK();
}

Result<LeakLook> LookForLeaks(const Job& job, const JobFrames& frames, int64_t rows) {
  LeakLook look;
  if (!job.file.leaks.look) return look;
  PT_LET(const std::optional<AimedLabel> aimed, FindAimedLabel(job));
  if (!aimed) return look;
  PT_LET(const LeakSample looked, ReadLeakSample(job, frames, *aimed, rows));
  if (looked.schema == nullptr) return look;
  look.rows = looked.Rows();
  PT_LET(look.findings, ColumnFindings(job, *aimed, looked));
  PT_LET(const auto twins, RowFindings(job, *aimed, looked));
  look.findings.insert(look.findings.end(), twins.begin(), twins.end());
  if (!job.file.split || looked.test.empty()) return look;
  PT_LET(const auto groups, GroupFindings(job, frames, *aimed, looked));
  look.findings.insert(look.findings.end(), groups.begin(), groups.end());
  return look;
}

Result<LeakLook> LookAtFirstRows(const Job& job, const JobFrames& frames) {
  const DataFrame rows = frames.etl.Limit(kMostLeakRows).Materialize("rows");
  JobFrames first{.etl = rows, .train = rows, .test = rows};
  if (job.file.split) {
    const Sides sides = rows.Split(job.file.split->Options());
    first.train = sides.train;
    first.test = sides.test;
  }
  return LookForLeaks(job, first, kMostLeakRows);
}

Status WarnOfLeaks(Session& session, const Job& job, const JobFrames& frames, int64_t rows) {
  SessionState& state = StateOf(session);
  if (state.options().resume) return Status::OK();
  const Result<LeakLook> look = LookOnce(state, job, frames, rows);
  if (look.ok()) {
    Record(state, look->findings);
    return Status::OK();
  }
  if (state.call().stop.stop_requested()) return look.status();
  state.call().Send(Note{"target leaks could not be looked for: " + FaultOf(look.status()).what});
  return Status::OK();
}

void WarnOfResults(Session& session, const Job& job) {
  const JobLeaks& leaks = job.file.leaks;
  if (!leaks.look || !leaks.results) return;
  SessionState& state = StateOf(session);
  const Json results = state.record().results();
  Columns known = leaks.known;
  // Once is enough.
  const Json importance = results.value("importance", Json::object());
  for (const Json& finding : results.value("leaks", Json::array())) {
    for (const Json& each : importance.value("columns", Json::array())) {
      const std::string column = each.value("column", ""),
                        input = column.substr(0, column.find("__"));
      const std::string begin = fmt::format("{} {} ", kPossibleLeak, input);
      if (finding.get<std::string>().starts_with(begin)) known.push_back(column);
    }
  }
  Record(state, ResultDoubts(results, known));
}

}  // namespace protium
