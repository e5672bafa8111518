// SPDX-License-Identifier: Apache-2.0
// man(7): a line that begins with a point is a macro, \fB sets bold, \fI italic, \fR regular.
#include "reference/man.h"

#include <fmt/format.h>
#include <protium/version.h>

#include <sstream>

#include "base/text.h"

namespace protium {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";  // Otherwise typeset as a hyphen, which cannot be copied as a minus sign.
    } else {
      out += c;
    }
  }
  return out;
}

// Escapes a line of text that begins like a macro.
std::string LineOf(std::string_view text) {
  const bool order = text.starts_with('.') || text.starts_with('\'');
  return (order ? "\\&" : "") + Escaped(text) + "\n";
}

std::string Head(const std::string& name, const std::string& says) {
  return fmt::format(".TH {} 1 \"\" \"protium {}\" \"Protium\"\n.SH NAME\n{} \\- {}",
                     Escaped(Upper(name)), PROTIUM_VERSION, Escaped(name), LineOf(says));
}

// Formats paragraphs; indented lines are left as they are.
std::string Text(const std::string& text) {
  std::string out;
  std::stringstream lines(text);
  bool verbatim = false;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (indented != verbatim) out += indented ? ".PP\n.nf\n" : ".fi\n";
    verbatim = indented;
    out += line.empty() ? ".PP\n" : LineOf(line);
  }
  return out + (verbatim ? ".fi\n" : "");
}

std::string Options(std::span<const Flag> flags) {
  std::string text;
  for (const Flag& flag : flags) {
    text += ".TP\n";
    if (!flag.also.empty()) text += fmt::format("\\fB{}\\fR, ", Escaped(flag.also));
    text += fmt::format("\\fB{}\\fR", Escaped(flag.name));
    if (!flag.value.empty()) text += fmt::format(" \\fI{}\\fR", Escaped(flag.value));
    text += "\n" + LineOf(flag.says);
  }
  return text;
}

}  // namespace

std::string ManPage(const VerbShape& verb, std::span<const Flag> shared) {
  std::string page = Head("protium-" + verb.name, verb.says) + ".SH SYNOPSIS\n\\fBprotium " +
                     Escaped(verb.name) + "\\fR";
  for (const std::string& operand : verb.operands) page += " \\fI" + Escaped(operand) + "\\fR";
  page += " [\\fIflags\\fR]\n";
  if (!verb.more.empty()) page += ".SH DESCRIPTION\n" + Text(verb.more);
  return page + ".SH OPTIONS\n" + Options(verb.flags) + Options(shared) +
         ".SH SEE ALSO\n\\fBprotium\\fR(1)\n";
}

std::string ManIndex(const std::vector<VerbShape>& verbs, std::span<const Flag> shared,
                     const std::string& exit_codes) {
  std::string page = Head("protium", "from raw tables to a trained model in one job") +
                     ".SH SYNOPSIS\n\\fBprotium\\fR \\fIcommand\\fR [\\fIoperands\\fR] "
                     "[\\fIflags\\fR]\n.SH COMMANDS\n";
  for (const VerbShape& verb : verbs) {
    page += fmt::format(".TP\n\\fBprotium\\-{}\\fR(1)\n{}", Escaped(verb.name), LineOf(verb.says));
  }
  page += ".SH OPTIONS\nEvery command takes these.\n" + Options(shared) + ".SH EXIT STATUS\n";
  // Without the heading.
  page += Text(exit_codes.substr(exit_codes.find('\n') + 1));
  return page +
         ".SH ENVIRONMENT\n.TP\nPROTIUM_RUNS_DIR\nthe folder of all runs, unless \\fB\\-\\-runs\\-"
         "dir\\fR names one\n.TP\nPROTIUM_STORE\nthe folder of what is kept for later runs "
         "(protium help cache), or off\n.TP\nPROTIUM_POOL\nthe socket of the pool of warm workers "
         "(protium help pool), or off\n.TP\nPROTIUM_POOL_LABEL\nwhose quota of the pool the "
         "gangs of a program count against\n.TP\nNO_COLOR, CLICOLOR_FORCE\nas \\fB\\-\\-color\\fR "
         "never and "
         "always\n";
}

}  // namespace protium
