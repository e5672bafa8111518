// SPDX-License-Identifier: Apache-2.0
// What a command can refuse without reading a table or a model, it refuses first: tables may take
// minutes to read. Here every table has a row that is cut short, so whoever reads it says that.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <regex>
#include <set>

#include "os/fd.h"
#include "whole/own_job.h"

namespace protium::whole {

namespace {

struct Early {
  std::vector<std::string> words;
  std::string says;
};

// A folder with a model, a table that cannot be read, and a file that is not to be replaced.
class EarlyChecks : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(own_.Run().exit, 0);
    model_ = own_.Model();
    taken_ = own_.Write("elsewhere/taken.csv", "mine\n").string();
    table_ = own_.Write("later/machines.csv", MachinesTable(60) + "61,mill\n").string();
    own_.Write(
        "later.toml",
        "name = \"later\"\ndata = \"later\"\n[tables]\nmachines = { csv = \"machines.csv\" }\n"
        "[etl]\nsql = \"SELECT * FROM machines\"\n[outputs]\nall = \"" +
            taken_ + "\"\n");
    own_.Write("ludwig.yaml", "input_features: []\n");
  }

  std::vector<Early> WithTakenOutput() const {
    const std::string query = "SELECT * FROM t", table = "t=" + table_, exists = "already exists";
    const std::string weights = model_ + "/weights.safetensors";
    return {{{"sql", query, "--table", table, "--output", taken_}, exists},
            {{"predict", "--model", model_, "--input", table_, "--output", taken_}, exists},
            {{"predict", "--model", model_, "--data", own_ / "later", "--output", taken_}, exists},
            {{"gang", "--input", table_, "--output", taken_, "--", "true"}, exists},
            {{"init", table_, "--label", "hours", "--output", taken_}, exists},
            {{"run", own_ / "later.toml", "--runs-dir", own_ / "runs"}, exists},
            {{"plan", own_ / "later.toml"}, exists},
            {{"export", "nowhere", "--to", "onnx", "--output", taken_}, exists},
            {{"export", "nowhere", "--to", "csv", "--output", taken_}, exists},
            {{"import", weights, "--model", "nowhere", "--output", taken_}, exists},
            {{"config", "import", own_ / "ludwig.yaml", "--output", taken_}, exists},
            {{"sql", query, "--table", table, "--output", taken_ + "/a.csv", "--force"},
             "is a file, not a folder"},
            {{"predict", "--model", model_, "--input", table_, "--output", taken_ + "/a.csv"},
             "is a file, not a folder"}};
  }

  std::vector<Early> WithWrongFlags() const {
    const std::string query = "SELECT * FROM t", table = "t=" + table_;
    return {{{"sql", query, "--table", table, "--rows", "few"}, "--rows"},
            {{"sql", query, "--table", table, "--output", "a.txt"}, "a.txt"},
            {{"init", table_, "--label", "hours", "--horizon", "soon"}, "is not a horizon"},
            {{"init", table_, "--label", "hours", "--horizon", "7", "--cpp"}, "is for job files"},
            {{"init", table_, "--label", "hours", "--estimator", "tree"}, "is not an estimator"},
            {{"predict", "--model", "nowhere", "--input", table_, "--output", "a.csv", "--horizon",
              "soon"},
             "is not a horizon"},
            {{"serve", "nowhere", "--drain", "long"}, "--drain"},
            {{"serve", "nowhere", "--port", "70000"}, "--port"},
            {{"serve", "nowhere", "--log-share", "0.5"}, "--log-share"}};
  }

  void ExpectRefused(const std::vector<Early>& all) {
    for (const Early& each : all) {
      std::vector<std::string> words = each.words;
      words.insert(words.begin(), ProtiumCommand());
      Running command(words, own_.path());
      const Outcome outcome = command.Wait();
      EXPECT_EQ(outcome.exit, 2) << each.words[0] << "\n" << outcome.err;
      EXPECT_TRUE(Has(outcome.err, each.says)) << each.words[0] << "\n" << outcome.err;
      EXPECT_EQ(ReadText(taken_), "mine\n") << each.words[0];
    }
  }

  OwnJob own_;
  std::string model_, taken_, table_;
};

// The verbs whose --help lists the flag.
std::set<std::string> VerbsWith(const std::string& flag, const OwnJob& own) {
  const std::string list = own.Protium({"--help"}).out;
  const std::regex line("\n  ([a-z]+) ");
  std::set<std::string> verbs;
  for (std::sregex_iterator at(list.begin(), list.end(), line), end; at != end; ++at) {
    const std::string verb = (*at)[1];
    if (Has(own.Protium({verb, "--help"}).out, "  " + flag + " ")) verbs.insert(verb);
  }
  return verbs;
}

}  // namespace

TEST_F(EarlyChecks, RefuseAnOutputThatExistsBeforeAnythingIsOpened) {
  ExpectRefused(WithTakenOutput());
}

TEST_F(EarlyChecks, CoverEveryVerbThatWritesAFile) {
  const std::set<std::string> verbs = VerbsWith("--output", own_);
  EXPECT_TRUE(verbs.contains("sql") && verbs.contains("predict")) << verbs.size();
  std::set<std::string> covered;
  for (const Early& each : WithTakenOutput()) covered.insert(each.words[0]);
  for (const std::string& verb : verbs) EXPECT_TRUE(covered.contains(verb)) << verb;
}

TEST_F(EarlyChecks, RefuseAWrongFlagBeforeAnythingIsOpened) { ExpectRefused(WithWrongFlags()); }

TEST_F(EarlyChecks, RefuseAPortThatIsTakenBeforeAModelIsLoaded) {
  const UniqueFd other(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in place{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof(place);
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  ASSERT_EQ(::bind(other.get(), address, size), 0);
  ASSERT_EQ(::listen(other.get(), 1), 0);
  ASSERT_EQ(::getsockname(other.get(), address, &size), 0);
  own_.Write("broken/model.json", "{");
  const std::string port = std::to_string(ntohs(place.sin_port));
  const Outcome outcome = own_.Protium({"serve", own_ / "broken", "--port", port});
  EXPECT_EQ(outcome.exit, 4) << outcome.err;
  EXPECT_TRUE(Has(outcome.err, "cannot listen on port " + port)) << outcome.err;
}

}  // namespace protium::whole
