// SPDX-License-Identifier: Apache-2.0
// The command line as a verb sees it: flags and operands, checked against the verb's shape, from
// which the help pages and the usage line are also made. All refusals are faults of Exit::kUsage.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

struct Flag {
  std::string name;   // "--engine"
  std::string value;  // The name of its value in help ("ADDRESS"); empty: it takes none.
  std::string says;   // One line.
  std::string also;   // A short form, "-f".
  // For a flag that takes settings, KEY=VALUE: returns the keys that end in a word, for users who
  // write --epochs 3.
  std::vector<std::string> (*keys_ending)(const std::string& end) = nullptr;
};

// What a verb accepts. Brackets make an operand optional; optional ones come last, and the last of
// them may be repeated: "[RUN...]".
struct VerbShape {
  std::string name;
  std::vector<std::string> operands;  // "JOB", "[RUN]"
  std::vector<Flag> flags;
  std::string says;  // One line.
  std::string more;  // Further help, with examples.
  // The operands are a command: everything after the first one belongs to it.
  bool runs_command = false;
  // For a verb without operands: the flags that stray words are probably meant for.
  std::vector<std::string> operands_mean = {};
};

class Arguments {
 public:
  // Reads the words after the verb. An unknown flag is refused with the nearest one. "--flag value"
  // and "--flag=value" are the same; after "--" everything is an operand.
  static Result<Arguments> Read(const VerbShape& verb, const std::vector<std::string>& words);

  bool Has(std::string_view flag) const { return flags_.contains(flag); }
  // The last value given, or `otherwise`.
  std::string Value(std::string_view flag, std::string otherwise = "") const;
  std::vector<std::string> Values(std::string_view flag) const;
  // A whole number from 0 on, or `otherwise`.
  Result<int64_t> Number(std::string_view flag, int64_t otherwise) const;
  // Empty if the operand was left out.
  std::string operand(size_t i) const { return i < operands_.size() ? operands_[i] : ""; }
  size_t num_operands() const { return operands_.size(); }

 private:
  Status TakeFlag(const VerbShape& verb, const std::vector<std::string>& words, size_t& i);
  Status CheckOperands(const VerbShape& verb) const;

  std::map<std::string, std::vector<std::string>, std::less<>> flags_;
  std::vector<std::string> operands_;
};

// "protium run JOB [flags]"
std::string FormatUsage(const std::string& program, const VerbShape& verb);
// What to do about operands or flags that are missing: the usage, and where the flags are listed.
std::string UsageFix(const VerbShape& verb);
// The page that `protium help COMMAND` shows.
std::string FormatHelp(const std::string& program, const VerbShape& verb);

}  // namespace protium
