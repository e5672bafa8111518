// SPDX-License-Identifier: Apache-2.0
// One pass over the tokens, with a row for each form. A row sees a token, its neighbours, and the
// parentheses and brackets around it.
#include "sql_text/foreign_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace protium {
namespace {

using Kind = Token::Kind;

// The token that a row looks at, and its surroundings.
class Spot {
 public:
  explicit Spot(const Spelling& sql) : sql_(sql) {}

  // Moves on to the next token; false at the end.
  bool Next() {
    const Token& token = At(0);
    if (token.Is("(") || token.Is("[")) opens_.push_back(at_);
    if ((token.Is(")") || token.Is("]")) && !opens_.empty()) opens_.pop_back();
    ++at_;
    return At(-1).kind != Kind::kEnd;
  }
  // The token `ahead` positions further; before the first token, one of kEnd.
  const Token& At(int ahead) const {
    const bool before = ahead < 0 && size_t(-ahead) > at_;
    return before ? none_ : sql_.TokenAt(at_ + size_t(std::ptrdiff_t(ahead)));
  }
  bool Is(int ahead, std::initializer_list<std::string_view> words) const {
    const std::string& word = At(ahead).word;
    return !word.empty() && std::ranges::find(words, std::string_view(word)) != words.end();
  }
  bool IsKind(int ahead, Kind kind) const { return At(ahead).kind == kind; }
  bool InBrackets() const { return !opens_.empty() && sql_.TokenAt(opens_.back()).Is("["); }
  // Whether the innermost parentheses are those of a call, and contain no query.
  bool InCall() const {
    if (opens_.empty() || opens_.back() == 0) return false;
    const Token& name = sql_.TokenAt(opens_.back() - 1);
    const Token& first = sql_.TokenAt(opens_.back() + 1);
    if (name.kind != Kind::kWord && name.kind != Kind::kName) return false;
    for (const char* word : {"OVER", "GROUP", "AS", "FROM", "IN", "EXISTS", "JOIN", "LATERAL"}) {
      if (name.Is(word)) return false;
    }
    for (const char* word : {"SELECT", "WITH", "FROM", "VALUES", "("}) {
      if (first.Is(word)) return false;
    }
    return true;
  }
  // Whether the previous token is the star of a SELECT and not a multiplication.
  bool AfterStar() const {
    return Is(-1, {"*"}) && Is(-2, {"SELECT", "DISTINCT", "ALL", ",", ".", "("});
  }
  size_t at() const { return at_; }

 private:
  const Spelling& sql_;
  const Token none_;
  std::vector<size_t> opens_;
  size_t at_ = 0;
};

struct Form {
  bool (*is)(const Spot&);
  std::string_view what, fix;
};

bool IsTrailingComma(const Spot& spot) {
  if (!spot.Is(0, {","})) return false;
  if (spot.IsKind(1, Kind::kEnd)) return true;
  const bool clause = spot.Is(1, {"GROUP", "ORDER"}) && spot.Is(2, {"BY"});
  const bool limit = spot.Is(1, {"LIMIT"}) && spot.IsKind(2, Kind::kNumber);
  return clause || limit || spot.Is(1, {"FROM", "WHERE", "HAVING", "UNION", ")", ";"});
}

bool IsByName(const Spot& spot) {
  if (!spot.Is(0, {"BY"}) || !spot.Is(1, {"NAME"})) return false;
  const int set = spot.Is(-1, {"ALL", "DISTINCT"}) ? -2 : -1;
  return spot.Is(set, {"UNION", "EXCEPT", "INTERSECT"});
}

bool IsListLiteral(const Spot& spot) {
  if (!spot.Is(0, {"["})) return false;
  return spot.Is(-1, {"SELECT", "ARRAY", "IN", "WHEN", "THEN", "ELSE", "WHERE", "BY"}) ||
         (spot.IsKind(-1, Kind::kSign) && !spot.Is(-1, {")", "]"}));
}

bool IsMethod(const Spot& spot) {
  return spot.Is(0, {"."}) && spot.IsKind(1, Kind::kWord) && spot.Is(2, {"("});
}

bool IsFrameExclusion(const Spot& spot) {
  return spot.Is(0, {"EXCLUDE"}) && spot.Is(-1, {"ROW", "PRECEDING", "FOLLOWING"}) &&
         spot.Is(1, {"CURRENT", "GROUP", "TIES", "NO"});
}

bool IsMaterialized(const Spot& spot) {
  const int as = spot.Is(-1, {"NOT"}) ? -2 : -1;
  return spot.Is(0, {"MATERIALIZED"}) && spot.Is(as, {"AS"}) && spot.Is(1, {"("});
}

// If several rows match, the first counts.
constexpr Form kForms[] = {
    {IsTrailingComma, "a comma with nothing after it", "leave it out"},
    {[](const Spot& s) { return s.Is(0, {"EXCLUDE"}) && s.AfterStar(); }, "* EXCLUDE",
     "use * EXCEPT (a, b)"},
    {[](const Spot& s) {
       return s.Is(0, {"REPLACE", "RENAME"}) && s.AfterStar();
     },
     "* REPLACE and * RENAME", "use * EXCEPT (a), and name the new column after it"},
    {[](const Spot& s) {
       return s.Is(0, {"LIKE", "ILIKE", "SIMILAR", "GLOB"}) && s.AfterStar();
     },
     "a star with a pattern", "name the columns"},
    {IsByName, "a union BY NAME", "list the columns of both in the same order"},
    {[](const Spot& s) {
       return s.Is(0, {"ON"}) && s.Is(-1, {"DISTINCT"}) && s.Is(-2, {"SELECT"}) && s.Is(1, {"("});
     },
     "DISTINCT ON", "number the rows with row_number() OVER (PARTITION BY ...) and keep the first"},
    {[](const Spot& s) {
       return s.Is(0, {"PERCENT", "%"}) && s.Is(-2, {"LIMIT"});
     },
     "LIMIT in percent", "give a number of rows"},
    {[](const Spot& s) {
       return s.Is(0, {"LIMIT", "OFFSET"}) && s.Is(1, {"("}) && s.Is(2, {"SELECT", "WITH"});
     },
     "a query in LIMIT", "give a number of rows"},
    {[](const Spot& s) { return s.Is(0, {","}) && s.Is(-2, {"LIMIT"}); }, "LIMIT with two numbers",
     "use LIMIT rows OFFSET rows"},
    {[](const Spot& s) {
       return s.Is(0, {"FILTER"}) && s.Is(-1, {")"}) && s.Is(1, {"("}) && !s.Is(2, {"WHERE"});
     },
     "FILTER without WHERE", "use FILTER (WHERE condition)"},
    {[](const Spot& s) { return s.Is(0, {"ORDER"}) && s.Is(1, {"BY"}) && s.InCall(); },
     "ORDER BY inside a call", "sort a list with array_sort(...)"},
    {IsFrameExclusion, "EXCLUDE in a window's frame", "choose a frame that leaves the row out"},
    {IsMaterialized, "AS MATERIALIZED", "use AS alone"},
    {[](const Spot& s) {
       return s.Is(0, {"AT"}) && s.Is(1, {"("}) && s.Is(2, {"VERSION", "TIMESTAMP"}) &&
              s.Is(3, {"=>"});
     },
     "a table AT a version", "name the table alone"},
    {[](const Spot& s) { return s.Is(0, {"=>"}); }, "an argument with a name",
     "give the arguments in their order"},
    {[](const Spot& s) { return s.Is(0, {"TRY"}) && s.Is(1, {"("}); }, "TRY(...)",
     "use try_cast(a AS type), try_divide(a, b) and the like"},
    {[](const Spot& s) {
       return s.Is(0, {"MAX"}) && s.Is(-1, {"("}) && s.Is(1, {")"}) &&
              s.Is(-2, {"VARCHAR", "CHAR", "CHARACTER", "STRING"});
     },
     "the length MAX of a type", "use STRING"},
    {IsMethod, "a function after a dot", "write f(a, b) for a.f(b)"},
    {[](const Spot& s) { return s.Is(0, {"["}) && s.IsKind(-1, Kind::kText); },
     "a subscript of a text", "use substring(text, 1, 1), which counts from 1"},
    {[](const Spot& s) { return s.Is(0, {"TIMESTAMPTZ"}) && s.IsKind(1, Kind::kText); },
     "TIMESTAMPTZ '...'", "use TIMESTAMP '...'"},
    {[](const Spot& s) { return s.Is(0, {"COUNT"}) && s.Is(1, {"("}) && s.Is(2, {")"}); },
     "count() of nothing", "use count(*)"},
    {[](const Spot& s) {
       return s.Is(0, {"ASOF"}) && s.Is(1, {"JOIN", "LEFT", "RIGHT", "INNER", "FULL"});
     },
     "ASOF JOIN", "join ON the order of the two, and keep the nearest by row_number()"},
    {[](const Spot& s) { return s.Is(0, {"POSITIONAL"}) && s.Is(1, {"JOIN"}); }, "POSITIONAL JOIN",
     "number the rows of both with row_number() and join by that"},
    {[](const Spot& s) { return s.Is(0, {"GLOB"}) && s.IsKind(1, Kind::kText); }, "GLOB",
     "use LIKE or RLIKE"},
    {[](const Spot& s) { return s.Is(0, {"SIMILAR"}) && s.Is(1, {"TO"}); }, "SIMILAR TO",
     "use RLIKE '^(...)$'"},
    {IsListLiteral, "a list in brackets", "use array(1, 2)"},
    {[](const Spot& s) { return s.Is(0, {":"}) && s.Is(-2, {"LAMBDA"}); }, "LAMBDA x: ...",
     "use x -> ..."},
    {[](const Spot& s) { return s.Is(0, {":"}) && s.InBrackets(); }, "a slice in brackets",
     "use slice(list, start, length), which counts from 1"},
    {[](const Spot& s) { return s.Is(0, {":"}) && s.Is(-2, {"SELECT"}); },
     "a name before its expression", "use expression AS name"},
};

}  // namespace

Status RefuseForeignForms(const Spelling& sql) {
  Spot spot(sql);
  do {
    const auto form = std::ranges::find_if(kForms, [&](const Form& each) { return each.is(spot); });
    if (form == std::end(kForms)) continue;
    return sql.Refuse(spot.at(), fmt::format("{} is not supported by every engine", form->what),
                      "Spark does not accept it", std::string(form->fix));
  } while (spot.Next());
  return Status::OK();
}

}  // namespace protium
