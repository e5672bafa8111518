// SPDX-License-Identifier: Apache-2.0
#include "page/paths.h"

#include <fmt/format.h>
#include <protium/version.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace protium {

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kEvents = "text/event-stream";

// In the order in which ApiIndex() lists them. They are only described here; PageApi (api.cc)
// responds to them, so a path has a row here and code there.
constexpr ApiPath kPaths[] = {
    {"", "", "the version and these paths"},
    {"openapi.json", "", "this description"},
    {"runs", "", "all runs: state, times, metrics, progress, engine, tags"},
    {"streams", "", "all streams: state, rows, rate, latencies, what waits, model"},
    {"streams/{stream}", "", "one stream, its newest batches and dead letters"},
    {"compare", "run:list", "settings that differ, metrics and seconds of 2 to 12 runs"},
    // From here to "gangs", paths and responses follow Spark's monitoring REST API
    // (spark.apache.org/docs/latest/monitoring.html), for programs that read it.
    {"applications", "status:string limit:integer",
     "all runs, as Spark's monitoring has them; what a run does not know is left out"},
    {"applications/{run}", "", "one run, as an application of Spark"},
    {"applications/{run}/jobs", "", "it as a job"},
    {"applications/{run}/stages", "",
     "its parts as stages, with the ranks that ran in them as tasks"},
    {"applications/{run}/executors", "",
     "the executors at work, with their tasks and their peak resident memory"},
    {"applications/{run}/allexecutors", "", "all executors it has had"},
    {"applications/{run}/environment", "", "its settings and versions"},
    {"gangs", "", "the ranks of all runs in progress"},
    {"machine", "", "the pool: who holds what, who waits and why, warm workers, memory"},
    {"runs/{run}", "", "one run: state, parts, what happens now, failure, results, messages"},
    {"runs/{run}/settings", "", "every setting with its origin"},
    {"runs/{run}/plan", "", "the plan, its stages, its SQL and its inputs"},
    {"runs/{run}/operators", "", "what the engine ran, by operator, with time and rows"},
    {"runs/{run}/profile", "", "column profiles in training and in the test rows"},
    {"runs/{run}/metrics", "points:integer", "its curves, thinned out to that many points"},
    {"runs/{run}/lanes", "points:integer", "where the time of each rank went, and the slow one"},
    {"runs/{run}/events", "from:integer", "its events from that byte on; -1 is the end"},
    {"runs/{run}/stream", "from:integer", "its events as they come", kEvents},
    {"runs/{run}/executors", "", "the processes of its ranks, and what they ran"},
    {"runs/{run}/gang", "", "the ranks, and every change of who is in"},
    {"runs/{run}/model", "", "the model and how good it is"},
    {"runs/{run}/forest", "", "its forest: outputs, and how predictions change with columns"},
    {"runs/{run}/forest/{tree}", "", "a tree of it, numbered from 0: splits and leaves"},
    {"runs/{run}/trials", "", "what a search has tried"},
    {"runs/{run}/trials/importance", "", "which of its options mattered, and what they do"},
    {"runs/{run}/logs", "", "its logs"},
    {"runs/{run}/files", "", "its files"},
    {"runs/{run}/files/{path}", "from:integer", "a part of a file, from that byte on"},
    {"runs/{run}/score", "", "rows as JSON, scored with its model", kJson, "post"},
    {"runs/{run}/labels", "", "sets its tags and its note", kJson, "post"},
    {"runs/{run}", "", "removes it", kJson, "delete"},
};

// Splits "from:integer" into its name and its kind.
std::vector<std::pair<std::string, std::string>> ParametersOf(const ApiPath& path) {
  std::vector<std::pair<std::string, std::string>> all;
  std::istringstream words{std::string(path.parameters)};
  for (std::string word; words >> word;) {
    const size_t colon = word.find(':');
    all.emplace_back(word.substr(0, colon), word.substr(colon + 1));
  }
  return all;
}

// "/api/v1/compare?run=ID&run=ID", as people read it.
std::string InWords(const ApiPath& path) {
  std::string text = "/api/v1/" + std::string(path.path);
  if (path.method == "post") text.insert(0, "POST ");
  if (path.method == "delete") text.insert(0, "DELETE ");
  text = Replaced(Replaced(Replaced(text, "{run}", "ID"), "{path}", "PATH"), "{tree}", "N");
  text = Replaced(text, "{stream}", "NAME");
  for (const auto& [name, kind] : ParametersOf(path)) {
    const char before = text.find('?') == text.npos ? '?' : '&';
    text += kind == "list" ? fmt::format("{0}{1}=ID&{1}=ID", before, name)
                           : fmt::format("{}{}={}", before, name, kind == "string" ? "TEXT" : "N");
  }
  return text;
}

Json ParameterList(const ApiPath& path) {
  Json list = Json::array();
  for (const auto& [name, kind] : {std::pair{"run", "string"},
                                   {"path", "string"},
                                   {"stream", "string"},
                                   {"tree", "integer"}}) {
    if (path.path.find(fmt::format("{{{}}}", name)) == path.path.npos) continue;
    list.push_back(
        {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", kind}}}});
  }
  for (const auto& [name, kind] : ParametersOf(path)) {
    const Json text = {{"type", "string"}};
    // OpenAPI's default for a list is a repeated parameter: run=A&run=B.
    const Json schema = kind == "list" ? Json{{"type", "array"}, {"items", text}, {"minItems", 2}}
                                       : Json{{"type", kind}};
    list.push_back(
        {{"name", name}, {"in", "query"}, {"required", kind == "list"}, {"schema", schema}});
  }
  return list;
}

Json Operation(const ApiPath& path) {
  // The responses to requests of Spark's own pages are lists.
  const Json schema = path.type == kEvents ? Json{{"type", "string"}}
                                           : Json{{"type", Json::array({"object", "array"})}};
  const Json content = {{std::string(path.type), {{"schema", schema}}}};
  Json operation = {{"summary", path.says}};
  if (Json parameters = ParameterList(path); !parameters.empty()) {
    operation["parameters"] = std::move(parameters);
  }
  if (path.method == "post") {
    operation["requestBody"] = {
        {"required", true},
        {"content", {{std::string(kJson), {{"schema", {{"type", "object"}}}}}}}};
  }
  operation["responses"] = {{"200", {{"description", path.says}, {"content", content}}},
                            {"default", {{"$ref", "#/components/responses/Refused"}}}};
  return operation;
}

}  // namespace

std::span<const ApiPath> ApiPaths() { return kPaths; }

Json ApiIndex() {
  Json paths = Json::array();
  for (const ApiPath& path : kPaths) {
    if (!path.path.empty()) paths.push_back(InWords(path));
  }
  return {{"protium", PROTIUM_VERSION}, {"paths", std::move(paths)}};
}

Json OpenApi() {
  Json paths = Json::object();
  for (const ApiPath& path : kPaths) {
    // The methods of a path are entries of one object.
    paths["/api/v1/" + std::string(path.path)][std::string(path.method)] = Operation(path);
  }
  const Json text = {{"type", "string"}};
  const Json error = {{"type", "object"}, {"properties", {{"what", text}, {"fix", text}}}};
  const Json body = {{"type", "object"}, {"properties", {{"error", error}}}};
  const Json refused = {{"description", "what was wrong, and how to fix it"},
                        {"content", {{"application/json", {{"schema", body}}}}}};
  const Json token = {{"type", "http"}, {"scheme", "bearer"}};
  // In "security" any one entry suffices; the empty object means a request without a token, if none
  // is needed.
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "Protium's page of runs"}, {"version", PROTIUM_VERSION}}},
          {"paths", std::move(paths)},
          {"components",
           {{"responses", {{"Refused", refused}}}, {"securitySchemes", {{"token", token}}}}},
          {"security", {Json::object(), {{"token", Json::array()}}}}};
}

}  // namespace protium
