// SPDX-License-Identifier: Apache-2.0
#include "java/regex.h"

#include <fmt/format.h>

#include <string>

#include "base/fault.h"
#include "base/utf8.h"
#include "java/code_points.h"
#include "java/java_regex.h"

namespace protium {
namespace {

// Bytes of a pattern that a message repeats.
constexpr size_t kQuoted = 80;

std::string ErrorMessage(int error) {
  PCRE2_UCHAR text[160];
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

Status CannotCompile(std::string_view java, int error) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the regular expression '{}' is not supported by every engine",
                                   Shortened(java, kQuoted)),
               .why = ErrorMessage(error),
               .fix = "write the pattern in another way"});
}

}  // namespace

Result<Regex> Regex::Compile(std::string_view java) {
  PT_LET(const std::string pattern, ToPcre(java));
  int error = 0;
  size_t at = 0;
  Regex regex;
  // We wrote the pattern in ASCII, and texts are valid UTF-8 since they come from DuckDB: nothing
  // needs to be checked.
  regex.code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                  PCRE2_UTF | PCRE2_DOTALL | PCRE2_NO_UTF_CHECK, &error, &at,
                                  nullptr));
  if (regex.code_ == nullptr) return CannotCompile(java, error);
  // Fails on machines that forbid memory that is both writable and executable; then the interpreter
  // does all the work.
  regex.compiled_to_machine_code_ = pcre2_jit_compile(regex.code_.get(), PCRE2_JIT_COMPLETE) == 0;
  regex.match_.reset(pcre2_match_data_create_from_pattern(regex.code_.get(), nullptr));
  if (regex.match_ == nullptr) return Status::OutOfMemory("no memory for a regular expression");
  regex.offsets_ = pcre2_get_ovector_pointer(regex.match_.get());
  pcre2_pattern_info(regex.code_.get(), PCRE2_INFO_CAPTURECOUNT, &regex.groups_);
  return regex;
}

Result<bool> Regex::Find(std::string_view text, size_t from) {
  if (from > text.size()) return false;
  const auto* const bytes = reinterpret_cast<PCRE2_SPTR>(text.data());
  int found = PCRE2_ERROR_JIT_STACKLIMIT;
  if (compiled_to_machine_code_) {
    found = pcre2_jit_match(code_.get(), bytes, text.size(), from, 0, match_.get(), nullptr);
  }
  // The machine code has a stack of 32 KiB; the interpreter uses the heap instead, and so finds a
  // result where the machine code gave up.
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
    found = pcre2_match(code_.get(), bytes, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                        match_.get(), nullptr);
  }
  // The number of groups that matched, which does not matter here.
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  return Fail({.exit = Exit::kInput,
               .what = "a regular expression gave up: " + ErrorMessage(found),
               .why = "there are too many ways to match the text",
               .fix = "write the pattern so that its repetitions do not overlap"});
}

std::string_view Regex::Group(std::string_view text, uint32_t group) const {
  const size_t start = offsets_[2 * group], end = offsets_[2 * group + 1];
  return start == PCRE2_UNSET ? std::string_view() : text.substr(start, end - start);
}

size_t NextFrom(std::string_view text, const Regex& regex) {
  if (regex.end() != regex.start()) return regex.end();
  return regex.end() < text.size() ? regex.end() + CodeLength(text[regex.end()]) : text.size() + 1;
}

}  // namespace protium
