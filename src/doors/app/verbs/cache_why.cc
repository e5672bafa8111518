// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/cache_why.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "base/json.h"
#include "frame/named_tables.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// One difference of two causes, for people.
struct Difference {
  std::string what;
  std::string was;
  std::string now;
};

// The first lines in which two texts differ.
std::pair<std::string, std::string> FirstLines(const std::string& was, const std::string& now) {
  std::istringstream before(was), after(now);
  std::string a, b;
  while (before || after) {
    a.clear();
    b.clear();
    std::getline(before, a);
    std::getline(after, b);
    if (a != b) break;
  }
  return {a, b};
}

std::string SqlOf(const Json& causes) {
  std::string text;
  for (const Json& each : causes.value("sql", Json::array())) text += TextAt(each, "text") + "\n";
  return text;
}

// The plans without the contents of the files, which are compared by themselves.
std::string PlanOf(const Json& causes, const Json& inputs) {
  std::string plan = TextAt(causes, "plan");
  for (const Json& each : inputs) {
    const std::string& hash = TextAt(each, "hash");
    for (size_t at = plan.find(hash); !hash.empty() && at != std::string::npos;
         at = plan.find(hash)) {
      plan.replace(at, hash.size(), fs::path(TextAt(each, "path")).filename().string());
    }
  }
  return plan;
}

void CompareInputs(const Json& was, const Json& now, std::vector<Difference>& found) {
  std::map<std::string, std::string> before;
  for (const Json& each : was) before[TextAt(each, "path")] = TextAt(each, "hash");
  for (const Json& each : now) {
    const auto known = before.find(TextAt(each, "path"));
    if (known == before.end() || known->second == TextAt(each, "hash")) continue;
    found.push_back(
        {"the file " + known->first + " has changed", known->second, TextAt(each, "hash")});
  }
}

// What differs, the most likely reason first.
std::vector<Difference> CompareCauses(const Manifest& kept, const Json& job) {
  std::vector<Difference> found;
  const Json was_inputs = FieldsToJson(kept.inputs);
  CompareInputs(was_inputs, job["inputs"], found);
  const auto texts = [&](const char* what, const std::string& was, const std::string& now) {
    const auto [before, after] = FirstLines(was, now);
    if (was != now) found.push_back({what, before, after});
  };
  const Json& causes = job["causes"];
  texts("the SQL has changed", SqlOf(kept.causes), SqlOf(causes));
  texts("the plan has changed", PlanOf(kept.causes, was_inputs), PlanOf(causes, job["inputs"]));
  const std::pair<const char*, const char*> others[] = {
      {"reading", "the files are read with other options"},
      {"engine", "the embedded engine has another version"},
      {"builds", "Protium, or a library of it, is another build"},
      {"settings", "the settings of the embedded engine have changed"},
      {"libc", "the C library has another version"},
      {"processor", "the processor is of another kind"},
      {"spark", "Spark has another version"},
      {"spark_settings", "a setting of the Spark server has changed"},
      {"marks", "the split has changed"},
      {"columns", "the columns on Spark have changed"}};
  for (const auto& [key, what] : others) {
    const Json was = kept.causes.value(key, Json()), now = causes.value(key, Json());
    if (was == now) continue;
    const Json changes = Json::diff(was, now);
    const std::string at = changes.empty() ? "" : TextAt(changes[0], "path");
    const Json::json_pointer place(at);
    found.push_back({what, was.contains(place) ? Dump(was[place]) : "nothing",
                     now.contains(place) ? Dump(now[place]) : "nothing"});
  }
  if (found.empty() && kept.causes.value("steps", Json()) != causes["steps"]) {
    found.push_back({"a step of the plan has changed", "", ""});
  }
  return found;
}

// What differs in the causes of what was made of a table: "fit" or "rows".
std::vector<Difference> CompareWork(const Manifest& kept, const Json& work) {
  const std::pair<const char*, const char*> parts[] = {
      {"/rows/steps", "the rows that it is computed from, or the split, have changed"},
      {"/rows/builds", "Protium, or a library of it, is another build"},
      {"/rows", "the plan above the table has changed"},
      {"/decides/needs", "the stages need something else of the rows"},
      {"/decides/learned", "the stages have learned something else"},
      {"/decides/shards", "train.shards has changed"},
      {"/decides", "the packed columns have changed"}};
  const Json changes = Json::diff(kept.causes, work["causes"]);
  std::vector<Difference> found;
  for (const Json& change : changes) {
    const std::string& at = TextAt(change, "path");
    const auto* const part =
        std::ranges::find_if(parts, [&](const auto& each) { return at.starts_with(each.first); });
    if (part == std::end(parts)) continue;
    const bool said = std::ranges::any_of(
        found, [&](const Difference& each) { return each.what == part->second; });
    if (!said) found.push_back({part->second, "", ""});
  }
  return found;
}

std::vector<Difference> Compare(const Manifest& kept, const Json& job) {
  return kept.kind == "states" || kept.kind == "rows" ? CompareWork(kept, job)
                                                      : CompareCauses(kept, job);
}

// The kind of object that is looked for.
std::string StoredKindOf(const Json& work) {
  const std::string& name = TextAt(work, "name");
  if (name == "fit") return "states";
  if (name == "rows") return "rows";
  return work.value("causes", Json::object()).contains("spark") ? "spark_table" : "table";
}

constexpr const char *kSame = "unchanged", *kOther = "changed", *kGone = "gone";

std::string PlanLines(const std::string& plan) {
  std::istringstream lines(plan);
  std::string indented, line;
  while (std::getline(lines, line)) indented += "    " + line + "\n";
  return indented;
}

}  // namespace

std::string DateText(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm local{};
  ::localtime_r(&time, &local);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local));
}

Json DescribeNamed(const Ref& ref, const Manifest& kept, InputHashes& inputs) {
  Json about = {{"name", TextAt(kept.facts, "name")},
                {"version", ref.version},
                {"object", kept.cause},
                {"rows", WholeAt(kept.facts, "rows")},
                {"run", kept.run},
                {"made", kept.made},
                {"inputs", Json::array()},
                {"others", kept.facts.value("others", Json::array())},
                {"varies", TextAt(kept.facts, "varies")},
                {"plan", TextAt(kept.facts, "plan")}};
  for (const StoredInput& each : kept.inputs) {
    const auto now = inputs.Hash(each.path);
    const char* const is = !now.ok() ? kGone : now->hash == each.hash ? kSame : kOther;
    about["inputs"].push_back({{"path", each.path}, {"is", is}});
  }
  return about;
}

std::string NamedText(const Json& about) {
  const std::string& name = TextAt(about, "name");
  std::string text = fmt::format("{}, version {}: {} rows that {} has kept on {}, of\n", name,
                                 WholeAt(about, "version"), Grouped(WholeAt(about, "rows")),
                                 TextAt(about, "run"), DateText(WholeAt(about, "made")));
  bool changed = false;
  for (const Json& each : about["inputs"]) {
    const std::string& is = TextAt(each, "is");
    changed = changed || is == kOther;
    const char* const says = is == kSame    ? "unchanged since"
                             : is == kOther ? "has changed since"
                                            : "is no longer there, or cannot be read";
    text += fmt::format("  {}: {}\n", TextAt(each, "path"), says);
  }
  for (const Json& each : about["others"]) {
    text += fmt::format("  {}: not compared\n", each.get<std::string>());
  }
  if (!TextAt(about, "varies").empty()) {
    text += "its SQL may make other rows of the same inputs: " + TextAt(about, "varies") + "\n";
  }
  text += "by\n" + PlanLines(TextAt(about, "plan"));
  text +=
      changed ? "it holds the rows as they were; keep them again under the name to renew it\n" : "";
  return text;
}

std::string WhyText(const Json& table, const std::vector<Manifest>& kept) {
  const std::string& name = TextAt(table, "name");
  if (table.contains("not")) {
    return fmt::format("{} is computed in every run: {}\n", name, TextAt(table, "not"));
  }
  if (table.contains("from")) {
    const std::string rows = table.contains("rows")
                                 ? "its " + Grouped(WholeAt(table, "rows")) + " rows depend"
                                 : "it depends";
    const char* const by = table.value("shared", false) ? ", from the shared store" : "";
    return fmt::format("{} is reused from {}{}: nothing that {} on has changed\n", name,
                       TextAt(table, "from"), by, rows);
  }
  // The nearest is the one with the fewest differences; of those, the latest.
  const Manifest* nearest = nullptr;
  std::vector<Difference> fewest;
  for (const Manifest& each : kept) {
    if (each.kind != StoredKindOf(table)) continue;
    std::vector<Difference> found = Compare(each, table);
    const bool better = nearest == nullptr || found.size() < fewest.size() ||
                        (found.size() == fewest.size() && each.made > nearest->made);
    if (!better) continue;
    nearest = &each;
    fewest = std::move(found);
  }
  if (nearest == nullptr || fewest.empty()) {
    return name + " is computed: nothing like it is kept yet\n";
  }
  std::string text = fmt::format("{} is computed: since {} kept it, {}\n", name, nearest->run,
                                 fewest.front().what);
  if (fewest.front().was != fewest.front().now) {
    text += fmt::format("  was  {}\n  now  {}\n", fewest.front().was, fewest.front().now);
  }
  for (size_t i = 1; i < fewest.size(); ++i) text += "  also: " + fewest[i].what + "\n";
  return text;
}

}  // namespace protium
