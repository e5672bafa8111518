// SPDX-License-Identifier: Apache-2.0
#include "java/java_regex.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "java/code_points.h"
#include "java/java_regex_reader.h"

// A recursive descent over the pattern that writes PCRE2 as it goes: Alternatives > Repeated > Atom
// and Quantifier. Flags such as (?i) are applied here and never passed on: a caseless letter
// becomes a class of its cases. The base class reads what a class, an escape or a count means
// (java/java_regex_reader.h).

namespace protium {
namespace {

// Java's line terminators; PCRE2 has different sets of them.
constexpr std::string_view kLineEnds = "\\n\\r\\x{85}\\x{2028}\\x{2029}";
// $ without (?m), and \Z: the end, or the last line terminator before it; never inside \r\n.
constexpr std::string_view kEnd = "(?=(?:\\r\\n|(?<!\\r)\\n|[\\r\\x{85}\\x{2028}\\x{2029}])?\\z)";
// $ and ^ with (?m). ^ does not match behind a terminator that ends the text.
constexpr std::string_view kEndOfLine = "(?=\\z|(?<!\\r)\\n|[\\r\\x{85}\\x{2028}\\x{2029}])";
constexpr std::string_view kStartOfLine =
    "(?:(?!\\z)(?:\\A|(?<=[\\n\\x{85}\\x{2028}\\x{2029}])|(?<=\\r)(?!\\n)))";
// For \b: Java 17 counts letters and digits of all scripts, and the marks on them, as parts of
// words.
constexpr std::string_view kWord = "[\\p{L}\\p{Nd}\\p{Mn}_]";

class Translation : RegexReader {
 public:
  explicit Translation(std::string_view java) : RegexReader(java) {}

  Result<std::string> Run() {
    PT_TRY(Alternatives());
    if (!AtEnd()) return Bad("a closing parenthesis has no opening one");
    // Known only at the end: a reference may precede its group.
    if (referred_ > groups_) return Bad(fmt::format("there is no group {}", referred_));
    return std::move(out_);
  }

 private:
  // Everything up to the parenthesis that closes the group, or to the end. Flags that were set
  // inside end with it.
  Status Alternatives() {
    const RegexFlags outer = flags_;
    while (!AtEnd() && Peek() != ')') {
      if (Peek() == '|') {
        out_ += '|';
        Skip(1);
      } else {
        PT_TRY(Repeated());
      }
    }
    flags_ = outer;
    return Status::OK();
  }

  Status Repeated() {
    const size_t start = out_.size();
    PT_TRY(Atom());
    // Flags, or \Q\E around nothing: there is nothing to repeat.
    if (out_.size() == start) return Status::OK();
    return Quantifier();
  }

  Status Atom() {
    switch (const char32_t point = Take()) {
      case '(':
        return Group();
      case '[':
        return Class();
      case '\\':
        return Escape();
      case '.':
        out_ += flags_.dotall ? "." : fmt::format("[^{}]", kLineEnds);
        return Status::OK();
      case '^':
        // PCRE2's ^ and $ have their own definition of a line, so they are never written.
        out_ += flags_.multiline ? kStartOfLine : "\\A";
        return Status::OK();
      case '$':
        out_ += flags_.multiline ? kEndOfLine : kEnd;
        return Status::OK();
      case '*':
      case '+':
      case '?':
        return Bad(fmt::format("there is nothing for \"{}\" to repeat", ToUtf8(point)));
      case '{':
        return Bad("a brace that repeats nothing must be written \\{");
      default:
        Literal(point);
        return Status::OK();
    }
  }

  // Writes the number, except for letters, digits and the space, so that nothing is taken for
  // syntax.
  void Literal(char32_t point) {
    const bool letter = (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');
    if (flags_.caseless && (letter || flags_.unicode)) {
      out_ += Single(point).ToPcre();
    } else if (letter || (point >= '0' && point <= '9') || point == ' ') {
      out_ += static_cast<char>(point);
    } else {
      fmt::format_to(std::back_inserter(out_), "\\x{{{:x}}}", static_cast<uint32_t>(point));
    }
  }

  Status Class() {
    PT_LET(const CodeSet set, ReadClass());
    out_ += set.ToPcre();
    return Status::OK();
  }

  Status Group() {
    if (Peek() != '?') {
      ++groups_;
      return Body("(");
    }
    Skip(1);
    // These are spelt the same in PCRE2. It refuses look-behind of unlimited length when it
    // compiles the pattern.
    for (const std::string_view plain : {":", "=", "!", ">", "<=", "<!"}) {
      if (TakeText(plain)) return Body("(?" + std::string(plain));
    }
    if (TakeText("<")) {
      PT_LET(const std::string name, ReadName());
      ++groups_;
      return Body("(?<" + name + ">");
    }
    return Flags();
  }

  Status Body(const std::string& start) {
    // A bound on the recursion: patterns also come from data, and a deep one must not use up the
    // stack.
    if (++depth_ > 200) return Bad("groups are nested more than 200 deep");
    out_ += start;
    PT_TRY(Alternatives());
    --depth_;
    if (AtEnd()) return Bad("a group is never closed");
    Skip(1);
    out_ += ')';
    return Status::OK();
  }

  // (?i) applies up to the end of the group around it, (?i:...) within its own.
  Status Flags() {
    const RegexFlags outer = flags_;
    PT_TRY(ReadFlags());
    if (TakeText(")")) return Status::OK();
    if (!TakeText(":")) return Bad("a group begins with unknown characters");
    PT_TRY(Body("(?:"));
    flags_ = outer;
    return Status::OK();
  }

  Status Escape() {
    if (AtEnd()) return Bad("it ends in a backslash");
    const char32_t point = Peek();
    if (point >= '1' && point <= '9') return Reference();
    if (point == 'Q') return Quoted();
    if (point == 'k') return NamedReference();
    if (const std::string_view anchor = Anchor(point); !anchor.empty()) {
      Skip(1);
      out_ += anchor;
      return Status::OK();
    }
    PT_LET(const CodeSet set, ReadEscapedSet());
    out_ += set.ToPcre();
    return Status::OK();
  }

  static std::string_view Anchor(char32_t point) {
    static const std::string kBoundary = fmt::format("(?:(?<={0})(?!{0})|(?<!{0})(?={0}))", kWord);
    static const std::string kNoBoundary =
        fmt::format("(?:(?<={0})(?={0})|(?<!{0})(?!{0}))", kWord);
    switch (point) {
      case 'A':
        return "\\A";
      case 'z':
        return "\\z";
      case 'Z':
        return kEnd;
      case 'b':
        return kBoundary;
      case 'B':
        return kNoBoundary;
      case 'R':
        return "(?:\\r\\n|[\\n\\x{b}\\x{c}\\r\\x{85}\\x{2028}\\x{2029}])";
      default:
        return {};
    }
  }

  // \12 is group 12 if there are that many groups so far, otherwise group 1 followed by "2".
  Status Reference() {
    int number = static_cast<int>(Take() - '0');
    while (IsDigit(Peek()) && number * 10 + static_cast<int>(Peek() - '0') <= groups_) {
      number = number * 10 + static_cast<int>(Take() - '0');
    }
    referred_ = std::max(referred_, number);
    return Refer(std::to_string(number));
  }

  Status NamedReference() {
    Skip(1);
    if (!TakeText("<")) return Bad("\\k must be followed by the name of a group, as in \\k<name>");
    PT_LET(const std::string name, ReadName());
    return Refer(name);
  }

  Status Refer(const std::string& group) {
    // PCRE2's caseless flag is never set, so a back reference would compare exactly.
    if (flags_.caseless) return Unknown("a back reference ignores case");
    out_ += (IsDigit(static_cast<char32_t>(group[0])) ? "\\g{" : "\\k{") + group + "}";
    return Status::OK();
  }

  // \Q...\E: a quantifier behind it repeats only the last character.
  Status Quoted() {
    Skip(1);
    while (!AtEnd() && !TakeText("\\E")) Literal(Take());
    return Status::OK();
  }

  Status Quantifier() {
    std::string count;
    if (Peek() == '*' || Peek() == '+' || Peek() == '?') {
      count = static_cast<char>(Take());
    } else if (TakeText("{")) {
      PT_LET(count, ReadCount());
    } else {
      return Status::OK();
    }
    // Java's greedy, reluctant (?) and possessive (+) quantifiers are spelt the same in PCRE2.
    out_ += count;
    if (Peek() == '?' || Peek() == '+') out_ += static_cast<char>(Take());
    return Status::OK();
  }

  std::string out_;
  int groups_ = 0;
  int referred_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<std::string> ToPcre(std::string_view java) { return Translation(java).Run(); }

}  // namespace protium
