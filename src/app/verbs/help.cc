// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "app/command.h"
#include "app/reference/pages.h"
#include "app/reference/schema.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "os/file.h"
#include "protium/session.h"

namespace protium {

namespace {

namespace fs = std::filesystem;

Status NoHelp(const std::string& on, const std::vector<std::string>& known) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("there is no help on \"{}\"", on),
               .fix = Suggest(on, known)});
}

// With --json: {"nets": [...]} for a topic, one object for a row.
Status ShowTopic(const Topic& topic, const Arguments& arguments, const Invocation& invocation) {
  const std::string name = arguments.operand(1);
  const bool json = arguments.Has("--json");
  if (name.empty() && !json) return PrintResult(FormatText(topic, invocation.name));
  if (name.empty()) {
    Json rows = Json::array();
    for (const CatalogueRow& row : topic.rows) rows.push_back(RowToJson(row));
    return PrintResult(Dump({{topic.name, rows}}) + "\n");
  }
  PT_LET(const CatalogueRow* row, FindRow(topic.rows, topic.one.c_str(), name, ""));
  return PrintResult(json ? Dump(RowToJson(*row)) + "\n" : FormatText(topic, *row));
}

// Writes the pages of docs/reference and the schema into `folder`.
Status WriteReference(const Catalogue& catalogue, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const Topic& topic : ListTopics(catalogue)) {
    PT_TRY(WriteFile(folder / (topic.name + ".md"), FormatMarkdown(topic)));
  }
  return WriteFile(folder / "job.schema.json", Pretty(JobSchema(catalogue)) + "\n");
}

// Topics of the catalogue come before verbs; none of them shares a name with a verb. A program's
// own rows are listed as well.
Status ShowHelp(const Arguments& arguments, const Invocation& invocation) {
  const auto own = invocation.program == nullptr ? nullptr : invocation.program->catalogue;
  PT_LET(const Catalogue catalogue, WithBuiltIns(own));
  if (arguments.Has("--reference"))
    return WriteReference(catalogue, arguments.Value("--reference"));
  const std::string topic = arguments.operand(0);
  std::vector<std::string> known = {"exit-codes", "schema"};
  for (const Topic& each : ListTopics(catalogue)) {
    if (each.name == topic) return ShowTopic(each, arguments, invocation);
    known.push_back(each.name);
  }
  if (arguments.num_operands() > 1) return NoHelp(arguments.operand(1), {});
  if (topic.empty()) return PrintResult(HelpPage(invocation.name));
  if (topic == "exit-codes") return PrintResult(ExitCodesPage());
  if (topic == "schema") return PrintResult(Pretty(JobSchema(catalogue)) + "\n");
  for (const CommandVerb& verb : AllVerbs()) {
    if (verb.shape.name == topic) return PrintResult(FormatHelp(invocation.name, verb.shape));
    known.push_back(verb.shape.name);
  }
  return NoHelp(topic, known);
}

}  // namespace

CommandVerb HelpVerb() {
  return {
      {.name = "help",
       .operands = {"[TOPIC]", "[NAME]"},
       .flags = {{"--reference", "DIR", "writes the pages of docs/reference there", ""},
                 JsonFlag()},
       .says = "more on a verb, on what a job may name, or on exit-codes",
       .more = "Topics are verbs; stages, nets, losses, metrics, optimizers and schedules, each "
               "with the\nNAME of one for its options; schema, the JSON schema of job files; and "
               "exit-codes.\n\n"
               "  protium help run\n"
               "  protium help stages\n"
               "  protium help nets tabular_mlp\n"},
      ShowHelp};
}

}  // namespace protium
