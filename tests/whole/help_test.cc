// SPDX-License-Identifier: Apache-2.0
// What help prints of the catalogue, and that the pages made from it are those of this build.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "job/settings.h"
#include "whole/command.h"

namespace protium::whole {

namespace fs = std::filesystem;
using testing::HasSubstr;

namespace {

Outcome Help(std::vector<std::string> words) {
  const Scratch scratch;
  words.insert(words.begin(), {ProtiumCommand(), "help"});
  Running command(std::move(words), scratch.path());
  return command.Wait();
}

// As much of JSON Schema as ours use; returns where a value does not fit, or nothing.
class Schema {
 public:
  explicit Schema(Json root) : root_(std::move(root)) {}
  std::string Misfit(const Json& value) const { return Misfit(root_, value, "job"); }

 private:
  std::string Misfit(const Json& schema, const Json& value, const std::string& at) const {
    if (schema.contains("$ref")) {
      const std::string name = schema["$ref"].get<std::string>().substr(14);  // #/definitions/
      return Misfit(root_["definitions"].at(name), value, at);
    }
    if (!HasType(schema.value("type", ""), value)) return at + ": type";
    const auto is = [&](const Json& each) { return each == value; };
    if (schema.contains("const") && schema["const"] != value) return at + ": const";
    if (schema.contains("enum") && std::none_of(schema["enum"].begin(), schema["enum"].end(), is)) {
      return at + ": enum";
    }
    if (value.is_number() && !InRange(schema, value.get<double>())) return at + ": range";
    if (schema.contains("pattern") && value.is_string() &&
        !std::regex_match(value.get<std::string>(),
                          std::regex(schema["pattern"].get<std::string>()))) {
      return at + ": pattern";
    }
    for (const Json& each : schema.value("allOf", Json::array())) {
      if (const std::string misfit = Misfit(each, value, at); !misfit.empty()) return misfit;
    }
    if (schema.contains("anyOf")) {
      const auto fits = [&](const Json& each) { return Misfit(each, value, at).empty(); };
      if (std::none_of(schema["anyOf"].begin(), schema["anyOf"].end(), fits)) return at + ": anyOf";
    }
    return MisfitBelow(schema, value, at);
  }

  std::string MisfitBelow(const Json& schema, const Json& value, const std::string& at) const {
    for (const Json& key : schema.value("required", Json::array())) {
      if (!value.contains(key.get<std::string>())) return at + ": lacks " + key.get<std::string>();
    }
    const Json properties = schema.value("properties", Json::object());
    const Json others = schema.value("additionalProperties", Json(true));
    const Json members = value.is_object() ? value : Json::object();
    for (const auto& [key, item] : members.items()) {
      const bool named = properties.contains(key);
      if (!named && others == false) return at + "." + key + ": unknown";
      if (!named && others.is_boolean()) continue;
      const Json& its = named ? properties[key] : others;
      if (const std::string misfit = Misfit(its, item, at + "." + key); !misfit.empty()) {
        return misfit;
      }
    }
    for (size_t i = 0; value.is_array() && schema.contains("items") && i < value.size(); ++i) {
      const std::string misfit = Misfit(schema["items"], value[i], at + "." + std::to_string(i));
      if (!misfit.empty()) return misfit;
    }
    return "";
  }

  static bool HasType(const std::string& type, const Json& value) {
    return type.empty() || (type == "object" && value.is_object()) ||
           (type == "array" && value.is_array()) || (type == "string" && value.is_string()) ||
           (type == "boolean" && value.is_boolean()) ||
           (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number());
  }

  static bool InRange(const Json& schema, double value) {
    const double infinity = std::numeric_limits<double>::infinity();
    return value >= schema.value("minimum", -infinity) &&
           value > schema.value("exclusiveMinimum", -infinity) &&
           value < schema.value("exclusiveMaximum", infinity);
  }

  Json root_;
};

}  // namespace

TEST(Help, ListsWhatAJobMayName) {
  for (const auto& [topic, row] :
       {std::pair{"stages", "one_hot_encoder"}, std::pair{"nets", "tabular_mlp"},
        std::pair{"losses", "huber"}, std::pair{"metrics", "rmse"}, std::pair{"optimizers", "adam"},
        std::pair{"schedules", "cosine"}}) {
    const Outcome list = Help({topic});
    EXPECT_EQ(list.exit, 0) << list.err;
    EXPECT_THAT(list.out, HasSubstr(row));
    const Outcome one = Help({topic, row});
    EXPECT_EQ(one.exit, 0) << one.err;
    EXPECT_THAT(one.out, HasSubstr(row));
    EXPECT_EQ(Help({topic, row, "--json"}).json["name"], row);
    EXPECT_FALSE(Help({topic, "--json"}).json[topic].empty());
  }
}

TEST(Help, TellsOptionsWithDefaultAndRange) {
  const std::string page = Help({"nets", "tabular_mlp"}).out;
  EXPECT_THAT(page, HasSubstr("[128, 64]"));
  EXPECT_THAT(page, HasSubstr("widths of at least 1"));
  const Json options = Help({"stages", "imputer", "--json"}).json["options"];
  EXPECT_EQ(options[3]["choices"], Json({"median", "mean", "mode", "constant"}));
}

TEST(Help, NamesTheNearestOnATypo) {
  const Outcome row = Help({"nets", "tabular_mpl"});
  EXPECT_EQ(row.exit, 2);
  EXPECT_THAT(row.err, HasSubstr("unknown net \"tabular_mpl\""));
  EXPECT_THAT(row.err, HasSubstr("did you mean \"tabular_mlp\"?"));
  const Outcome topic = Help({"stagse"});
  EXPECT_EQ(topic.exit, 2);
  EXPECT_THAT(topic.err, HasSubstr("did you mean \"stages\"?"));
  EXPECT_EQ(Help({"run", "tabular_mlp"}).exit, 2);
  for (const char* name : {"imputer", "imputr"}) {
    EXPECT_THAT(Help({name}).err, HasSubstr("protium help stages imputer")) << name;
  }
  EXPECT_THAT(Help({"brier"}).err, HasSubstr("protium help metrics brier"));
}

TEST(Help, TellsTheKeysBelowAKey) {
  EXPECT_THAT(Help({"keys"}).out, HasSubstr("  outputs "));
  const std::string train = Help({"keys", "train"}).out;
  EXPECT_THAT(train, HasSubstr("  train.validation.share "));
  EXPECT_THAT(train, HasSubstr("at least 0 and below 1"));
  EXPECT_THAT(Help({"keys", "train.optimizer"}).out, HasSubstr("adam, "));
  EXPECT_THAT(Help({"keys", "train.optimizer.momentum"}).out, HasSubstr("momentum"));
  EXPECT_THAT(Help({"keys", "pipeline.2.with"}).out, HasSubstr("median"));
  EXPECT_THAT(Help({"keys", "tables.flights.null"}).out, HasSubstr("missing values"));
  EXPECT_THAT(Help({"keys", "engine.memory"}).out, HasSubstr("4 GiB"));
  EXPECT_EQ(Help({"keys", "train.epochs", "--json"}).json["keys"][0]["type"], "whole number");
  const Outcome elsewhere = Help({"keys", "epochs"});
  EXPECT_EQ(elsewhere.exit, 2);
  EXPECT_THAT(elsewhere.err, HasSubstr("did you mean train.epochs?"));
  EXPECT_THAT(Help({"keys", "train.epoch"}).err, HasSubstr("did you mean \"train.epochs\"?"));
}

TEST(Help, WritesThePagesOfMan) {
  const Scratch scratch;
  const fs::path folder = scratch.path() / "man1";
  ASSERT_EQ(Help({"--man", folder.string()}).exit, 0);
  const std::string run = ReadText(folder / "protium-run.1");
  EXPECT_THAT(run, HasSubstr(".TH PROTIUM\\-RUN 1"));
  EXPECT_THAT(run, HasSubstr("\\fB\\-v\\fR, \\fB\\-\\-verbose\\fR"));
  EXPECT_THAT(ReadText(folder / "protium.1"), HasSubstr("\\fBprotium\\-predict\\fR(1)"));
}

// Asks bash for the words that complete `line`.
TEST(Completion, KnowsVerbsFlagsAndCommands) {
  const auto words = [](const std::string& line, int at) {
    const Scratch scratch;
    const std::string script = fmt::format(
        "mkdir -p runs; PATH='{}':$PATH; source <(protium completion bash); COMP_WORDS=({}); "
        "COMP_CWORD={}; _protium 2>/dev/null; echo \"${{COMPREPLY[*]}}\"",
        fs::path(ProtiumCommand()).parent_path().string(), line, at);
    Running bash({"/bin/bash", "-c", script}, scratch.path());
    return bash.Wait().out;
  };
  EXPECT_EQ(words("protium pl", 1), "plan\n");
  EXPECT_EQ(words("protium run job.toml --se", 3), "--set\n");
  EXPECT_EQ(words("protium runs sh", 2), "show\n");
  EXPECT_EQ(words("protium run job.toml --set train.epo", 4), "train.epochs=\n");
  EXPECT_EQ(words("protium help keys gang.work", 3), "gang.workers\n");
  for (const char* const shell : {"zsh", "fish"}) {
    const Scratch scratch;
    Running command({ProtiumCommand(), "completion", shell}, scratch.path());
    EXPECT_THAT(command.Wait().out, HasSubstr("finds the mistakes in a job file"));
  }
}

TEST(Help, TellsTheFunctionsOfSql) {
  EXPECT_THAT(Help({"sql"}).out, HasSubstr("avg*"));
  EXPECT_THAT(Help({"sql", "UPPER"}).out, HasSubstr("the same on every engine"));
  EXPECT_THAT(Help({"sql", "**"}).out, HasSubstr("fix: use power(a, b)"));
  EXPECT_EQ(Help({"sql", "avg", "--json"}).json["meaning"], "not exact");
  const Outcome none = Help({"sql", "uper"});
  EXPECT_EQ(none.exit, 2);
  EXPECT_THAT(none.err, HasSubstr("\"upper\""));
}

TEST(Help, HasWrittenThePagesOfTheReference) {
  const Scratch scratch;
  ASSERT_EQ(Help({"--reference", scratch.path().string()}).exit, 0);
  const fs::path pages = Repository() / "docs" / "reference";
  size_t written = 0;
  for (const auto& page : fs::directory_iterator(scratch.path())) {
    const std::string name = page.path().filename();
    EXPECT_EQ(ReadText(pages / name), ReadText(page.path()))
        << "docs/reference/" << name << " is stale: protium help --reference docs/reference";
    ++written;
  }
  EXPECT_EQ(written, 7u);
}

TEST(JobSchema, TakesTheExampleAndRefusesAMisspeltKey) {
  const Schema schema(*ParseJson(Help({"schema"}).out));
  const Json flights = ReadToml(FlightsJob())->tree;
  EXPECT_EQ(schema.Misfit(flights), "");
  const auto misfit = [&](const char* pointer, const Json& value) {
    Json wrong = flights;
    wrong[Json::json_pointer(pointer)] = value;
    return schema.Misfit(wrong);
  };
  EXPECT_EQ(misfit("/splitt", Json::object()), "job.splitt: unknown");
  EXPECT_EQ(misfit("/train/epoch", 3), "job.train.epoch: unknown");
  EXPECT_EQ(misfit("/train/epochs", 0), "job.train.epochs: range");
  EXPECT_EQ(misfit("/train/optimizer/momentum", 0.5), "job.train.optimizer: anyOf");
  EXPECT_EQ(misfit("/pipeline/1/whith", "mean"), "job.pipeline.1: anyOf");
  EXPECT_EQ(misfit("/pipeline/1/with", "means"), "job.pipeline.1: anyOf");
  EXPECT_EQ(misfit("/pipeline/3/net/hidden", Json({0})), "job.pipeline.3: anyOf");
  EXPECT_EQ(misfit("/train/optimizer", "sgd"), "");
  EXPECT_EQ(misfit("/engine", "local[4]"), "");
  EXPECT_EQ(misfit("/train/metrics", {"log_loss", "top_7"}), "");
  EXPECT_EQ(misfit("/train/metrics", Json::array({"top_k"})), "job.train.metrics.0: anyOf");
  Json without = flights;
  without.erase("etl");
  EXPECT_EQ(schema.Misfit(without), "job: lacks etl");
}

TEST(Display, IsAsTheFlagsOfEveryVerbSay) {
  const Scratch scratch;
  const auto run = [&](std::vector<std::string> flags) {
    std::vector<std::string> words = {ProtiumCommand(),
                                      "run",
                                      FlightsJob(),
                                      "--set",
                                      "data=" + ExampleTables(1000),
                                      "--set",
                                      "train.epochs=1",
                                      "--runs-dir",
                                      (scratch.path() / "runs").string()};
    words.insert(words.end(), flags.begin(), flags.end());
    Running command(std::move(words), scratch.path());
    return command.Wait();
  };
  const Outcome quiet = run({"--quiet"});
  EXPECT_EQ(quiet.exit, 0) << quiet.err;
  EXPECT_EQ(quiet.err, "");
  EXPECT_THAT(quiet.out, HasSubstr("model, test rows"));
  const Outcome color = run({"--color", "always"});
  EXPECT_THAT(color.err, HasSubstr("\x1b[36m")) << color.err;
  EXPECT_THAT(run({"--color=never"}).err, testing::Not(HasSubstr("\x1b[")));
  EXPECT_EQ(run({"--color", "sometimes"}).exit, 2);
}

}  // namespace protium::whole
