// SPDX-License-Identifier: Apache-2.0
#include "sources/source_name.h"

#include "base/text.h"

namespace protium {

std::vector<std::string> NameParts(std::string_view name) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool doubled = name.substr(i, 2) == "\"\"";
    if (quoted && doubled) {
      parts.back() += name[i++];
    } else if (name[i] == '"' && (quoted || parts.back().empty())) {
      quoted = !quoted;
    } else if (name[i] == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += name[i];
    }
  }
  return parts;
}

bool IsListedAs(std::string_view listed, std::string_view named) {
  std::vector<std::string> a = NameParts(listed), b = NameParts(named);
  if (b.size() == a.size() + 1) b.erase(b.begin());
  return a == b;
}

char QuoteOf(SourceKind kind) { return kind == SourceKind::kMysql ? '`' : '"'; }

std::string QuotedName(std::string_view name, char quote) {
  std::string quoted;
  for (const std::string& part : NameParts(name)) {
    quoted += (quoted.empty() ? "" : ".") + InQuotes(part, quote);
  }
  return quoted;
}

}  // namespace protium
