// SPDX-License-Identifier: Apache-2.0
#include "java/java_regex_reader.h"

#include <fmt/format.h>

#include <optional>

#include "base/fault.h"
#include "java/code_points.h"

// A class is read directly into a CodeSet, with unions, intersections and negations evaluated,
// since PCRE2 has no intersection and different names for properties.

namespace protium {
namespace {

// Bytes of a pattern that a message repeats.
constexpr size_t kQuoted = 80;

// Java's \d, \h, \s, \v and \w, which are ASCII except for \h and \v; nothing for other letters.
std::optional<CodeSet> Predefined(char32_t letter) {
  CodeSet set;
  const auto add = [&](std::u32string_view points) {
    for (const char32_t point : points) set.Add(point, point);
  };
  switch (letter) {
    // Word characters are the digits and more.
    case 'w':
      set.Add('a', 'z');
      set.Add('A', 'Z');
      add(U"_");
      [[fallthrough]];
    case 'd':
      set.Add('0', '9');
      return set;
    case 'h':
      add(U" \t\u00a0\u1680\u180e\u202f\u205f\u3000");
      set.Add(0x2000, 0x200a);
      return set;
    case 's':
      add(U" \t\n\v\f\r");
      return set;
    case 'v':
      add(U"\n\v\f\r\u0085\u2028\u2029");
      return set;
    default:
      return std::nullopt;
  }
}

char32_t AsLower(char32_t point) { return point >= 'A' && point <= 'Z' ? point + 32 : point; }

}  // namespace

RegexReader::RegexReader(std::string_view java) : java_(java), points_(ToCodePoints(java)) {}

bool RegexReader::TakeText(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (Peek(i) != static_cast<unsigned char>(text[i])) return false;
  }
  at_ += text.size();
  return true;
}

Status RegexReader::Bad(const std::string& why) const {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("'{}{}' is not a regular expression", java_.substr(0, kQuoted),
                                   java_.size() > kQuoted ? "..." : ""),
               .why = why});
}

Status RegexReader::Unknown(const std::string& what) const {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the regular expression '{}{}' is not supported by every engine",
                                   java_.substr(0, kQuoted), java_.size() > kQuoted ? "..." : ""),
               .why = what,
               .fix = "write the pattern without it"});
}

// Under (?i) a range also contains the other case of each of its characters.
CodeSet RegexReader::Range(char32_t first, char32_t last) const {
  CodeSet set;
  set.Add(first, last);
  // Before any negation: [^a] under (?i) also excludes A.
  if (flags_.caseless) set.AddOtherCase(flags_.unicode);
  return set;
}

Result<CodeSet> RegexReader::ReadClass() {
  // A bound on the recursion.
  if (++depth_ > 100) return Bad("classes are nested more than 100 deep");
  const bool negated = TakeText("^");
  PT_LET(CodeSet set, ReadItems());
  if (AtEnd()) return Bad("a class is never closed by ]");
  Skip(1);
  --depth_;
  if (negated) set.Negate();
  return set;
}

// Reads up to the closing bracket, which stands for itself if it comes first. && binds less tightly
// than juxtaposition: [ab&&b] is the intersection of ab and b.
Result<CodeSet> RegexReader::ReadItems() {
  CodeSet all;
  bool first = true;
  while (!AtEnd() && (Peek() != ']' || first)) {
    if (Peek() == '&' && Peek(1) == '&') {
      Skip(2);
      PT_LET(const CodeSet right, ReadIntersected());
      if (first) return Unknown("a class begins with &&");
      all.KeepOnly(right);
    } else if (TakeText("[")) {
      PT_LET(const CodeSet nested, ReadClass());
      all.Add(nested);
    } else {
      PT_LET(const CodeSet item, ReadItem());
      all.Add(item);
    }
    first = false;
  }
  return all;
}

// What follows && up to the next one.
Result<CodeSet> RegexReader::ReadIntersected() {
  CodeSet right;
  bool empty = true;
  while (!AtEnd() && Peek() != ']' && !(Peek() == '&' && Peek(1) == '&')) {
    const bool nested = TakeText("[");
    PT_LET(const CodeSet item, nested ? ReadClass() : ReadItem());
    right.Add(item);
    empty = false;
  }
  if (empty) return Unknown("nothing follows && in a class");
  return right;
}

// A character, an escape or a range. A hyphen that no range can follow stands for itself.
Result<CodeSet> RegexReader::ReadItem() {
  char32_t first = 0;
  if (Peek() != '\\') {
    first = Take();
  } else {
    Skip(1);
    if (Peek() == 'Q') return Unknown("a class contains \\Q");
    if (Peek() == 'p' || Peek() == 'P' || Predefined(AsLower(Peek()))) return ReadEscapedSet();
    PT_LET(first, ReadEscapedPoint());
  }
  if (Peek() != '-' || Peek(1) == ']' || Peek(1) == '[' || Peek(1) == 0) return Single(first);
  // In [a-&&b] the hyphen is a character.
  if (Peek(1) == '&' && Peek(2) == '&') return Single(first);
  Skip(1);
  char32_t last = Take();
  if (last == '\\') {
    PT_LET(last, ReadEscapedPoint());
  }
  if (last < first) return Bad("a range in a class ends before it begins");
  return Range(first, last);
}

Result<CodeSet> RegexReader::ReadEscapedSet() {
  const char32_t letter = Peek();
  if (letter == 'p' || letter == 'P') return ReadProperty();
  if (std::optional<CodeSet> set = Predefined(AsLower(letter))) {
    Skip(1);
    // \D, \S and so on.
    if (letter != AsLower(letter)) set->Negate();
    return std::move(*set);
  }
  PT_LET(const char32_t point, ReadEscapedPoint());
  return Single(point);
}

// \pL, \p{Lu}, \P{L}.
Result<CodeSet> RegexReader::ReadProperty() {
  const bool negated = Take() == 'P';
  std::string name;
  if (!TakeText("{")) {
    if (!AtEnd()) AppendUtf8(Take(), name);
  } else {
    while (!AtEnd() && Peek() != '}') AppendUtf8(Take(), name);
    if (!TakeText("}")) return Bad("\\p{ is never closed");
  }
  CodeSet set;
  if (!set.AddProperty(name)) {
    return Unknown(fmt::format("the property \\p{{{}}} is not known", name.substr(0, kQuoted)));
  }
  if (flags_.caseless) set.AddOtherCase(flags_.unicode);
  if (negated) set.Negate();
  return set;
}

Result<char32_t> RegexReader::ReadHex(size_t digits) {
  char32_t value = 0;
  for (size_t i = 0; i < digits; ++i) {
    const char32_t point = AsLower(Peek());
    const bool letter = point >= 'a' && point <= 'f';
    if (!IsDigit(point) && !letter) return Bad("an escape needs more hexadecimal digits");
    value = value << 4 | (letter ? point - 'a' + 10 : point - '0');
    Skip(1);
  }
  return value;
}

// Up to three digits, and up to \0377: a third digit is taken only if the value stays below 256.
char32_t RegexReader::ReadOctal() {
  char32_t value = 0;
  for (int i = 0; i < 3 && Peek() >= '0' && Peek() <= '7' && value < 32; ++i) {
    value = value << 3 | (Take() - '0');
  }
  return value;
}

Result<char32_t> RegexReader::ReadEscapedPoint() {
  if (AtEnd()) return Bad("it ends in a backslash");
  const char32_t letter = Take();
  switch (letter) {
    case 'a':
      return U'\a';
    case 'e':
      return char32_t{0x1b};
    case 'f':
      return U'\f';
    case 'n':
      return U'\n';
    case 'r':
      return U'\r';
    case 't':
      return U'\t';
    case '0':
      if (Peek() < '0' || Peek() > '7') return Bad("\\0 needs octal digits");
      return ReadOctal();
    case 'x':
      if (Peek() == '{') return Unknown("it contains \\x{");
      return ReadHex(2);
    case 'u':
      return ReadHex(4);
    case 'c':
      if (AtEnd()) return Bad("it ends in \\c");
      // Java's \cx: the character with bit 6 flipped, letter or not.
      return Take() ^ 64;
    default:
      if ((AsLower(letter) >= 'a' && AsLower(letter) <= 'z') || IsDigit(letter)) {
        return Unknown("it contains \\" + ToUtf8(letter));
      }
      return letter;
  }
}

// Java's names are ASCII letters and digits, a letter first; PCRE2 does not accept more than 32
// characters.
Result<std::string> RegexReader::ReadName() {
  std::string name;
  while (!AtEnd() && Peek() != '>') {
    const char32_t point = Take();
    const bool letter = AsLower(point) >= 'a' && AsLower(point) <= 'z';
    if (!letter && (name.empty() || !IsDigit(point))) {
      return Bad("the name of a group may hold only letters and digits");
    }
    name += static_cast<char>(point);
  }
  if (name.empty() || name.size() > 32 || !TakeText(">")) {
    return Bad("the name of a group has 1 to 32 letters and ends in >");
  }
  return name;
}

Result<std::string> RegexReader::ReadCount() {
  std::string count = "{";
  while (IsDigit(Peek()) || (Peek() == ',' && count.find(',') == std::string::npos)) {
    count += static_cast<char>(Take());
  }
  if (!TakeText("}") || !IsDigit(static_cast<unsigned char>(count[1]))) {
    return Bad("braces need a number of repetitions, as in {2} or {2,3}");
  }
  return count + "}";
}

Status RegexReader::ReadFlags() {
  bool on = true;
  for (; Peek() != ')' && Peek() != ':'; Skip(1)) {
    switch (Peek()) {
      case '-':
        on = false;
        break;
      case 'i':
        flags_.caseless = on;
        break;
      case 'u':
        flags_.unicode = on;
        break;
      case 'm':
        flags_.multiline = on;
        break;
      case 's':
        flags_.dotall = on;
        break;
      case 0:
        return Bad("a group is never closed");
      default:
        return Unknown("it contains the flag (?" + ToUtf8(Peek()) + ")");
    }
  }
  return Status::OK();
}

}  // namespace protium
