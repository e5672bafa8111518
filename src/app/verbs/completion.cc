// SPDX-License-Identifier: Apache-2.0
// `protium completion SHELL`: what a shell needs to complete verbs and flags, made from the table
// of verbs. Words that are no flags are completed as files.
#include <fmt/format.h>

#include <algorithm>

#include "app/command.h"
#include "base/unknown_name.h"

namespace protium {

namespace {

std::string Verbs() {
  std::string names;
  for (const CommandVerb& verb : AllVerbs()) names += (names.empty() ? "" : " ") + verb.shape.name;
  return names;
}

// The words that a verb's first operand is one of: "[list|show]" gives "list show".
std::string Choices(const VerbShape& verb) {
  const std::string first = verb.operands.empty() ? "" : verb.operands.front();
  if (!first.starts_with('[') || first.find('|') == first.npos) return {};
  std::string words = first.substr(1, first.size() - 2);
  std::ranges::replace(words, '|', ' ');
  return words;
}

std::string FlagNames(const VerbShape& verb) {
  std::string names;
  for (const Flag& flag : verb.flags) names += flag.name + " ";
  for (const Flag& flag : SharedFlags()) names += flag.name + " ";
  names.pop_back();
  return names;
}

// Of a text that stands between single quotes.
std::string Quoted(std::string text) {
  for (size_t at = text.find('\''); at != text.npos; at = text.find('\'', at + 4)) {
    text.replace(at, 1, "'\\''");
  }
  return "'" + text + "'";
}

std::string ForBash(const std::string& program) {
  std::string cases;
  for (const CommandVerb& verb : AllVerbs()) {
    cases += fmt::format("    {}) flags='{}'; words='{}' ;;\n", verb.shape.name,
                         FlagNames(verb.shape), Choices(verb.shape));
  }
  return fmt::format(
      R"(# {0} completion bash: put this into ~/.bashrc:  source <({0} completion bash)
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} flags='' words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{1}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}}
complete -o default -F _{0} {0}
)",
      program, Verbs(), cases);
}

std::string ForZsh(const std::string& program) {
  std::string verbs, cases;
  for (const CommandVerb& verb : AllVerbs()) {
    verbs += "    " + Quoted(verb.shape.name + ":" + verb.shape.says) + "\n";
    cases += fmt::format("    {}) flags=({}); first=({}) ;;\n", verb.shape.name,
                         FlagNames(verb.shape), Choices(verb.shape));
  }
  return fmt::format(R"(#compdef {0}
# {0} completion zsh: put this into ~/.zshrc, behind compinit:  source <({0} completion zsh)
_{0}() {{
  local -a verbs flags first
  verbs=(
{1}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  case $words[2] in
{2}  esac
  if [[ $words[CURRENT] == -* ]]; then
    compadd -- $flags
  elif (( CURRENT == 3 && ${{#first}} > 0 )); then
    compadd -- $first
  else
    _files
  fi
}}
compdef _{0} {0}
)",
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
    for (const Flag& flag : shape.flags) {
      text += fmt::format("complete -c {} -n {} -l {}{} -d {}\n", program, seen,
                          flag.name.substr(2), flag.value.empty() ? "" : " -r", Quoted(flag.says));
    }
    if (const std::string words = Choices(shape); !words.empty()) {
      text += fmt::format("complete -c {} -n {} -a '{}'\n", program, seen, words);
    }
  }
  return text;
}

Status Complete(const Arguments& arguments, const Invocation& invocation) {
  const std::string shell = arguments.operand(0);
  if (shell == "bash") return PrintResult(ForBash(invocation.name));
  if (shell == "zsh") return PrintResult(ForZsh(invocation.name));
  if (shell == "fish") return PrintResult(ForFish(invocation.name));
  return UnknownName("shell", shell, std::vector<std::string>{"bash", "zsh", "fish"}, "");
}

}  // namespace

CommandVerb CompletionVerb() {
  return {{.name = "completion",
           .operands = {"SHELL"},
           .says = "prints what bash, zsh or fish need to complete verbs and flags",
           .more = "  source <(protium completion bash)\n"},
          Complete};
}

}  // namespace protium
