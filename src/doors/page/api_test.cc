// SPDX-License-Identifier: Apache-2.0
#include "page/api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "model/testing/forest_folder.h"
#include "page/paths.h"
#include "page/testing/test_runs.h"
#include "pool/pool_daemon.h"
#include "pool/seat_claim.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

struct HttpResponses : testing::Test {
  TestRuns runs;
  PageApi api{{.runs = runs.path(), .streams = runs.path() / "streams"}};

  HttpResponse Get(const std::string& path,
                   std::multimap<std::string, std::string> parameters = {}) {
    return api.Respond(
        {.method = "GET", .path = "/api/v1/" + path, .parameters = std::move(parameters)});
  }
  Json GetJson(const std::string& path, std::multimap<std::string, std::string> parameters = {}) {
    return *ParseJson(Get(path, std::move(parameters)).body);
  }
};

TEST_F(HttpResponses, AFinishedRunAsItsFilesHaveIt) {
  const std::string name = runs.Done(4).filename();
  const Json list = GetJson("runs");
  ASSERT_EQ(list["runs"].size(), 1u);
  EXPECT_EQ(list["runs"][0]["run"], name);
  EXPECT_EQ(list["runs"][0]["state"], "done");
  EXPECT_EQ(list["runs"][0]["metrics"]["test"]["rmse"], 2.5);
  const Json run = GetJson("runs/" + name);
  EXPECT_EQ(run["state"], "done");
  EXPECT_EQ(run["result"]["metrics"]["test"]["rmse"], 2.5);
  EXPECT_EQ(run["parts"][0]["name"], "prepare");
  EXPECT_EQ(run["parts"][1]["name"], "etl");
  EXPECT_EQ(run["progress"]["step"], 4);
  EXPECT_TRUE(run["failure"].is_null());
  const Json metrics = GetJson("runs/" + name + "/metrics");
  const auto loss = std::find_if(metrics["series"].begin(), metrics["series"].end(),
                                 [](const Json& each) { return each["name"] == "loss"; });
  ASSERT_NE(loss, metrics["series"].end());
  EXPECT_EQ((*loss)["y"], Json({1.0, 0.5, 1.0 / 3, 0.25}));
}

TEST_F(HttpResponses, StreamsAsTheirFoldersHaveThem) {
  EXPECT_EQ(GetJson("streams")["streams"], Json::array());
  const std::string run = runs.Done(1).filename();
  const fs::path folder = runs.path() / "streams/live";
  fs::create_directories(folder);
  const auto write = [&](const std::string& file, const Json& json) {
    ASSERT_TRUE(WriteFile(folder / file, Dump(json) + "\n").ok());
  };
  write("status.json", {{"state", "ended"},
                        {"rows", 7},
                        {"model", {{"name", "tag:live"}, {"folder", runs.path() / run / "model"}}},
                        {"shadow", {{"name", "tag:next"}, {"folder", "/elsewhere/model"}}}});
  write("log.jsonl", {{"began", 0}, {"stretch", Json::object()}, {"model", "3b85"}});
  const Json list = GetJson("streams");
  ASSERT_EQ(list["streams"].size(), 1u);
  EXPECT_EQ(list["streams"][0]["stream"], "live");
  EXPECT_EQ(list["streams"][0]["model"]["run"], run);
  EXPECT_FALSE(list["streams"][0]["shadow"].contains("run"));
  const Json live = GetJson("streams/live");
  EXPECT_EQ(live["status"]["rows"], 7);
  EXPECT_EQ(live["batches"][0]["ended"], false);
  EXPECT_EQ(Get("streams/other").status, 404);
  EXPECT_EQ(Get("streams/../runs").status, 404);
}

TEST_F(HttpResponses, TheSlowRankIsNamed) {
  auto run = runs.Begin();
  (void)run->events().Append(
      {{"event", "gang_start"},
       {"task", "train"},
       {"ranks", {{{"rank", 0}, {"host", "a"}}, {{"rank", 1}, {"host", "b"}}}}});
  (void)run->events().Append({{"event", "train_start"}, {"shards", 2}});
  (void)run->events().Append({{"event", "lanes"},
                              {"step", 9},
                              {"count", 9},
                              {"seconds", {4.0, 4.0}},
                              {"parts", {{"backward", {1.0, 3.0}}, {"reduce", {3.0, 1.0}}}},
                              {"wait", {2.0, 0.0}},
                              {"held", {0.0, 2.0}}});
  const std::string path = "runs/" + run->id() + "/lanes";
  const Json lanes = GetJson(path);
  EXPECT_EQ(lanes["slow"]["rank"], 1);
  EXPECT_EQ(lanes["slow"]["part"], "backward");
  EXPECT_EQ(lanes["slow"]["share"], 0.5);
  EXPECT_EQ(lanes["hosts"], Json({"a", "b"}));
  EXPECT_EQ(lanes["intervals"][0]["parts"]["backward"], Json({1.0, 3.0}));
  EXPECT_EQ(Get(path, {{"points", "0"}}).status, 400);
}

TEST_F(HttpResponses, TheMachineIsThatOfThePool) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const fs::path socket = folder.path() / "own" / "pool.sock";
  const char* const before = std::getenv("PROTIUM_POOL");
  const std::string old = before == nullptr ? "off" : before;
  ::setenv("PROTIUM_POOL", socket.c_str(), 1);
  EXPECT_TRUE(GetJson("machine")["pool"].is_null());
  EXPECT_EQ(GetJson("machine")["why"], "");
  auto listener = ListenAsPool(socket).ValueOrDie();
  std::jthread pool([&](const std::stop_token& stop) {
    (void)PoolDaemon({.socket = socket, .log = "/dev/null"}, std::move(listener)).Serve(stop);
  });
  const std::string run = runs.Done(4).filename();
  SeatClaim holds(socket, {.who = run, .min = 64, .max = 64, .per_worker = {.cores = 64}});
  SeatClaim waits(socket, {.who = "nightly", .min = 64, .max = 64, .per_worker = {.cores = 64}});
  holds.Ask();
  ASSERT_EQ(holds.Look(Clock::now() + std::chrono::seconds(10)).granted, 64);
  waits.Ask();
  ASSERT_NE(waits.Look(Clock::now() + std::chrono::seconds(10)).why, "");
  const Json machine = GetJson("machine")["pool"];
  ASSERT_EQ(machine["claims"].size(), 2u);
  EXPECT_EQ(machine["claims"][0]["run"], run);
  EXPECT_EQ(machine["claims"][0]["workers"], 64);
  EXPECT_EQ(machine["claims"][1]["waits"], true);
  EXPECT_NE(machine["claims"][1]["why"].get<std::string>().find(run), std::string::npos);
  EXPECT_GT(machine["memory_bytes"], 0);
  pool.request_stop();
  pool.join();
  EXPECT_TRUE(GetJson("machine")["pool"].is_null());
  ::setenv("PROTIUM_POOL", old.c_str(), 1);
}

// As an engine on Spark reports it; what is not a web address does not become a link.
TEST_F(HttpResponses, WhatRanElsewhereIsLinked) {
  auto run = runs.Begin();
  Json facts = {{"event", "engine_plan"},
                {"name", "write"},
                {"operators", {{{"name", "Range"}, {"depth", 0}}}},
                {"page", {{"address", "http://driver:4040"}, {"session", "s-1"}}},
                {"jobs", {4, "x"}},
                {"stages", {7}},
                {"executions", {2}}};
  (void)run->events().Append(facts);
  facts["page"]["address"] = "javascript:alert(1)//";
  (void)run->events().Append(facts);
  facts["page"]["address"] = "http://driver:4040";
  facts["page"]["session"] = "\"><b>";
  (void)run->events().Append(facts);
  const Json plans = GetJson("runs/" + run->id() + "/operators")["plans"];
  ASSERT_EQ(plans.size(), 3u);
  EXPECT_EQ(plans[0]["links"], Json::parse(R"([
    {"text": "SQL execution 2", "href": "http://driver:4040/SQL/execution/?id=2"},
    {"text": "job 4", "href": "http://driver:4040/jobs/job/?id=4"},
    {"text": "stage 7", "href": "http://driver:4040/stages/stage/?id=7&attempt=0"},
    {"text": "session", "href": "http://driver:4040/connect/session/?id=s-1"}])"));
  EXPECT_EQ(plans[1]["links"], Json::array());
  EXPECT_EQ(plans[2]["links"].size(), 3u);
  const Json executors = GetJson("runs/" + run->id() + "/executors");
  EXPECT_EQ(executors["links"][0]["href"], "http://driver:4040/executors/");
}

TEST_F(HttpResponses, AForestIsShownAndDrawn) {
  const std::filesystem::path run = runs.Done(1);
  const std::string path = "runs/" + run.filename().string();
  EXPECT_EQ(GetJson(path + "/forest"), Json::object()) << "a run without a model";
  EXPECT_EQ(GetJson(path + "/forest/0"), Json::object());
  ASSERT_TRUE(WriteForestModel(run / "model", TwoColumnForest(), TwoColumnFiles()).ok());
  const Json forest = GetJson(path + "/forest");
  EXPECT_EQ(forest["outputs"], Json::array({"y"}));
  EXPECT_EQ(forest["dependence"][0]["column"], "temp");
  EXPECT_EQ(GetJson(path + "/forest/0")["nodes"][0]["threshold"], 61.0);
  EXPECT_EQ(Get(path + "/forest/1").status, 404);
  EXPECT_EQ(Get(path + "/forest/first").status, 400);
  std::ofstream(run / "model" / "net.json") << "{}";
  EXPECT_EQ(Get(path + "/forest").status, 404) << "a file that is not what was saved";
}

TEST_F(HttpResponses, EveryPathThatIsDescribedIsThere) {
  const std::string name = runs.Done(1).filename();
  const Json described = GetJson("openapi.json")["paths"];
  size_t operations = 0;
  for (const auto& [key, item] : described.items()) {
    std::string path = key.substr(std::string("/api/v1/").size());
    for (const auto& [what, with] :
         {std::pair{"{run}", name}, {"{path}", std::string("run.json")}, {"{tree}", "0"}}) {
      if (const size_t at = path.find(what); at != path.npos) path.replace(at, strlen(what), with);
    }
    for (const auto& [method, operation] : item.items()) {
      ++operations;
      EXPECT_FALSE(operation["summary"].get<std::string>().empty());
      if (method != "get") continue;
      // No runs are named to be compared, and no stream has run here.
      const int expected = path == "compare" ? 400 : path == "streams/{stream}" ? 404 : 200;
      EXPECT_EQ(Get(path).status, expected) << key;
    }
  }
  EXPECT_EQ(operations, ApiPaths().size());
  const Json listed = GetJson("")["paths"];
  EXPECT_NE(std::ranges::find(listed, "/api/v1/runs/ID/lanes?points=N"), listed.end());
}

TEST_F(HttpResponses, WhatChangesARunSaysWhatIsWrong) {
  PageApi acting({.runs = runs.path(), .changes = true});
  const fs::path run = runs.Done(1), other = runs.Done(1);
  const auto act = [&](const char* method, const fs::path& of, const char* what, const char* body) {
    const std::string path = "/api/v1/runs/" + of.filename().string() + what;
    const HttpResponse response = acting.Act({.method = method, .path = path}, body);
    return std::pair(response.status, ParseJson(response.body).ValueOrDie());
  };
  EXPECT_EQ(act("POST", run, "/labels", R"({"tags":["best","best"],"note":"n"})"),
            std::pair(200, Json::parse(R"({"tags":["best"],"note":"n"})")));
  EXPECT_EQ(act("POST", run, "/labels", R"({"note":""})").second["tags"], Json({"best"}));
  for (const auto& [what, body, words] :
       {std::tuple{"/labels", "7", "not a JSON object"},
        std::tuple{"/labels", R"({"tags":"x"})", "must be a list"},
        std::tuple{"/labels", R"({"tags":["a b"]})", "cannot be a tag"},
        std::tuple{"/labels", R"({"note":7})", "must be a text"},
        std::tuple{"/score", R"({"rows":[]})", "a list of 1 to 1000"},
        std::tuple{"/score", R"({"rows":[{}]})", "has no model"}}) {
    const auto [status, facts] = act("POST", run, what, body);
    EXPECT_EQ(status, 400) << body;
    EXPECT_NE(facts["error"]["what"].get<std::string>().find(words), std::string::npos) << facts;
  }
  EXPECT_EQ(act("POST", other, "/labels", R"({"tags":["best"]})").first, 400) << "another has it";
  EXPECT_EQ(act("POST", run, "/nothing", "{}").first, 405);
  EXPECT_EQ(act("DELETE", runs.path() / "none", "", "").first, 404);
  const auto going_on = runs.Begin();
  EXPECT_EQ(act("DELETE", going_on->path(), "", "").first, 400);
  EXPECT_TRUE(fs::exists(going_on->path() / "run.json"));
  EXPECT_EQ(act("DELETE", other, "", "").second["removed"], other.filename().string());
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(HttpResponses, NothingOutsideOfTheRunsCanBeNamed) {
  const std::string name = runs.Done(1).filename();
  std::ofstream(runs.path() / "secret") << "secret";
  fs::create_symlink(runs.path() / "secret", runs.path() / name / "link");
  for (const std::string& path : std::vector<std::string>{
           "runs/..", "runs/.", "runs//etc/passwd", "runs/../../etc",
           "runs/" + name + "/files/../../secret", "runs/" + name + "/files//etc/passwd",
           "runs/" + name + "/files/link", "runs/" + name + "/files/logs/../run.json",
           "runs/" + std::string("\0x", 2), "nothing", "runs/" + name + "/nothing", "../runs"}) {
    const HttpResponse response = Get(path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.body.find("secret\""), std::string::npos) << path;
  }
  EXPECT_EQ(Get("runs/" + name + "/files/run.json").status, 200);
}

TEST_F(HttpResponses, ATornLineIsLeftForLater) {
  auto run = runs.Begin();
  ASSERT_TRUE(run->events().Append({{"event", "note"}, {"message", "one"}}).ok());
  std::ofstream(run->path() / "events.jsonl", std::ios::app) << R"({"event":"note","mess)";
  const std::string path = "runs/" + run->id() + "/events";
  const Json first = GetJson(path);
  ASSERT_EQ(first["events"].size(), 1u);
  EXPECT_EQ(first["state"], "running");
  std::ofstream(run->path() / "events.jsonl", std::ios::app) << "age\":\"two\"}\nno event\n";
  const Json second = GetJson(path, {{"from", Dump(first["next"])}});
  ASSERT_EQ(second["events"].size(), 1u);
  EXPECT_EQ(second["events"][0]["message"], "two");
  EXPECT_EQ(second["skipped"], 1);
  EXPECT_EQ(GetJson("runs/" + run->id())["messages"].size(), 2u);
}

TEST_F(HttpResponses, AFailureHasTheLastLinesOfItsRank) {
  const fs::path run = runs.Done(1);
  std::ofstream(run / "logs" / "rank-003.log") << "first\nit broke\n";
  std::ofstream(run / "result.json")
      << R"({"error":{"exit":1,"what":"a rank died","where":"rank 3 of 4 on a, log /x/logs/rank-003.log"}})";
  const Json failure = GetJson("runs/" + run.filename().string())["failure"];
  EXPECT_EQ(failure["what"], "a rank died");
  EXPECT_EQ(failure["log"]["path"], "logs/rank-003.log");
  EXPECT_EQ(failure["log"]["lines"], "first\nit broke\n");
}

TEST_F(HttpResponses, ARunThatWasKilledIsCutOff) {
  const std::string name = runs.Begin()->id();
  EXPECT_EQ(GetJson("runs/" + name)["state"], "cut off");
}

TEST_F(HttpResponses, DamagedFilesGiveWordsOrNothing) {
  const fs::path run = runs.Done(1);
  const std::string name = run.filename();
  for (const char* file :
       {"result.json", "job.json", "inputs.json", "trials.json", "labels.json", "profile.json"}) {
    for (const char* text :
         {"", "{", "7", "[]",
          R"({"metrics":7,"seconds":"x","error":[],"settings":{"a":1},"plan":[]})"}) {
      std::ofstream(run / file) << text;
      for (const char* what : {"", "/settings", "/plan", "/model", "/trials", "/trials/importance",
                               "/metrics", "/gang"}) {
        const HttpResponse response = Get("runs/" + name + what);
        EXPECT_EQ(response.status, 200)
            << file << " " << text << " " << what << " " << response.body;
      }
    }
  }
  std::ofstream(run / "run.json") << "{";
  const HttpResponse response = Get("runs/" + name);
  EXPECT_EQ(response.status, 404);
  EXPECT_NE(response.body.find("damaged file"), std::string::npos);
}

TEST_F(HttpResponses, ASearchHasItsTrialsTheirSpaceAndWhatMattered) {
  const auto run = runs.Begin();
  (void)run->events().Append({{"event", "trial_start"}, {"trial", 1}, {"trials", 21}});
  (void)run->events().Append({{"event", "trial"}, {"trial", 1}, {"trials", 21}, {"state", "done"}});
  (void)run->events().Append(
      {{"event", "trial_start"}, {"trial", 21}, {"trials", 21}, {"values", "x 3"}});
  const std::string here = "runs/" + run->id() + "/trials";
  EXPECT_EQ(GetJson(here)["trials"].size(), 1u);
  EXPECT_EQ(GetJson(here + "/importance"), Json::object());
  Json trials = Json::array();
  for (int i = 1; i <= 20; ++i) {
    trials.push_back({{"trial", i},
                      {"state", "done"},
                      {"values", {{"x", i * 7 % 20}, {"y", i % 2 == 0 ? "a" : "b"}}},
                      {"value", i * 7 % 20}});
  }
  (void)MakeFolder(run->path() / "trials");
  (void)WriteFile(run->path() / "trials/search.json",
                  R"({"space": {"x": {"int_uniform": [0, 19]}, "y": ["a", "b"]}})");
  (void)run->WriteFile("trials.json", Dump({{"metric", "rmse"}, {"best", 20}, {"trials", trials}}));
  const Json told = GetJson(here);
  EXPECT_EQ(told["trials"].size(), 20u);
  EXPECT_EQ(told["running"], Json::array({{{"trial", 21}, {"values", "x 3"}}}));
  EXPECT_EQ(told["options"][0]["high"], 19);
  EXPECT_EQ(told["options"][1]["choices"], Json({"a", "b"}));
  EXPECT_EQ(told["compared_by"][0]["metric"], "rmse");
  const Json importance = GetJson(here + "/importance");
  EXPECT_EQ(importance["trials"], 20);
  EXPECT_GT(importance["options"][0]["share"].get<double>(), 0.8);
  EXPECT_EQ(importance["options"][0]["at"].size(), 20u);
  EXPECT_EQ(importance["pairs"][0]["value"].size(), 20u);
}

// Bytes of a run's files are changed, cut off and doubled at random: every response is JSON, and
// none ends the server.
TEST_F(HttpResponses, FilesThatAreDamagedAnywhereGiveAnAnswer) {
  const fs::path run = runs.Done(5);
  std::ofstream(run / "job.json")
      << R"({"settings":[{"key":"x","value":1,"from":"a:1:2"}],"plan":{"tree":"scan a","sql":"b"},)"
      << R"("job":{"etl":{"sql":"c"},"pipeline":[{"kind":"torch_estimator"}],"tables":{}}})";
  std::map<std::string, std::string> whole;
  for (const char* file : {"events.jsonl", "result.json", "job.json", "run.json"}) {
    whole[file] = ReadTextFile(run / file).ValueOrDie();
  }
  std::minstd_rand random(7);
  for (int round = 0; round < 150; ++round) {
    for (const auto& [file, text] : whole) {
      std::string damaged = text;
      for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = char(random());
      if (random() % 4 == 0) damaged.resize(random() % damaged.size());
      if (random() % 8 == 0) damaged += damaged;
      // The header is sometimes left intact, or nothing else would be read.
      const bool keep = file == "run.json" && round % 3 != 0;
      std::ofstream(run / file, std::ios::trunc) << (keep ? text : damaged);
    }
    PageApi fresh({.runs = runs.path()});
    const std::string path = "/api/v1/runs/" + run.filename().string();
    for (const char* what : {"", "/settings", "/plan", "/model", "/trials", "/metrics", "/lanes",
                             "/profile", "/operators", "/gang", "/events", "/logs", "/files"}) {
      const HttpResponse response = fresh.Respond({.method = "GET", .path = path + what});
      EXPECT_TRUE(response.status == 200 || response.status == 404) << what << response.body;
      EXPECT_TRUE(ParseJson(response.body).ok()) << what << response.body;
    }
    EXPECT_EQ(fresh.Respond({.method = "GET", .path = "/api/v1/runs"}).status, 200);
    EXPECT_EQ(fresh.Respond({.method = "GET", .path = "/metrics"}).status, 200);
  }
}

TEST_F(HttpResponses, ParametersThatAreNoNumbersAreRefused) {
  const std::string name = runs.Done(1).filename();
  EXPECT_EQ(Get("runs/" + name + "/events", {{"from", "x"}}).status, 400);
  EXPECT_EQ(Get("runs/" + name + "/metrics", {{"points", "1e9"}}).status, 400);
  EXPECT_EQ(Get("runs/" + name + "/stream", {{"from", "9999999999999999999"}}).status, 400);
  EXPECT_EQ(Get("compare", {{"run", name}}).status, 400);
}

TEST_F(HttpResponses, OfRunsThatDifferTheDifferencesComeFirst) {
  const fs::path a = runs.Done(1), b = runs.Done(2);
  std::ofstream(a / "job.json") << R"({"settings":[{"key":"x","value":1},{"key":"y","value":2}]})";
  std::ofstream(b / "job.json") << R"({"settings":[{"key":"x","value":1},{"key":"y","value":3}]})";
  const Json compared = GetJson("compare", {{"run", a.filename()}, {"run", b.filename()}});
  ASSERT_EQ(compared["settings"].size(), 1u);
  EXPECT_EQ(compared["settings"][0]["key"], "y");
  EXPECT_EQ(compared["settings"][0]["values"], Json({2, 3}));
}

TEST_F(HttpResponses, PrometheusSeesTheRunsThatGoOn) {
  const std::string done = runs.Done(1).filename();
  auto run = runs.Begin();
  ASSERT_TRUE(run->events().Append({{"event", "step"}, {"step", 7}, {"loss", 0.5}}).ok());
  const HttpResponse response = api.Respond({.method = "GET", .path = "/metrics"});
  EXPECT_TRUE(response.type.starts_with("text/plain; version=0.0.4"));
  EXPECT_NE(response.body.find("protium_train_loss{run=\"" + run->id() + "\"} 0.5"),
            std::string::npos);
  EXPECT_EQ(response.body.find(done), std::string::npos);
}

TEST_F(HttpResponses, AStreamGoesOnWhereItEnded) {
  auto run = runs.Begin();
  ASSERT_TRUE(run->events().Append({{"event", "note"}, {"message", "one"}}).ok());
  const std::string path = "runs/" + run->id() + "/stream";
  std::string text;
  ASSERT_NE(Get(path).stream->Next(text), HttpStream::More::kNone);
  const size_t id = text.find("id: ");
  ASSERT_NE(id, text.npos);
  EXPECT_NE(text.find("\"one\""), text.npos);
  EXPECT_NE(text.find("event: state\ndata: {\"state\":\"running\"}"), text.npos);
  ASSERT_TRUE(run->events().Append({{"event", "note"}, {"message", "two"}}).ok());
  HttpRequest again = {.method = "GET", .path = "/api/v1/" + path, .parameters = {{"from", "0"}}};
  again.headers["last-event-id"] = text.substr(id + 4, text.find('\n', id) - id - 4);
  std::string more;
  ASSERT_NE(api.Respond(again).stream->Next(more), HttpStream::More::kNone);
  EXPECT_EQ(more.find("\"one\""), more.npos);
  EXPECT_NE(more.find("\"two\""), more.npos);
}

}  // namespace
}  // namespace protium
