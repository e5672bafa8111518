// SPDX-License-Identifier: Apache-2.0
#include "terminal/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "terminal/text_table.h"

namespace protium {

namespace {

const Flag* FindFlag(const VerbShape& verb, std::string_view name) {
  // Scripts use --out with some verbs; pages show one name for all.
  if (name == "--out") name = "--output";
  for (const Flag& flag : verb.flags) {
    if (flag.name == name || (!flag.also.empty() && flag.also == name)) return &flag;
  }
  return nullptr;
}

// Suggests the keys with this ending for `--epochs 3` and `--train.epochs=3`, if a flag takes
// settings.
std::string SuggestSetting(const VerbShape& verb, const std::string& name) {
  const auto takes = std::ranges::find_if(
      verb.flags, [](const Flag& flag) { return flag.keys_ending != nullptr; });
  if (takes == verb.flags.end() || !name.starts_with("--")) return {};
  std::string word = name.substr(2);
  std::ranges::replace(word, '-', '_');
  std::string fix;
  for (const std::string& key : takes->keys_ending(word)) {
    fix += (fix.empty() ? "" : " or ") + (takes->name + " " + key + "=...");
  }
  return fix;
}

Status UnknownFlag(const VerbShape& verb, const std::string& name) {
  std::vector<std::string> known;
  for (const Flag& flag : verb.flags) known.push_back(flag.name);
  if (const std::string setting = SuggestSetting(verb, name); !setting.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} has no flag \"{}\"", verb.name, name),
                 .why = "what a job file says is changed by --set",
                 .fix = setting});
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("{} has no flag \"{}\"", verb.name, name),
               .fix = Suggest(name, known)});
}

}  // namespace

// Takes the flag at `i`, and the next word if that is its value. Only long flags can be written
// with "="; values are stored under the long name, whichever form was used.
Status Arguments::TakeFlag(const VerbShape& verb, const std::vector<std::string>& words,
                           size_t& i) {
  const std::string& word = words[i];
  const size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
  const std::string name = word.substr(0, equals);
  const Flag* flag = FindFlag(verb, name);
  if (flag == nullptr) return UnknownFlag(verb, name);
  std::vector<std::string>& values = flags_[flag->name];
  if (equals != word.npos) {
    values.push_back(word.substr(equals + 1));
    if (!flag->value.empty()) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} takes no value, got \"{}\"", name, values.back())});
  }
  if (flag->value.empty()) {
    values.emplace_back();
    return Status::OK();
  }
  if (++i >= words.size()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} needs a value: {} {}", name, name, flag->value)});
  }
  values.push_back(words[i]);
  return Status::OK();
}

Status Arguments::CheckOperands(const VerbShape& verb) const {
  const auto needed =
      static_cast<size_t>(std::count_if(verb.operands.begin(), verb.operands.end(),
                                        [](const std::string& each) { return each[0] != '['; }));
  if (operands_.size() < needed) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} needs {}", verb.name, verb.operands[operands_.size()]),
                 .fix = UsageFix(verb)});
  }
  const bool repeats = !verb.operands.empty() && verb.operands.back().ends_with("...]");
  if (repeats || operands_.size() <= verb.operands.size()) return Status::OK();
  std::string fix = UsageFix(verb);
  if (!verb.operands_mean.empty()) {
    fix = "protium " + verb.name;
    for (size_t i = 0; i < std::min(operands_.size(), verb.operands_mean.size()); ++i) {
      fix += " " + verb.operands_mean[i] + " " + operands_[i];
    }
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("{}: unexpected argument \"{}\"", verb.name,
                                   operands_[verb.operands.size()]),
               .fix = std::move(fix)});
}

Result<Arguments> Arguments::Read(const VerbShape& verb, const std::vector<std::string>& words) {
  Arguments read;
  bool flags_over = false;
  for (size_t i = 0; i < words.size(); ++i) {
    // A single "-" is an operand: by convention it means a standard stream.
    const bool is_flag = !flags_over && words[i].size() > 1 && words[i][0] == '-';
    if (is_flag && words[i] == "--") {
      flags_over = true;
    } else if (is_flag) {
      PT_TRY(read.TakeFlag(verb, words, i));
    } else {
      read.operands_.push_back(words[i]);
      flags_over = flags_over || verb.runs_command;
    }
  }
  // `run --help` must not require a job.
  if (!read.Has("--help")) PT_TRY(read.CheckOperands(verb));
  return read;
}

std::string Arguments::Value(std::string_view flag, std::string otherwise) const {
  const auto found = flags_.find(flag);
  return found == flags_.end() ? std::move(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::Values(std::string_view flag) const {
  const auto found = flags_.find(flag);
  return found == flags_.end() ? std::vector<std::string>{} : found->second;
}

Result<int64_t> Arguments::Number(std::string_view flag, int64_t otherwise) const {
  if (!Has(flag)) return otherwise;
  const std::string text = Value(flag);
  const auto number = AllAsNumber<int64_t>(text);
  if (number && *number >= 0) return *number;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("{} must be a whole number, got \"{}\"", flag, text)});
}

std::string FormatUsage(const std::string& program, const VerbShape& verb) {
  std::string usage = program + " " + verb.name;
  for (const std::string& operand : verb.operands) usage += " " + operand;
  return verb.flags.empty() ? usage : usage + " [flags]";
}

std::string UsageFix(const VerbShape& verb) {
  return fmt::format("{}; protium help {} explains it", FormatUsage("protium", verb), verb.name);
}

std::string FormatHelp(const std::string& program, const VerbShape& verb) {
  std::string page = verb.says + "\n\nusage: " + FormatUsage(program, verb) + "\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const Flag& flag : verb.flags) {
    rows.push_back({"  " + (flag.also.empty() ? "" : flag.also + ", ") + flag.name +
                        (flag.value.empty() ? "" : " " + flag.value),
                    flag.says});
  }
  if (!rows.empty()) page += WrappedTable(rows);
  if (!verb.more.empty()) page += "\n" + verb.more;
  return page;
}

}  // namespace protium
