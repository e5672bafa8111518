// SPDX-License-Identifier: Apache-2.0
// `protium help`: a verb, what a job may name, the schema of job files, or exit codes. All pages
// about names are generated from the catalogue (the room reference), a program's own rows included,
// so they never disagree with what a job may say.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "app/command.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "os/file.h"
#include "protium/session.h"
#include "reference/keys.h"
#include "reference/man.h"
#include "reference/pages.h"
#include "reference/schema.h"
#include "reference/sql_functions.h"
#include "terminal/printing.h"

namespace protium {

namespace {

namespace fs = std::filesystem;

Status NoHelp(const std::string& on, const std::vector<std::string>& known) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("there is no help for \"{}\"", on),
               .fix = Suggest(on, known)});
}

// Shows the rows of a topic, or the one named by the second operand. With --json: {"nets": [...]},
// or one object.
Status ShowTopic(const Topic& topic, const Arguments& arguments, const Invocation& invocation) {
  const std::string name = arguments.operand(1);
  const bool json = arguments.Has("--json");
  // The program's own name, so that the hint below the rows can be typed as shown.
  if (name.empty() && !json) return PrintResult(FormatText(topic, invocation.name));
  if (name.empty()) {
    Json rows = Json::array();
    for (const CatalogueRow& row : topic.rows) rows.push_back(RowToJson(row));
    return PrintResult(Dump({{topic.name, rows}}) + "\n");
  }
  PT_LET(const CatalogueRow* row, FindRow(topic.rows, topic.one.c_str(), name, ""));
  return PrintResult(json ? Dump(RowToJson(*row)) + "\n" : FormatText(topic, *row));
}

// Writes the pages of docs/reference and the schema of job files into `folder`, replacing existing
// ones. A folder that cannot be made shows in the first write.
Status WriteReference(const Catalogue& catalogue, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const Topic& topic : ListTopics(catalogue)) {
    PT_TRY(WriteFile(folder / (topic.name + ".md"), FormatMarkdown(topic)));
  }
  return WriteFile(folder / "job.schema.json", Pretty(JobSchema(catalogue)) + "\n");
}

// Writes the pages of man(1).
Status WriteManual(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::vector<VerbShape> verbs;
  for (const CommandVerb& verb : AllVerbs()) {
    verbs.push_back(verb.shape);
    PT_TRY(WriteFile(folder / fmt::format("protium-{}.1", verb.shape.name),
                     ManPage(verb.shape, SharedFlags())));
  }
  return WriteFile(folder / "protium.1", ManIndex(verbs, SharedFlags(), ExitCodesPage()));
}

// Shows the keys of job files, or the functions of SQL: all, or those named by the second operand.
Status ShowKeys(const Catalogue& catalogue, const Arguments& arguments,
                const Invocation& invocation) {
  if (arguments.Has("--json")) {
    PT_LET(const Json keys, KeysAsJson(catalogue, arguments.operand(1)));
    return PrintResult(Dump({{"keys", keys}}) + "\n");
  }
  PT_LET(const std::string text, KeysText(catalogue, arguments.operand(1), invocation.name));
  return PrintResult(text);
}

Status ShowSql(const Arguments& arguments, const Invocation& invocation) {
  const std::string name = arguments.operand(1);
  const bool json = arguments.Has("--json");
  if (name.empty()) {
    return PrintResult(json ? Dump({{"sql", SqlFunctionsAsJson()}}) + "\n"
                            : SqlFunctionsText(invocation.name));
  }
  if (json) {
    PT_LET(const Json function, SqlFunctionAsJson(name));
    return PrintResult(Dump(function) + "\n");
  }
  PT_LET(const std::string text, SqlFunctionText(name));
  return PrintResult(text);
}

// `protium help imputer`: the page of that name in jobs, or where to find the nearest names.
Status HelpOnName(const Catalogue& catalogue, const std::string& name, const Invocation& invocation,
                  const std::vector<std::string>& known) {
  std::vector<std::string> names, pages;
  for (const Topic& topic : ListTopics(catalogue)) {
    for (const CatalogueRow& row : topic.rows) {
      names.push_back(row.name);
      pages.push_back(fmt::format("{} help {} {}", invocation.name, topic.name, row.name));
    }
  }
  std::string fix;
  // A misspelt topic or verb is as likely, and its suggestion is shorter.
  std::vector<std::string> near;
  if (Nearest(name, known).empty()) near = Nearest(name, names);
  for (size_t i = 0; i < names.size(); ++i) {
    const bool meant = names[i] == name || (!near.empty() && names[i] == near.front());
    if (meant) fix += (fix.empty() ? "" : ", or ") + pages[i];
  }
  if (fix.empty()) return NoHelp(name, known);
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("there is no topic \"{}\"", name),
               .fix = std::move(fix)});
}

// Topics of the catalogue come before verbs; no topic has the name of a verb. A program's own rows
// are listed as well.
Status ShowHelp(const Arguments& arguments, const Invocation& invocation) {
  const auto own = invocation.program == nullptr ? nullptr : invocation.program->catalogue;
  PT_LET(const Catalogue catalogue, WithBuiltIns(own));
  if (arguments.Has("--reference"))
    return WriteReference(catalogue, arguments.Value("--reference"));
  if (arguments.Has("--man")) return WriteManual(arguments.Value("--man"));
  const std::string topic = arguments.operand(0);
  // All topics of help, for the suggestion after a misspelt word.
  std::vector<std::string> known = {"exit-codes", "schema", "keys"};
  for (const Topic& each : ListTopics(catalogue)) {
    if (each.name == topic) return ShowTopic(each, arguments, invocation);
    known.push_back(each.name);
  }
  if (topic == "keys") return ShowKeys(catalogue, arguments, invocation);
  // The verb of that name has its own page: protium sql --help.
  if (topic == "sql") return ShowSql(arguments, invocation);
  // Only topics have a second operand.
  if (arguments.num_operands() > 1) return NoHelp(arguments.operand(1), {});
  if (topic.empty()) return PrintResult(HelpPage(invocation.name));
  if (topic == "exit-codes") return PrintResult(ExitCodesPage());
  if (topic == "schema") return PrintResult(Pretty(JobSchema(catalogue)) + "\n");
  for (const CommandVerb& verb : AllVerbs()) {
    if (verb.shape.name == topic) return PrintResult(FormatHelp(invocation.name, verb.shape));
    known.push_back(verb.shape.name);
  }
  return HelpOnName(catalogue, topic, invocation, known);
}

}  // namespace

CommandVerb HelpVerb() {
  return {{.name = "help",
           .operands = {"[TOPIC]", "[NAME]"},
           .flags = {{"--reference", "DIR", "writes the pages of docs/reference there", ""},
                     {"--man", "DIR", "writes the pages of man(1) there", ""},
                     JsonFlag()},
           .says = "explains a command, what a job can name, or the exit codes",
           .more = "Topics are commands; stages, nets, losses, metrics, optimizers and schedules, "
                   "each with the\n"
                   "NAME of one for its options; keys, those of a job file, or those below NAME; "
                   "sql, its functions;\n"
                   "schema, the JSON schema of job files; and exit-codes.\n"
                   "\n"
                   "  protium help run\n"
                   "  protium help nets tabular_mlp\n"
                   "  protium help keys train.optimizer\n"
                   "  protium help sql date_format\n"},
          ShowHelp};
}

}  // namespace protium
