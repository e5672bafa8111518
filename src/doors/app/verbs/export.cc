// SPDX-License-Identifier: Apache-2.0
// `protium export`: writes a run, or a model, as files of another tool. The contents of the path
// and the format decide which: a model format also takes a run's model.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/export/model_formats.h"
#include "app/run/named_run.h"
#include "app/run/precision.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/unknown_name.h"
#include "export/formats.h"
#include "export/send.h"
#include "frame/outputs.h"
#include "os/file.h"
#include "os/signals.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

bool IsModel(const fs::path& what) {
  std::error_code ignored;
  return fs::exists(what / "model.json", ignored);
}

Status UnknownFormat(const std::string& name) {
  std::vector<std::string> known;
  for (const RunFormat& each : RunFormats()) known.push_back(each.name);
  for (const ModelFormat& each : ModelFormats()) known.push_back(each.name);
  for (const SentFormat& each : SentFormats()) known.push_back(each.name);
  return UnknownName("format", name, known, "--to");
}

// A path is never overwritten without --force: it may contain another run's export. A folder never
// is, unless the format is a folder and its writer recognises its own.
Status CheckFree(const fs::path& out, bool force, bool folder = false) {
  std::error_code ignored;
  if (!folder && fs::is_directory(out, ignored)) {
    return Fail({.exit = Exit::kUsage,
                 .what = out.string() + " is a folder",
                 .fix = "--output with the path of a file"});
  }
  if (force || !fs::exists(out, ignored)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = out.string() + " already exists",
               .fix = "--output with another path, or --force to replace it",
               .kept = "what is there"});
}

// Prints paths on stdout, for scripts, and what was left out on stderr.
Status Print(const Arguments& arguments, const ModelExported& made) {
  if (arguments.Has("--json")) {
    Json paths = Json::array();
    for (const fs::path& file : made.files) paths.push_back(file.string());
    return PrintResult(
        Dump({{"files", paths}, {"left_out", made.left_out}, {"notes", made.notes}}) + "\n");
  }
  for (const fs::path& file : made.files) PT_TRY(PrintResult(file.string() + "\n"));
  for (const std::string& each : made.left_out) PrintNote("left out: " + each + "\n");
  for (const std::string& each : made.notes) PrintNote("note: " + each + "\n");
  return Status::OK();
}

// TensorBoard finds its files by a part of their names, and runs by their folders.
fs::path DefaultOut(const RunFormat& format, const RunFacts& facts) {
  if (format.name != "tensorboard") return facts.id + format.ending;
  const auto started = int64_t(SecondsOf(TextAt(facts.run, "started")));
  return fs::path("tensorboard") / facts.id /
         fmt::format("events.out.tfevents.{}.protium", started);
}

Result<std::vector<fs::path>> WriteBeside(const fs::path& out,
                                          const std::vector<ExportedFile>& beside) {
  std::vector<fs::path> files;
  for (const ExportedFile& each : beside) {
    files.push_back(out.parent_path() / each.folder / out.filename());
    PT_TRY(MakeFolder(files.back().parent_path()));
    PT_TRY(WriteFile(files.back(), each.bytes));
  }
  return files;
}

Status ExportRun(const Arguments& arguments, const RunFormat& format, const fs::path& run) {
  PT_LET(const RunFacts facts, ReadRunFacts(run));
  const std::string given = arguments.Value("--output");
  if (given == "-" && !format.text && isatty(STDOUT_FILENO) == 1) {
    return Fail({.exit = Exit::kUsage,
                 .what = format.name + " is not text for a terminal",
                 .fix = "--output FILE, or a pipe"});
  }
  const fs::path out = given.empty() ? DefaultOut(format, facts) : fs::path(given);
  if (given != "-") {
    PT_TRY(RefuseRead(OwnFilesOf(run), out));
    PT_TRY(CheckFree(out, arguments.Has("--force")));
  }
  const Exported made = format.write(facts);
  if (made.bytes.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} has nothing for {}", facts.id, format.name),
                 .why = made.left_out.empty() ? "" : made.left_out.front()});
  }
  if (given == "-") {
    PT_TRY(PrintResult(made.bytes));
    for (const std::string& each : made.left_out) PrintNote("left out: " + each + "\n");
    if (!made.beside.empty()) {
      PrintNote(fmt::format("left out: {} trials, each a file of its own\n", made.beside.size()));
    }
    return Status::OK();
  }
  PT_TRY(MakeFolder(out.parent_path()));
  PT_TRY(WriteFile(out, made.bytes));
  PT_LET(std::vector<fs::path> files, WriteBeside(out, made.beside));
  files.insert(files.begin(), out);
  return Print(arguments, {.files = std::move(files), .left_out = made.left_out});
}

// Refuses --precision for a format that holds the model's own numbers.
Result<std::optional<Rounding>> RoundingFor(const Arguments& arguments, const std::string& format,
                                            bool rounds) {
  PT_LET(const std::optional<Rounding> rounding, ReadExportPrecision(arguments));
  if (!rounding || rounds) return rounding;
  std::vector<std::string> able;
  for (const ModelFormat& each : ModelFormats()) {
    if (each.rounds) able.push_back(each.name);
  }
  return Fail({.exit = Exit::kUsage,
               .what = format + " holds no rounded weights",
               .where = fmt::format("--precision {}", NameOf(rounding->precision)),
               .why = fmt::format("these formats do: {}", fmt::join(able, ", ")),
               .fix = "leave --precision out"});
}

Status ExportModel(const Arguments& arguments, const ModelFormat& format, const fs::path& model) {
  PT_LET(const std::optional<Rounding> rounding,
         RoundingFor(arguments, format.name, format.rounds));
  const std::string given = arguments.Value("--output");
  const fs::path out = given.empty() ? "model" + format.ending : given;
  PT_TRY(RefuseRead(std::array{model}, out));
  PT_TRY(CheckFree(out, arguments.Has("--force"), format.folder));
  PT_TRY(MakeFolder(out.parent_path()));
  PT_LET(const ModelExported made,
         format.write({.model = model, .out = out, .rounding = rounding}));
  return Print(arguments, made);
}

// Returns a service's address: --uri, or what its own clients read.
std::string UriOf(const Arguments& arguments, const SentFormat& format) {
  const std::string given = arguments.Value("--uri");
  const char* const variable = std::getenv(format.variable.c_str());
  return given.empty() && variable != nullptr ? variable : given;
}

Status SendTo(const Arguments& arguments, const SentFormat& format, const fs::path& run) {
  const std::string uri = UriOf(arguments, format);
  if (uri.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = format.name + " needs the address of a server",
                 .fix = "--uri http://host:port, or " + format.variable});
  }
  PT_LET(const RunFacts facts, ReadRunFacts(run));
  PT_LET(const Sent sent,
         SendRun({.to = format.name, .uri = uri, .run = run, .again = arguments.Has("--force")},
                 facts));
  if (arguments.Has("--json")) {
    return PrintResult(
        Dump({{"where", sent.where}, {"left_out", sent.left_out}, {"notes", sent.notes}}) + "\n");
  }
  PT_TRY(PrintResult(sent.where + "\n"));
  for (const std::string& each : sent.left_out) PrintNote("left out: " + each + "\n");
  for (const std::string& each : sent.notes) PrintNote("note: " + each + "\n");
  return Status::OK();
}

// A format that is also a file, such as otlp and mlflow, is sent if --uri or the environment says
// where to, unless --output says otherwise. A model that belongs to no run is not sent.
const SentFormat* FindSent(const Arguments& arguments, const std::string& name) {
  const auto found = std::ranges::find(SentFormats(), name, &SentFormat::name);
  if (found == SentFormats().end()) return nullptr;
  const std::vector<ModelFormat> of_models = ModelFormats();
  const bool file = std::ranges::find(RunFormats(), name, &RunFormat::name) != RunFormats().end() ||
                    std::ranges::find(of_models, name, &ModelFormat::name) != of_models.end();
  const bool sent = arguments.Value("--output").empty() && !IsModel(arguments.operand(0)) &&
                    !UriOf(arguments, *found).empty();
  return !file || sent ? &*found : nullptr;
}

Status Export(const Arguments& arguments, const Invocation&) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::MakeEnding());
  const std::string what = arguments.operand(0), name = arguments.Value("--to");
  if (name.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "export needs a format",
                 .fix = "protium export " + what +
                        " --to tensorboard; all are in protium export "
                        "--help"});
  }
  const std::vector<ModelFormat> of_models = ModelFormats();
  if (const SentFormat* sent = FindSent(arguments, name)) {
    PT_TRY(RoundingFor(arguments, name, false).status());
    PT_LET(const NamedRun run, FindNamedRun(arguments, what, Parts::kAll));
    return SendTo(arguments, *sent, run.path);
  }
  const auto of_model = std::ranges::find(of_models, name, &ModelFormat::name);
  const bool folder = of_model != of_models.end() && of_model->folder;
  const std::string out = arguments.Value("--output");
  // Before the run or the model, which may be copied from an object store.
  if (!out.empty() && out != "-") PT_TRY(CheckFree(out, arguments.Has("--force"), folder));
  if (of_model != of_models.end()) {
    PT_LET(const fs::path model, FindNamedModel(arguments, what));
    return ExportModel(arguments, *of_model, model);
  }
  const auto of_run = std::ranges::find(RunFormats(), name, &RunFormat::name);
  if (of_run == RunFormats().end()) return UnknownFormat(name);
  PT_TRY(RoundingFor(arguments, name, false).status());
  if (IsModel(what)) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} is a model, and {} a format of runs", what, name),
                 .fix = "name the run that made it"});
  }
  PT_LET(const NamedRun run, FindNamedRun(arguments, what, Parts::kAll));
  return ExportRun(arguments, *of_run, run.path);
}

std::string FormatsText() {
  std::string text;
  for (const RunFormat& each : RunFormats())
    text += fmt::format("  {:<13} {}\n", each.name, each.says);
  for (const ModelFormat& each : ModelFormats()) {
    text += fmt::format("  {:<13} {}\n", each.name, each.says);
  }
  text += "\nsent to a service, at --uri or the address in this environment variable:\n";
  for (const SentFormat& each : SentFormats()) {
    text += fmt::format("  {:<13} {}; {}\n", each.name, each.says, each.variable);
  }
  return text;
}

}  // namespace

CommandVerb ExportVerb() {
  return {
      {.name = "export",
       .operands = {"RUN|MODEL"},
       .flags = {{"--to", "FORMAT", "the format, one of those below", ""},
                 {"--output", "PATH",
                  "where to write; - for stdout (here, with the name of the run)", ""},
                 {"--uri", "URI", "the service to send it to: http://host:port", ""},
                 ExportPrecisionFlags()[0],
                 ExportPrecisionFlags()[1],
                 ForceFlag(),
                 RunsDirFlag(),
                 JsonFlag()},
       .says = "writes a run, or its model, in the formats of other tools",
       .more = FormatsText() +
               "\nWhat the format cannot hold, or the run does not have, is listed on stderr.\n\n"
               "  protium export last --to tensorboard && tensorboard --logdir tensorboard\n"
               "  protium export last --to csv --output - | head\n"
               "  protium export last --to mlflow --uri http://127.0.0.1:5000\n"
               "  protium export last --to onnx\n"
               "  protium export last --to onnx --precision int8\n"
               "  protium export last --to onnx --precision bf16\n"},
      Export};
}

}  // namespace protium
