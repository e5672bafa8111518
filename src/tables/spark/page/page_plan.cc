// SPDX-License-Identifier: Apache-2.0
#include "spark/page/page_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "connect/plan_metrics.h"

namespace protium {

namespace {

constexpr size_t kMostJobs = 200;
constexpr size_t kMostNodes = 500;
constexpr size_t kMostWords = 300;  // Bytes of an operator's other figures.

Json Below(const Json& json, const char* key) {
  return json.is_object() ? json.value(key, Json()) : Json();
}

std::optional<int64_t> FindWhole(const Json& json, const char* key) {
  const Json value = Below(json, key);
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<int64_t>();
}

// Shortens "total (min, med, max (stageId: taskId))\n80 ms (27 ms, ...)" to "80 ms", leaves others
// as they are.
std::string_view TotalOf(std::string_view text) {
  const size_t line = text.find('\n');
  if (line == text.npos) return text;
  text.remove_prefix(line + 1);
  return text.substr(0, text.find(" ("));
}

struct Figure {
  double number = 0;
  std::string unit;  // "ms", "KiB"; empty: a count.
};

// Reads "1,000,000", "8.2 MiB".
std::optional<Figure> ReadFigure(std::string_view text) {
  std::string digits;
  size_t at = 0;
  for (; at < text.size() && text[at] != ' '; ++at) {
    if (text[at] != ',') digits += text[at];
  }
  Figure figure{.unit = std::string(text.substr(std::min(text.size(), at + 1)))};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), figure.number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return figure;
}

// Reads times as Spark writes them: "5 ms", "1.2 s", "1.5 m", "2.00 h".
std::optional<double> SecondsOfFigure(const Figure& figure) {
  for (const auto& [unit, seconds] :
       {std::pair{"ms", 1e-3}, std::pair{"s", 1.0}, std::pair{"m", 60.0}, std::pair{"h", 3600.0}}) {
    if (figure.unit == unit) return figure.number * seconds;
  }
  return std::nullopt;
}

Json ReportNode(const Json& node, int depth) {
  Json told = {{"name", TextAt(node, "nodeName")}, {"depth", depth}};
  std::map<std::string, std::string> others;
  std::optional<double> seconds;
  const Json metrics = Below(node, "metrics");
  for (const Json& metric : metrics.is_array() ? metrics : Json::array()) {
    const std::string& name = TextAt(metric, "name");
    const std::string_view text = TotalOf(TextAt(metric, "value"));
    const auto figure = ReadFigure(text);
    if (!figure) continue;
    if (const auto time = SecondsOfFigure(*figure)) {
      seconds = seconds.value_or(0) + *time;
    } else if (name == "number of output rows") {
      told["rows"] = static_cast<int64_t>(figure->number);
    } else if (figure->number > 0 && !name.starts_with("avg ")) {
      others[name] = text;
    }
  }
  if (seconds) told["seconds"] = *seconds;
  std::string what;
  for (const auto& [name, text] : others) {
    what += fmt::format("{}{} {}", what.empty() ? "" : ", ", name, text);
  }
  if (!what.empty()) told["what"] = Shortened(what, kMostWords);
  return told;
}

// The nodes of an execution as a tree. The page draws code compiled into one as a box around
// operators, without edges of its own: here the box becomes a node between these and the consumers
// of their rows.
class PageTree {
 public:
  explicit PageTree(const Json& execution) {
    const Json nodes = Below(execution, "nodes"), edges = Below(execution, "edges");
    if (!nodes.is_array() || nodes.size() > kMostNodes) return;
    for (const Json& node : nodes) {
      if (const auto id = FindWhole(node, "nodeId")) nodes_[*id] = node;
    }
    for (const Json& edge : edges.is_array() ? edges : Json::array()) {
      const auto from = FindWhole(edge, "fromId"), to = FindWhole(edge, "toId");
      if (from && to && nodes_.contains(*from) && nodes_.contains(*to)) above_[*from] = *to;
    }
    PutBoxesBetween();
    for (const auto& [from, to] : above_) below_[to].push_back(from);
  }

  Json ToJson() {
    for (const auto& [id, node] : nodes_) {
      if (!above_.contains(id)) Visit(id, 0);
    }
    return std::move(list_);
  }

 private:
  void PutBoxesBetween() {
    std::map<std::string, int64_t> boxes;
    for (const auto& [id, node] : nodes_) {
      const std::string& name = TextAt(node, "nodeName");
      if (name.starts_with("WholeStageCodegen (")) boxes[name] = id;
    }
    std::map<int64_t, int64_t> boxed;
    for (const auto& [id, node] : nodes_) {
      const auto number = FindWhole(node, "wholeStageCodegenId");
      const auto box = boxes.find(fmt::format("WholeStageCodegen ({})", number.value_or(-1)));
      if (number && box != boxes.end()) boxed[id] = box->second;
    }
    const auto above = above_;
    for (const auto& [id, box] : boxed) {
      const auto up = above.find(id);
      if (up != above.end() && boxed.contains(up->second) && boxed[up->second] == box) continue;
      if (up != above.end()) above_[box] = up->second;
      above_[id] = box;
    }
  }

  void Visit(int64_t id, int depth) {
    if (!visited_.insert(id).second) return;
    const Json& node = nodes_.at(id);
    const bool told = !connect::IsWrapperNode(TextAt(node, "nodeName"));
    if (told) list_.push_back(ReportNode(node, depth));
    for (const int64_t each : below_[id]) Visit(each, told ? depth + 1 : depth);
  }

  std::map<int64_t, Json> nodes_;
  std::map<int64_t, int64_t> above_;
  std::map<int64_t, std::vector<int64_t>> below_;
  std::set<int64_t> visited_;
  Json list_ = Json::array();
};

}  // namespace

std::string OperationOfJob(const Json& job) {
  constexpr std::string_view kBefore = "_Operation_";
  const Json tags = Below(job, "jobTags");
  for (const Json& tag : tags.is_array() ? tags : Json::array()) {
    if (!tag.is_string()) continue;
    const std::string& text = tag.get_ref<const std::string&>();
    const size_t at = text.rfind(kBefore);
    if (at != text.npos) return text.substr(at + kBefore.size());
  }
  return {};
}

bool IsOfSession(const Json& execution, const std::string& session) {
  return TextAt(execution, "description").find("session_id: \"" + session + "\"") !=
         std::string::npos;
}

std::vector<int64_t> JobsOfExecution(const Json& execution) {
  std::set<int64_t> jobs;
  for (const char* list : {"runningJobIds", "successJobIds", "failedJobIds"}) {
    const Json ids = Below(execution, list);
    for (const Json& id : ids.is_array() ? ids : Json::array()) {
      if (id.is_number_integer() && jobs.size() < kMostJobs) jobs.insert(id.get<int64_t>());
    }
  }
  return {jobs.begin(), jobs.end()};
}

bool IsExecutionOver(const Json& execution) {
  const std::string& status = TextAt(execution, "status");
  const Json nodes = Below(execution, "nodes");
  return (status == "COMPLETED" || status == "FAILED") && nodes.is_array() && !nodes.empty();
}

Json OperatorsOfExecution(const Json& execution) { return PageTree(execution).ToJson(); }

}  // namespace protium
