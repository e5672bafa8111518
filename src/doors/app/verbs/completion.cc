// SPDX-License-Identifier: Apache-2.0
// `protium completion SHELL`: what a shell needs to complete verbs and flags, made from the table
// of verbs. The shell asks for runs and for the keys of --set as they are typed: `completion runs`
// and `completion keys`. Other words are completed as files.
#include <fmt/format.h>

#include <algorithm>

#include "app/command.h"
#include "app/run/named_run.h"
#include "base/unknown_name.h"
#include "reference/keys.h"
#include "run/list.h"
#include "terminal/printing.h"

namespace protium {

namespace {

std::string Verbs() {
  std::string names;
  for (const CommandVerb& verb : AllVerbs()) names += (names.empty() ? "" : " ") + verb.shape.name;
  return names;
}

// Returns the possible words for a verb's first operand: "[list
// show]" gives "list show".
std::string Choices(const VerbShape& verb) {
  const std::string first = verb.operands.empty() ? "" : verb.operands.front();
  if (!first.starts_with('[') || first.find('|') == first.npos) return {};
  std::string words = first.substr(1, first.size() - 2);
  std::ranges::replace(words, '|', ' ');
  return words;
}

// Whether a verb's operands name runs.
bool TakesRuns(const VerbShape& verb) {
  return std::ranges::any_of(verb.operands, [](const std::string& each) {
    return each.find("RUN") != each.npos || each.find("MODEL") != each.npos;
  });
}

std::string FlagNames(const VerbShape& verb) {
  std::string names;
  for (const Flag& flag : verb.flags) names += flag.name + " ";
  for (const Flag& flag : SharedFlags()) names += flag.name + " ";
  names.pop_back();
  return names;
}

// Escapes a text for use within single quotes.
std::string Quoted(std::string text) {
  for (size_t at = text.find('\''); at != text.npos; at = text.find('\'', at + 4)) {
    text.replace(at, 1, "'\\''");
  }
  return "'" + text + "'";
}

std::string ForBash(const std::string& program) {
  std::string cases;
  for (const CommandVerb& verb : AllVerbs()) {
    cases += fmt::format("    {}) flags='{}'; words='{}'; runs='{}' ;;\n", verb.shape.name,
                         FlagNames(verb.shape), Choices(verb.shape),
                         TakesRuns(verb.shape) ? "runs" : "");
  }
  return fmt::format(
      R"shell(# {0} completion bash: put this into ~/.bashrc:  source <({0} completion bash)
_{0}_offer() {{
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}}
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local flags='' words='' runs=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _{0}_offer '{1}'
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}  esac
  if [ "$before" = --set ]; then
    compopt -o nospace
    COMPREPLY=($(compgen -S = -W "$({0} completion keys 2>/dev/null)" -- "$word"))
  elif [ "${{COMP_WORDS[1]}} $before" = 'help keys' ]; then
    _{0}_offer "$({0} completion keys 2>/dev/null)"
  elif [ "$before" = --model ]; then
    _{0}_offer "$({0} completion runs 2>/dev/null)"
  elif [[ $word == -* ]]; then
    _{0}_offer "$flags"
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then
    _{0}_offer "$words"
  elif [ -n "$runs" ]; then
    _{0}_offer "$({0} completion runs 2>/dev/null)"
  fi
}}
complete -o default -F _{0} {0}
)shell",
      program, Verbs(), cases);
}

std::string ForZsh(const std::string& program) {
  std::string verbs, cases;
  for (const CommandVerb& verb : AllVerbs()) {
    verbs += "    " + Quoted(verb.shape.name + ":" + verb.shape.says) + "\n";
    cases += fmt::format("    {}) flags=({}); first=({}); runs=({}) ;;\n", verb.shape.name,
                         FlagNames(verb.shape), Choices(verb.shape),
                         TakesRuns(verb.shape) ? "runs" : "");
  }
  return fmt::format(R"shell(#compdef {0}
# {0} completion zsh: put this into ~/.zshrc, behind compinit:  source <({0} completion zsh)
_{0}() {{
  local -a verbs flags first runs
  verbs=(
{1}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  case $words[2] in
{2}  esac
  if [[ $words[CURRENT-1] == --set ]]; then
    compadd -S = -- ${{(f)"$({0} completion keys 2>/dev/null)"}}
  elif [[ $words[2] == help && $words[CURRENT-1] == keys ]]; then
    compadd -- ${{(f)"$({0} completion keys 2>/dev/null)"}}
  elif [[ $words[CURRENT] == -* ]]; then
    compadd -- $flags
  elif (( CURRENT == 3 && ${{#first}} > 0 )); then
    compadd -- $first
  else
    if (( ${{#runs}} > 0 )) || [[ $words[CURRENT-1] == --model ]]; then
      compadd -- ${{(f)"$({0} completion runs 2>/dev/null)"}}
    fi
    _files
  fi
}}
compdef _{0} {0}
)shell",
                     program, verbs, cases);
}

std::string ForFish(const std::string& program) {
  std::string text =
      fmt::format("# {0} completion fish > ~/.config/fish/completions/{0}.fish\n", program);
  for (const CommandVerb& verb : AllVerbs()) {
    const VerbShape& shape = verb.shape;
    text += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n", program,
                        shape.name, Quoted(shape.says));
    const std::string seen = Quoted("__fish_seen_subcommand_from " + shape.name);
    const auto ask = [&](const char* what) {
      return fmt::format(" -a '({} completion {} 2>/dev/null)'", program, what);
    };
    for (const Flag& flag : shape.flags) {
      text += fmt::format("complete -c {} -n {} -l {}{} -d {}{}\n", program, seen,
                          flag.name.substr(2), flag.value.empty() ? "" : " -r", Quoted(flag.says),
                          flag.name == "--set"     ? ask("keys")
                          : flag.name == "--model" ? ask("runs")
                                                   : "");
    }
    if (TakesRuns(shape)) {
      text += fmt::format("complete -c {} -n {}{}\n", program, seen, ask("runs"));
    }
    if (const std::string words = Choices(shape); !words.empty()) {
      text += fmt::format("complete -c {} -n {} -a '{}'\n", program, seen, words);
    }
  }
  return text;
}

std::string OneALine(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += each + "\n";
  return text;
}

// Returns the newest run first, by the name that refers to it.
std::vector<std::string> RunNames(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const RunEntry& each : ListRuns(KnownRuns(arguments))) {
    names.push_back(each.folder.filename().string());
  }
  if (!names.empty()) names.emplace_back("last");
  std::ranges::reverse(names);
  return names;
}

Status Complete(const Arguments& arguments, const Invocation& invocation) {
  const std::string shell = arguments.operand(0);
  if (shell == "bash") return PrintResult(ForBash(invocation.name));
  if (shell == "zsh") return PrintResult(ForZsh(invocation.name));
  if (shell == "fish") return PrintResult(ForFish(invocation.name));
  if (shell == "runs") return PrintResult(OneALine(RunNames(arguments)));
  if (shell == "keys") return PrintResult(OneALine(KeyNames()));
  return UnknownName("shell", shell, std::vector<std::string>{"bash", "zsh", "fish"}, "");
}

}  // namespace

CommandVerb CompletionVerb() {
  return {{.name = "completion",
           .operands = {"SHELL"},
           .flags = {RunsDirFlag()},
           .says = "prints the completion script for bash, zsh or fish",
           .more = "  source <(protium completion bash)\n"
                   "\n"
                   "In place of a SHELL, runs and keys print what the completion scripts ask for: "
                   "the runs,\n"
                   "and the keys of --set, one per line.\n"},
          Complete};
}

}  // namespace protium
