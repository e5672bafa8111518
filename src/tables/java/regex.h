// SPDX-License-Identifier: Apache-2.0
// Matches with PCRE2 what a Java regular expression matches (java/java_regex.h).
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <string_view>

#include "base/status.h"

namespace protium {

// A compiled Java regular expression. Used by one thread: it holds the buffers of its matches.
class Regex {
 public:
  // A pattern that Java would reject, or that cannot be translated, is a Fault with exit kUsage.
  static Result<Regex> Compile(std::string_view java);

  // Whether `text`, which must be UTF-8, has a match that begins at byte `from` or later.
  // Look-behind sees what precedes `from`. Fails with exit kInput if matching takes too many steps.
  Result<bool> Find(std::string_view text, size_t from);

  // The byte range of the last match.
  size_t start() const { return offsets_[0]; }
  size_t end() const { return offsets_[1]; }
  // Empty if the group took no part in the match.
  std::string_view Group(std::string_view text, uint32_t group) const;

  // The number of groups, not counting the whole match.
  uint32_t groups() const { return groups_; }

 private:
  struct FreeCode {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  };
  struct FreeMatch {
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
  };
  std::unique_ptr<pcre2_code, FreeCode> code_;
  std::unique_ptr<pcre2_match_data, FreeMatch> match_;
  size_t* offsets_ = nullptr;
  uint32_t groups_ = 0;
  bool compiled_to_machine_code_ = false;
};

// Where a search continues after a match: one code point further after an empty match, which would
// otherwise be found for ever; beyond the end if nothing is left.
size_t NextFrom(std::string_view text, const Regex& regex);

}  // namespace protium
