// SPDX-License-Identifier: Apache-2.0
// get_json_object() after Spark's GetJsonObjectEvaluator, with the case there that handles each
// step: the matches of a wildcard are joined as in Hive, a single match without brackets.
#include "java/json_path.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "java/json_tokens.h"

namespace protium {
namespace {

using Step = JsonStep;
using Kind = JsonTokens::Kind;
using Steps = std::span<const JsonStep>;

// How a text that is found is written: bare, in quotes, or, for an array, as its elements.
enum class Style { kRaw, kQuoted, kFlat };

// What is written, with commas between the elements of an array as Jackson's generator puts them.
struct Output {
  std::string text;
  bool in_array = false, empty = true;
  bool apart = false;  // Joined to the rest as it is.

  void Separate() {
    if (in_array && !empty) text += ',';
    empty = false;
  }
};

class Walk {
 public:
  explicit Walk(std::string_view json) : tokens_(json) {}

  std::optional<std::string> Run(Steps path) {
    Output out;
    tokens_.Next();
    const bool found = Follow(path, Style::kRaw, out);
    return found && !bad_ ? std::optional(out.text) : std::nullopt;
  }

 private:
  // Follows the path from the current token on, to the end of its value; returns whether something
  // was written. If the value is not JSON, nothing of it counts.
  bool Follow(Steps path, Style style, Output& out) {
    const Kind kind = tokens_.kind();
    if (kind == Kind::kBad || kind == Kind::kNone) return Fail();
    if (path.empty()) return Write(style, out);
    if (kind == Kind::kStartObject && path[0] == Step::Kind::kKey) return Fields(path, style, out);
    if (kind == Kind::kStartArray && path[0] == Step::Kind::kSubscript) {
      return Elements(path, style, out);
    }
    if (!tokens_.SkipChildren()) Fail();
    return false;
  }

  bool Fail() {
    bad_ = true;
    return false;
  }

  // Whether there is another token before the end of this object or array.
  bool More(Kind end) {
    const Kind kind = tokens_.Next();
    if (kind == Kind::kBad || kind == Kind::kNone) return Fail();
    return kind != end && !bad_;
  }

  bool Write(Style style, Output& out) {
    if (tokens_.kind() == Kind::kText && style == Style::kRaw) {
      out.text += tokens_.text();
      return true;
    }
    if (tokens_.kind() == Kind::kStartArray && style == Style::kFlat) {
      bool dirty = false;
      while (More(Kind::kEndArray)) dirty |= Follow({}, style, out);
      return dirty;
    }
    out.Separate();
    return tokens_.Copy(out.text, !out.apart) || Fail();
  }

  // The first field that leads somewhere ends the search.
  bool Fields(Steps path, Style style, Output& out) {
    bool dirty = false;
    while (More(Kind::kEndObject)) {
      const bool named = tokens_.text() == path[1].name;
      const Kind value = tokens_.Next();
      if (value == Kind::kBad) return Fail();
      if (!dirty && named && value != Kind::kNull) {
        dirty = Follow(path.subspan(2), style, out);
      } else if (!tokens_.SkipChildren()) {
        return Fail();
      }
    }
    return dirty;
  }

  bool Elements(Steps path, Style style, Output& out) {
    const auto is = [&](size_t i, Step::Kind kind) { return i < path.size() && path[i] == kind; };
    const bool all = is(1, Step::Kind::kWildcard), nested = is(2, Step::Kind::kSubscript);
    if (all && nested && is(3, Step::Kind::kWildcard)) {
      return Bracketed(path.subspan(4), Style::kFlat, out);
    }
    if (all && style != Style::kQuoted) return Unwrapped(path.subspan(2), style, out);
    if (all) return Bracketed(path.subspan(2), Style::kQuoted, out);
    const bool several = nested && is(3, Step::Kind::kWildcard);
    return Element(path[1].index, path.subspan(2), several ? Style::kQuoted : style, out);
  }

  // Everything found, as an array.
  bool Bracketed(Steps rest, Style style, Output& out) {
    Output inner{.text = "[", .in_array = true, .apart = out.apart};
    bool dirty = false;
    while (More(Kind::kEndArray)) dirty |= Follow(rest, style, inner);
    out.Separate();
    out.text += inner.text + ']';
    return dirty;
  }

  // The same, without brackets around a single match.
  bool Unwrapped(Steps rest, Style style, Output& out) {
    Output inner{.text = "", .in_array = true, .apart = true};
    int matches = 0;
    while (More(Kind::kEndArray)) {
      matches += Follow(rest, style == Style::kRaw ? Style::kQuoted : style, inner) ? 1 : 0;
    }
    if (matches == 0) return false;
    out.Separate();
    out.text += matches > 1 ? '[' + inner.text + ']' : inner.text;
    return true;
  }

  bool Element(int64_t index, Steps rest, Style style, Output& out) {
    bool dirty = false;
    for (int64_t i = 0; More(Kind::kEndArray); ++i) {
      if (i == index) {
        dirty = Follow(rest, style, out);
      } else if (!tokens_.SkipChildren()) {
        return Fail();
      }
    }
    return dirty;
  }

  JsonTokens tokens_;
  bool bad_ = false;
};

// The parts of a path as Spark's JsonPathParser reads them. Blanks before names and numbers are
// ignored.
class PathReader {
 public:
  explicit PathReader(std::string_view path) : rest_(path) {}

  std::optional<std::vector<JsonStep>> Run() {
    if (!Take("$")) return std::nullopt;
    while (!rest_.empty()) {
      if (!Node()) return std::nullopt;
    }
    return std::move(steps_);
  }

 private:
  bool Take(std::string_view start) {
    if (!rest_.starts_with(start)) return false;
    rest_.remove_prefix(start.size());
    return true;
  }

  // The text before the first of `ends`; nothing if that is empty.
  std::optional<std::string> Until(std::string_view ends) {
    const size_t begin = std::min(rest_.find_first_not_of(" \t\r\n\f\v"), rest_.size());
    const size_t end = std::min(rest_.find_first_of(ends, begin), rest_.size());
    if (begin == end) return std::nullopt;
    std::string name(rest_.substr(begin, end - begin));
    rest_.remove_prefix(end);
    return name;
  }

  // .* alone leads nowhere, in Spark as well.
  bool Node() {
    if (Take(".*") || Take("['*']")) {
      steps_.push_back({Step::Kind::kWildcard});
      return true;
    }
    if (Take(".")) return Named(Until(".["));
    if (Take("['")) return Named(Until("'?")) && Take("']");
    return Take("[") && Subscript() && Take("]");
  }

  bool Named(const std::optional<std::string>& name) {
    if (!name) return false;
    steps_.push_back({Step::Kind::kKey});
    steps_.push_back({Step::Kind::kNamed, 0, *name});
    return true;
  }

  bool Subscript() {
    steps_.push_back({Step::Kind::kSubscript});
    if (Take("*")) {
      steps_.push_back({Step::Kind::kWildcard});
      return true;
    }
    const auto digits = Until("]");
    if (!digits || digits->find_first_not_of("0123456789") != std::string::npos) return false;
    int64_t index = 0;
    const char* const end = digits->data() + digits->size();
    if (std::from_chars(digits->data(), end, index).ec != std::errc()) return false;
    steps_.push_back({Step::Kind::kIndex, index});
    return true;
  }

  std::string_view rest_;
  std::vector<JsonStep> steps_;
};

}  // namespace

std::optional<std::vector<JsonStep>> ReadJsonPath(std::string_view path) {
  return PathReader(path).Run();
}

std::optional<std::string> FollowJsonPath(std::string_view json,
                                          const std::vector<JsonStep>& path) {
  return Walk(json).Run(path);
}

}  // namespace protium
