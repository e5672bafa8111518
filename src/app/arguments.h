// SPDX-License-Identifier: Apache-2.0
// A command line against a table of verbs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

struct Flag {
  std::string name;   // "--engine"; a short "-f" stands in `also`.
  std::string value;  // How help calls its value; empty: it takes none.
  std::string says;
  std::string also;
};

struct VerbShape {
  std::string name;
  std::vector<std::string> operands;  // "JOB", "[RUN]" where it may be left out, "A" "B".
  std::vector<Flag> flags;
  std::string says;  // One line.
  std::string more;  // Examples and what else there is to know.
};

class Arguments {
 public:
  // Reads what stands after the verb. A flag that the verb does not know is refused with the
  // nearest one; "--flag value" and "--flag=value" are the same; "--" ends the flags.
  static Result<Arguments> Read(const VerbShape& verb, const std::vector<std::string>& words);

  bool Has(std::string_view flag) const { return flags_.contains(flag); }
  // The last value given, or `otherwise`.
  std::string Value(std::string_view flag, std::string otherwise = "") const;
  std::vector<std::string> Values(std::string_view flag) const;
  Result<int64_t> Number(std::string_view flag, int64_t otherwise) const;
  // Empty where an operand was left out.
  std::string operand(size_t i) const { return i < operands_.size() ? operands_[i] : ""; }
  size_t num_operands() const { return operands_.size(); }

 private:
  Status TakeFlag(const VerbShape& verb, const std::vector<std::string>& words, size_t& i);
  Status CheckOperands(const VerbShape& verb) const;

  std::map<std::string, std::vector<std::string>, std::less<>> flags_;
  std::vector<std::string> operands_;
};

// "protium run JOB [--engine ADDRESS] ..."
std::string UsageOf(const std::string& program, const VerbShape& verb);
// The page that `protium help VERB` shows.
std::string HelpOf(const std::string& program, const VerbShape& verb);

}  // namespace protium
