// SPDX-License-Identifier: Apache-2.0
#include "prompt/prompt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include "base/fault.h"
#include "prompt/commands.h"
#include "prompt/history.h"
#include "prompt/line_editor.h"
#include "prompt/query.h"
#include "prompt/statements.h"
#include "run/terminal.h"
#include "terminal/printing.h"

namespace protium {
namespace {

constexpr const char* kFirstPrompt = "protium> ";
constexpr const char* kNextPrompt = "      -> ";

// For a terminal that cannot redraw a line: it edits lines itself.
Result<LineEnd> ReadPlainLine(const std::string& prompt, std::string& line) {
  PrintNote(prompt);
  if (std::getline(std::cin, line)) return LineEnd::kEnter;
  return LineEnd::kEnd;
}

// Runs a query, or defines a view.
Status Run(const std::string& statement, Queries& queries) {
  const auto view = ReadView(statement);
  if (!view) return queries.Answer(statement, true);
  PT_TRY(queries.Define(*view));
  PrintNote("view " + view->name + " is defined\n");
  return Status::OK();
}

// A conversation with a person at a terminal. Queries are collected line by line in text_.
class Conversation {
 public:
  explicit Conversation(const Arguments& arguments)
      : arguments_(arguments),
        queries_(arguments),
        words_(queries_),
        editor_(STDIN_FILENO, STDERR_FILENO,
                [this](const std::string& line) { return words_.For(text_ + line); }) {
    editor_.history() = ReadHistory(file_);
  }

  Status ToEnd() {
    while (true) {
      std::string line;
      PT_LET(const LineEnd end, ReadLine(line));
      if (end == LineEnd::kEnd) return Status::OK();
      if (end == LineEnd::kCancelled) {
        text_.clear();
        continue;
      }
      Keep(line);
      if (!HasWords(text_) && IsQuit(line)) return Status::OK();
      PT_TRY(Take(line));
    }
  }

 private:
  Result<LineEnd> ReadLine(std::string& line) {
    const char* const prompt = HasWords(text_) ? kNextPrompt : kFirstPrompt;
    return live_ ? editor_.Read(prompt, line) : ReadPlainLine(prompt, line);
  }

  // A line that is repeated is stored once.
  void Keep(const std::string& line) {
    std::vector<std::string>& history = editor_.history();
    if (line.empty() || (!history.empty() && history.back() == line)) return;
    history.push_back(line);
    const Status kept = AddToHistory(file_, line);
    if (kept.ok() || !file_works_) return;
    file_works_ = false;
    PrintNote("warning: the history is not kept: " + FaultOf(kept).what + "\n");
  }

  Status Take(const std::string& line) {
    if (!HasWords(text_) && IsCommand(line)) return Print(RunCommand(line, arguments_, queries_));
    text_ += line + "\n";
    for (const Statement& statement : TakeStatements(text_)) {
      PT_TRY(Print(Run(statement.text, queries_)));
    }
    if (!HasWords(text_) && !IsOpen(text_)) text_.clear();
    return Status::OK();
  }

  // Reports a query's fault; the prompt only ends if nobody reads the results.
  Status Print(const Status& status) {
    if (status.ok()) return status;
    const Fault fault = FaultOf(status);
    if (fault.exit == Exit::kDone) return status;
    PrintNote(Render(fault));
    return Status::OK();
  }

  const Arguments& arguments_;
  const std::filesystem::path file_ = HistoryFile();
  const bool live_ = Terminal::Of(STDERR_FILENO).live;
  bool file_works_ = true;
  std::string text_;  // What was typed and not yet run.
  Queries queries_;
  Words words_;
  LineEditor editor_;
};

// Statements, and the commands between them, in order.
struct Step {
  Statement statement;
  bool command = false;
};

int64_t Breaks(const std::string& text) { return std::ranges::count(text, '\n'); }

// Takes the complete statements out of `open`, whose first line is `line` of the text.
void TakeInto(std::vector<Step>& steps, std::string& open, size_t& line) {
  const int64_t breaks = Breaks(open);
  for (Statement& each : TakeStatements(open)) {
    each.line += line - 1;
    steps.push_back({std::move(each)});
  }
  line += size_t(breaks - Breaks(open));
}

std::vector<Step> StepsIn(const std::string& text) {
  std::vector<Step> steps;
  std::string open;
  size_t line_number = 0, open_from = 1;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (IsCommand(line) && !HasWords(open) && !IsOpen(open)) {
      steps.push_back({{line, line_number}, true});
      open.clear();
      open_from = line_number + 1;
      continue;
    }
    open += line + "\n";
    // The tokens of a long statement are not counted again for each of its lines.
    if (line.find(';') != line.npos) TakeInto(steps, open, open_from);
  }
  open += ";";
  TakeInto(steps, open, open_from);
  if (HasWords(open)) steps.push_back({{open, open_from}});
  return steps;
}

}  // namespace

Status Prompt(const Arguments& arguments) {
  // Until the process ends, Ctrl-C between a line and its query waits for the query. Code that
  // watches for signals (os/signals.h) requires them to be blocked.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  PrintNote("SQL over the tables in " + arguments.Value("--data", ".") +
            "; \\d lists them, \\? says more, Ctrl-D ends\n");
  return Conversation(arguments).ToEnd();
}

Status RunStatements(const std::string& text, const Arguments& arguments) {
  Queries queries(arguments);
  for (const Step& step : StepsIn(text)) {
    if (step.command && IsQuit(step.statement.text)) return Status::OK();
    const Status status = step.command ? RunCommand(step.statement.text, arguments, queries)
                                       : Run(step.statement.text, queries);
    PT_TRY(Annotate(status, fmt::format("stdin, line {}", step.statement.line)));
  }
  return Status::OK();
}

}  // namespace protium
