// SPDX-License-Identifier: Apache-2.0
#include "app/run/net_outline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "onnx_runtime/net.h"
#include "run/terminal.h"
#include "terminal/text_table.h"

namespace protium {
namespace {

Json ValuesAsJson(const std::vector<NetValue>& values) {
  Json all = Json::array();
  for (const NetValue& each : values) {
    all.push_back({{"name", each.name}, {"type", Describe(each)}});
  }
  return all;
}

std::string ValuesTable(const char* title, const Json& values) {
  std::vector<std::vector<std::string>> rows = {{std::string("  ") + title, "type"}};
  for (const Json& each : values) {
    rows.push_back({"  " + each["name"].get<std::string>(), each["type"].get<std::string>()});
  }
  return TextTable(rows);
}

}  // namespace

Result<Json> NetAsJson(const std::filesystem::path& file) {
  PT_LET(const NetOutline outline, ReadNetFile(file));
  Json opsets = Json::object();
  for (const auto& [domain, version] : outline.opsets) {
    opsets[domain.empty() ? "ai.onnx" : domain] = version;
  }
  return Json{{"kind", "net"},
              {"path", file.string()},
              {"producer", outline.producer},
              {"opsets", std::move(opsets)},
              {"inputs", ValuesAsJson(outline.inputs)},
              {"outputs", ValuesAsJson(outline.outputs)},
              {"operators", outline.operators},
              {"numbers", outline.weights}};
}

std::string NetAsText(const Json& net) {
  std::string text = "net " + net["path"].get<std::string>() + "\n\n";
  text += ValuesTable("input", net["inputs"]) + "\n" + ValuesTable("output", net["outputs"]);
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : net["opsets"].items()) {
    opsets.push_back(fmt::format("{} {}", domain, version.get<int64_t>()));
  }
  const auto operators = net["operators"].get<std::vector<std::string>>();
  const auto producer = net["producer"].get<std::string>();
  text += fmt::format("\n  {} numbers; operators {} of {}", Grouped(net["numbers"].get<int64_t>()),
                      fmt::join(operators, ", "), fmt::join(opsets, ", "));
  return text + (producer.empty() ? "\n" : "; made by " + producer + "\n");
}

}  // namespace protium
