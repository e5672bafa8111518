// SPDX-License-Identifier: Apache-2.0
// SQL functions on regular expressions, and LIKE. A pattern may come from a column, so it is
// compiled when it changes from one row to the next. Positions are bytes internally and code points
// in SQL. An error in a pattern ends the query, as in Spark, and is not a null.
#include <fmt/format.h>

#include <optional>

#include "base/fault.h"
#include "base/text.h"
#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/code_points.h"
#include "java/regex.h"

namespace protium {
namespace {

// The compiled pattern of a chunk's rows: most queries have one for all of them.
class Patterns : public Chunk {
 public:
  // Returns the compiled pattern; null, with the error set, for an invalid one.
  Regex* For(Text pattern) {
    if (regex_ && pattern == pattern_) return &*regex_;
    Result<Regex> compiled = Regex::Compile(pattern);
    if (!compiled.ok()) return Fails(compiled.status()), nullptr;
    pattern_ = pattern;
    return &regex_.emplace(std::move(*compiled));
  }

  bool Find(Regex& regex, Text text, size_t from) {
    const Result<bool> found = regex.Find(text, from);
    if (!found.ok()) Fails(found.status());
    return found.ok() && *found;
  }

 private:
  void Fails(const Status& status) {
    const Fault fault = FaultOf(status);
    error = fault.why.empty() ? fault.what : fault.what + ": " + fault.why;
  }
  std::string pattern_;
  std::optional<Regex> regex_;
};

std::optional<bool> Matches(Patterns& patterns, Text text, Text pattern) {
  Regex* const regex = patterns.For(pattern);
  if (regex == nullptr) return std::nullopt;
  return patterns.Find(*regex, text, 0);
}

// Sets the error if the pattern has no such group; 0 is the whole match.
bool HasGroup(Patterns& patterns, const Regex& regex, int32_t group) {
  if (group >= 0 && static_cast<uint32_t>(group) <= regex.groups()) return true;
  patterns.error = fmt::format("there is no group {} in a regular expression with {} groups", group,
                               regex.groups());
  return false;
}

std::optional<Text> Extract(Patterns& patterns, Text text, Text pattern, int32_t group) {
  Regex* const regex = patterns.For(pattern);
  if (regex == nullptr) return std::nullopt;
  // Returns an empty text, not a null, if nothing matches; the group is checked only if something
  // does, as in Spark.
  if (!patterns.Find(*regex, text, 0)) return Text();
  if (!HasGroup(patterns, *regex, group)) return std::nullopt;
  return regex->Group(text, static_cast<uint32_t>(group));
}

std::optional<Texts> ExtractAll(Patterns& patterns, Text text, Text pattern, int32_t group) {
  Regex* const regex = patterns.For(pattern);
  if (regex == nullptr) return std::nullopt;
  Texts all;
  for (size_t from = 0; patterns.Find(*regex, text, from); from = NextFrom(text, *regex)) {
    if (!HasGroup(patterns, *regex, group)) return std::nullopt;
    all.emplace_back(regex->Group(text, static_cast<uint32_t>(group)));
  }
  return all;
}

std::optional<int32_t> CountMatches(Patterns& patterns, Text text, Text pattern) {
  Regex* const regex = patterns.For(pattern);
  if (regex == nullptr) return std::nullopt;
  int32_t count = 0;
  for (size_t from = 0; patterns.Find(*regex, text, from); from = NextFrom(text, *regex)) ++count;
  return count;
}

std::optional<int32_t> PositionOfMatch(Patterns& patterns, Text text, Text pattern) {
  Regex* const regex = patterns.For(pattern);
  if (regex == nullptr) return std::nullopt;
  if (!patterns.Find(*regex, text, 0)) return 0;
  return static_cast<int32_t>(CountCodePoints(text.substr(0, regex->start()))) + 1;
}

// regexp_substr: an empty match counts as none.
std::optional<Text> FirstMatch(Patterns& patterns, Text text, Text pattern) {
  Regex* const regex = patterns.For(pattern);
  if (regex == nullptr || !patterns.Find(*regex, text, 0)) return std::nullopt;
  if (regex->end() == regex->start()) return std::nullopt;
  return regex->Group(text, 0);
}

// Appends what a Java replacement stands for (Matcher.appendReplacement): $3 is a group, \x is x.
bool AppendReplacement(Patterns& patterns, const Regex& regex, Text text, Text replacement,
                       std::string& out) {
  const auto digit = [&](size_t at) { return at < replacement.size() && IsDigit(replacement[at]); };
  for (size_t i = 0; i < replacement.size(); ++i) {
    const bool escaped = replacement[i] == '\\';
    if (escaped && ++i == replacement.size()) {
      patterns.error = "the replacement of regexp_replace ends in a backslash";
      return false;
    }
    if (escaped || replacement[i] != '$') {
      out += replacement[i];
      continue;
    }
    if (!digit(i + 1)) {
      patterns.error = "a $ in the replacement of regexp_replace needs the number of a group";
      return false;
    }
    uint32_t group = static_cast<uint32_t>(replacement[++i] - '0');
    // Takes as many digits as still name a group: $12 is group 1 followed by a 2 if there is no
    // group 12.
    while (digit(i + 1) && group * 10 + (replacement[i + 1] - '0') <= regex.groups()) {
      group = group * 10 + static_cast<uint32_t>(replacement[++i] - '0');
    }
    if (!HasGroup(patterns, regex, static_cast<int32_t>(group))) return false;
    out += regex.Group(text, group);
  }
  return true;
}

// regexp_replace: replaces every match from character number `position` on, counted from 1.
std::optional<std::string> Replace(Patterns& patterns, Text text, Text pattern, Text replacement,
                                   int32_t position) {
  Regex* const regex = patterns.For(pattern);
  if (regex == nullptr) return std::nullopt;
  if (position < 1) {
    patterns.error = fmt::format("the position of regexp_replace is {}, not 1 or more", position);
    return std::nullopt;
  }
  const size_t start = FindOffset(text, position - 1);
  if (position > 1 && start == text.size()) return std::string(text);
  std::string out(text.substr(0, start));
  // A separate text: anchors and look-behind do not see what precedes it, as with Java's
  // Matcher.region(), which Spark uses.
  const Text rest = text.substr(start);
  size_t copied = 0;
  for (size_t from = 0; patterns.Find(*regex, rest, from); from = NextFrom(rest, *regex)) {
    out += rest.substr(copied, regex->start() - copied);
    if (!AppendReplacement(patterns, *regex, rest, replacement, out)) return std::nullopt;
    copied = regex->end();
  }
  out += rest.substr(copied);
  return out;
}

// The code points of a text; with a limit above 0, the last of that many parts holds the rest.
Texts Characters(Text text, int32_t limit) {
  Texts parts;
  size_t at = 0;
  while (at < text.size() && static_cast<int32_t>(parts.size()) + 1 != limit) {
    parts.emplace_back(text.substr(at, CodeLength(text[at])));
    at += parts.back().size();
  }
  if (at < text.size()) parts.emplace_back(text.substr(at));
  return parts;
}

// split: with a limit above 0, the last of that many parts holds the rest; otherwise all parts are
// returned, including empty ones at the end (Spark passes -1 to Java for 0).
std::optional<Texts> Split(Patterns& patterns, Text text, Text pattern, int32_t limit) {
  // Spark treats an empty pattern specially (UTF8String.split): it returns the characters, where
  // Java would add an empty part at the end.
  if (pattern.empty() && !text.empty()) return Characters(text, limit);
  Regex* const regex = patterns.For(pattern);
  if (regex == nullptr) return std::nullopt;
  Texts parts;
  size_t copied = 0;
  for (size_t from = 0;
       static_cast<int32_t>(parts.size()) + 1 != limit && patterns.Find(*regex, text, from);
       from = NextFrom(text, *regex)) {
    if (regex->end() == 0) continue;  // An empty match at the very front splits nothing off.
    parts.emplace_back(text.substr(copied, regex->start() - copied));
    copied = regex->end();
  }
  // A failed search looks like the end of the matches.
  if (!patterns.error.empty()) return std::nullopt;
  parts.emplace_back(text.substr(copied));
  return parts;
}

// A pattern of LIKE, read once for the rows that share it.
struct Wildcards : Chunk {
  std::string pattern;
  char32_t escape = 0;
  bool read = false;
  // The bytes to compare, and
  std::string letters;
  // what each of them is: '=' itself, '_' any code point, '%' any text.
  std::string kinds;

  bool Read(Text given, Text given_escape) {
    const std::u32string escapes = ToCodePoints(given_escape);
    if (escapes.size() != 1) return error = "the escape of LIKE must be one character", false;
    if (read && given == pattern && escapes[0] == escape) return true;
    letters.clear();
    kinds.clear();
    pattern = given;
    escape = escapes[0];
    read = true;
    return ReadParts(ToCodePoints(given));
  }

 private:
  void Add(std::string_view bytes, char kind) {
    letters += bytes;
    kinds.append(bytes.size(), kind);
  }

  bool ReadParts(const std::u32string& points) {
    for (size_t i = 0; i < points.size(); ++i) {
      if (points[i] == escape) {
        const char32_t next = i + 1 < points.size() ? points[i + 1] : 0;
        if (next != '%' && next != '_' && next != escape) {
          error = "the pattern '" + pattern.substr(0, 80) +
                  "' of LIKE has its escape before a character other than %, _ and itself";
          read = false;
          return false;
        }
        Add(ToUtf8(points[++i]), '=');
      } else if (points[i] == '%' || points[i] == '_') {
        // The byte means nothing: it keeps `letters` and `kinds` in step.
        Add("x", static_cast<char>(points[i]));
      } else {
        Add(ToUtf8(points[i]), '=');
      }
    }
    return true;
  }
};

// After a mismatch it goes back only to the last %: that suffices, since an earlier % could only
// skip more, and bounds the time by the product of the lengths.
std::optional<bool> Like(Wildcards& wildcards, Text text, Text pattern, Text escape) {
  if (!wildcards.Read(pattern, escape)) return std::nullopt;
  const std::string &kinds = wildcards.kinds, &letters = wildcards.letters;
  size_t at = 0, part = 0, retry_at = 0, retry_part = std::string::npos;
  while (at < text.size()) {
    if (part < kinds.size() && kinds[part] == '%') {
      retry_part = ++part;
      retry_at = at;
    } else if (part < kinds.size() && kinds[part] == '_') {
      at += CodeLength(text[at]);
      ++part;
    } else if (part < kinds.size() && letters[part] == text[at]) {
      ++at;
      ++part;
    } else if (retry_part != std::string::npos) {
      retry_at += CodeLength(text[retry_at]);
      at = retry_at;
      part = retry_part;
    } else {
      return false;
    }
  }
  return kinds.find_first_not_of('%', part) == std::string::npos;
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&CountMatches>("pt_regexp_count").FailsFor({1}),
    AsRowFunction<&Extract>("pt_regexp_extract").FailsFor({1}),
    AsRowFunction<&ExtractAll>("pt_regexp_extract_all").FailsFor({1}),
    AsRowFunction<&PositionOfMatch>("pt_regexp_instr").FailsFor({1}),
    AsRowFunction<&Matches>("pt_regexp_like").FailsFor({1}),
    AsRowFunction<&Replace>("pt_regexp_replace").FailsFor({1, 2}),
    AsRowFunction<&FirstMatch>("pt_regexp_substr").FailsFor({1}),
    AsRowFunction<&Split>("pt_split").FailsFor({1}),
    AsRowFunction<&Like>("pt_like").FailsFor({1, 2}),
};

}  // namespace

std::span<const RowFunction> RegexFunctions() { return kFunctions; }

}  // namespace protium
