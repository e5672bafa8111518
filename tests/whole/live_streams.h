// SPDX-License-Identifier: Apache-2.0
// A stream over a folder with two forests to score it, for tests of it as a process.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

inline constexpr const char* kStream = R"(name = "live"
[stream]
source = { folder = "in", pattern = "*.csv" }
sink = { folder = "out", format = "jsonl" }
model = "tag:live"
version_column = "version"
batch = { rows = 40, ms = 5 }
[tables]
places = { csv = "places.csv" }
[etl]
sql = "SELECT e.*, p.place FROM events e LEFT JOIN places p ON e.kind = p.kind"
)";

// Two forests for the machines, made once: "live" and "next".
class Streams : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    world_ = new Scratch;
    std::ofstream(world_->path() / "machines.csv") << MachinesTable(500);
    std::string job = With(kMachinesJob, "torch_estimator", "tree_estimator");
    job = With(job, "epochs = 2\nbatch_size = 64\n", "") + "[trees]\nrounds = 5\nleaves = 7\n";
    std::ofstream(world_->path() / "job.toml") << job;
    for (const char* rounds : {"5", "6"}) {
      Running command(
          {ProtiumCommand(), "run", world_->path() / "job.toml", "--runs-dir",
           world_->path() / "runs", "--json", "--set", std::string("trees.rounds=") + rounds},
          world_->path());
      const Outcome run = command.Wait();
      ASSERT_EQ(run.exit, 0) << run.err;
      Models()[rounds] = run.json["model"].get<std::string>();
    }
  }
  static void TearDownTestSuite() {
    delete world_;
    world_ = nullptr;
  }

  Streams() {
    fs::create_directories(path() / "in");
    fs::copy(world_->path() / "runs", path() / "runs", fs::copy_options::recursive);
    std::ofstream(path() / "places.csv") << "kind,place\npress,hall\nlathe,yard\n";
    std::ofstream(path() / "live.toml") << kStream;
    Tag("5", "live");
  }

  const fs::path& path() const { return scratch_.path(); }
  fs::path log() const { return path() / "streams/live/log.jsonl"; }
  static std::map<std::string, fs::path>& Models() {
    static std::map<std::string, fs::path> models;
    return models;
  }
  // Moves the tag to the forest of so many rounds.
  void Tag(const std::string& rounds, const std::string& tag) {
    const std::string run = Models()[rounds].parent_path().filename();
    for (const auto& each : fs::directory_iterator(path() / "runs")) {
      if (each.path().filename() != run) fs::remove(each.path() / "labels.json");
    }
    EXPECT_EQ(Call({"runs", "tag", run, tag}).exit, 0);
  }
  // New events without a label, under new ids.
  void Put(const std::string& name, int first, int rows) const {
    std::istringstream table(MachinesTable(first + rows, 0, /*with_label=*/false));
    const fs::path draft = path() / "in" / ("." + name);
    std::ofstream file(draft);
    std::string line;
    for (int i = -1; std::getline(table, line); ++i) {
      if (i < 0 || i >= first) file << line << "\n";
    }
    file.close();
    fs::rename(draft, path() / "in" / name);
  }

  std::vector<std::string> Words(std::vector<std::string> words) const {
    words.insert(words.begin(), ProtiumCommand());
    words.insert(words.end(), {"--runs-dir", path() / "runs"});
    return words;
  }
  std::vector<std::string> StreamWords(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"stream", path() / "live.toml", "--streams-dir",
                                      path() / "streams"};
    words.insert(words.end(), more.begin(), more.end());
    return Words(words);
  }
  Outcome Call(const std::vector<std::string>& words) const {
    Running command(Words(words), path());
    return command.Wait();
  }
  Outcome Once(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = StreamWords({"--once"});
    words.insert(words.end(), more.begin(), more.end());
    Running command(words, path());
    return command.Wait();
  }
  Outcome Ask(const std::string& what) const {
    Running command(Words({"stream", what, path() / "live.toml", "--streams-dir",
                           path() / "streams", "--json"}),
                    path());
    return command.Wait();
  }

  // The same for all files, so that they are read in the order of their names.
  void SetTimes() const {
    const auto time = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (auto& each : fs::directory_iterator(path() / "in")) fs::last_write_time(each.path(), time);
  }
  // Runs the stream anew, from its first event, and sends it a signal again and again, from which
  // it ends with `exit`; returns how often.
  int RunAndSend(int signal, int exit) const {
    fs::remove_all(path() / "out");
    fs::remove_all(path() / "streams");
    std::mt19937 random(std::random_device{}());
    for (int kills = 0; kills < 200; ++kills) {
      Running command(StreamWords({"--once"}), path());
      // As soon as the log has so many bytes more.
      const auto more = 1 + random() % 1500;
      std::error_code none;
      const auto bytes = fs::exists(log()) ? fs::file_size(log(), none) : 0;
      const bool reached = command.AwaitChange(
          path(), [&] { return fs::exists(log()) && fs::file_size(log(), none) > bytes + more; });
      if (reached) command.Signal(signal);
      const Outcome ended = command.Wait();
      // It may have been through before the signal came.
      EXPECT_TRUE(ended.exit == 0 || (reached && ended.exit == exit)) << ended.err;
      if (reached) continue;
      EXPECT_EQ(ended.exit, 0) << ended.err;
      return kills;
    }
    return -1;
  }

  // What the sink holds, file by file.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    std::error_code none;
    for (const auto& each : fs::directory_iterator(path() / "out", none)) {
      const std::string name = each.path().filename();
      if (name.starts_with("batch-")) files[name] = ReadText(each.path());
    }
    return files;
  }
  std::vector<Json> Rows() const {
    std::vector<Json> rows;
    for (const auto& [name, text] : Files()) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
    }
    return rows;
  }
  // Each id from 0 up to and without `count` once.
  void HasEach(int count) const {
    std::multiset<int> ids;
    for (const Json& row : Rows()) ids.insert(row["id"].get<int>());
    EXPECT_EQ(ids.size(), size_t(count));
    for (int id = 0; id < count; ++id) EXPECT_EQ(ids.count(id), 1u) << id;
  }

 private:
  static inline Scratch* world_ = nullptr;
  Scratch scratch_;
};

}  // namespace protium::whole
