// SPDX-License-Identifier: Apache-2.0
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <string_view>

#include "base/status.h"

namespace protium {

// A regular expression of Java's, ready to be matched with texts. For one thread.
class Regex {
 public:
  static Result<Regex> Compile(std::string_view java);

  // Whether `text` holds a match that begins at byte `from` or later; what came before `from` is
  // seen by conditions that look back. Failing is running out of steps.
  Result<bool> Find(std::string_view text, size_t from);

  // The last match found.
  size_t start() const { return offsets_[0]; }
  size_t end() const { return offsets_[1]; }
  // Empty where the group took no part.
  std::string_view Group(std::string_view text, uint32_t group) const;

  // Groups, without the whole match.
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

// Where a search goes on behind a match, which may be empty; behind the end when nothing is left.
size_t NextFrom(std::string_view text, const Regex& regex);

}  // namespace protium
