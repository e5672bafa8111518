// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "os/file.h"

namespace protium {
namespace {

std::vector<std::string> SplitText(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) {
    part.erase(0, part.find_first_not_of(' '));
    parts.push_back(part);
  }
  return parts;
}

// The rest of the comment line that begins with `key`, among those at the top.
std::optional<std::string> Comment(const std::string& text, const std::string& key) {
  for (const std::string& line : SplitText(text, '\n')) {
    if (!line.starts_with("-- ")) break;
    if (line.starts_with("-- " + key)) return line.substr(3 + key.size());
  }
  return std::nullopt;
}

MakeCase AsSql(const std::string& text) {
  const Columns names = SplitText(Comment(text, "tables: ").value_or(""), ',');
  return [text, names](const Tables& tables) {
    std::vector<Plan> inputs;
    for (const std::string& name : names) inputs.push_back(tables[name]);
    return MakePlan(Sql{text, names}, std::move(inputs));
  };
}

Result<Case> ReadCase(const std::filesystem::path& path) {
  PT_LET(const std::string text, ReadFile(path));
  Case read{.name = path.stem().string()};
  read.ordered = Comment(text, "ordered").has_value();
  read.fails = SplitText(Comment(text, "fails: ").value_or(""), '|');
  read.refused = Comment(text, "refused: ").value_or("");
  if (!Comment(text, "built in code")) {
    read.plan = AsSql(text);
    return read;
  }
  const auto coded = CodedCases().find(read.name);
  if (coded == CodedCases().end()) return Status::KeyError(read.name, " is not built in code");
  read.plan = coded->second;
  return read;
}

}  // namespace

Result<std::vector<Case>> ReadCases(const std::filesystem::path& folder) {
  std::vector<Case> cases;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    PT_LET(Case read, ReadCase(entry.path()));
    cases.push_back(std::move(read));
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

}  // namespace protium
