// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/command.h"
#include "base/fault.h"
#include "base/nearest.h"

namespace protium {

namespace {

Status ShowHelp(const Arguments& arguments, const Invocation& invocation) {
  const std::string topic = arguments.operand(0);
  if (topic.empty()) return PrintResult(HelpPage(invocation.name));
  if (topic == "exit-codes") return PrintResult(ExitCodesPage());
  std::vector<std::string> known = {"exit-codes"};
  for (const CommandVerb& verb : AllVerbs()) {
    if (verb.shape.name == topic) return PrintResult(HelpOf(invocation.name, verb.shape));
    known.push_back(verb.shape.name);
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("there is no help on \"{}\"", topic),
               .fix = Suggest(topic, known)});
}

}  // namespace

CommandVerb HelpVerb() {
  return {{.name = "help", .operands = {"[TOPIC]"}, .says = "more on a verb, or on exit-codes"},
          ShowHelp};
}

}  // namespace protium
