// SPDX-License-Identifier: Apache-2.0
// A user's own table and job, small enough to run in a test.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "whole/command.h"

namespace protium::whole {

// How long a machine will run, from three numbers and a kind. The label is empty in every
// `unlabelled`-th row; with 0 in none.
inline std::string MachinesTable(int rows, int unlabelled = 0, bool with_label = true) {
  std::string text = with_label ? "id,kind,age,load,hours\n" : "id,kind,age,load\n";
  for (int i = 0; i < rows; ++i) {
    const int age = i * 7 % 23;
    const double load = (i * 37 % 101) / 10.0;
    const char* const kind = i % 3 == 0 ? "press" : i % 3 == 1 ? "lathe" : "mill";
    text += fmt::format("{},{},{},{}", i, kind, age, i % 17 == 5 ? "" : fmt::format("{}", load));
    const bool known = unlabelled == 0 || i % unlabelled != 0;
    if (with_label) text += known ? fmt::format(",{:.2f}", 900 - 20 * age - 11 * load) : ",";
    text += "\n";
  }
  return text;
}

constexpr const char* kMachinesJob = R"(name = "machines"
[tables]
machines = { csv = "machines.csv" }
[etl]
sql = "SELECT * FROM machines"
[split]
by = ["id"]
[[pipeline]]
kind = "string_indexer"
id = "index"
inputs = ["kind"]
[[pipeline]]
kind = "imputer"
id = "fill"
inputs = ["load"]
[[pipeline]]
kind = "standard_scaler"
id = "scale"
inputs = ["age", { stage = "fill" }]
[[pipeline]]
kind = "torch_estimator"
categorical = [{ stage = "index" }]
numeric = [{ stage = "scale" }]
label = "hours"
[train]
epochs = 2
batch_size = 64
validation = { share = 0.1, by = ["id"] }
)";

// A folder with the table machines.csv and the job job.toml.
class OwnJob {
 public:
  explicit OwnJob(const std::string& table = MachinesTable(600),
                  const std::string& job = kMachinesJob) {
    Write("machines.csv", table);
    Write("job.toml", job);
  }

  std::filesystem::path path() const { return scratch_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }
  std::filesystem::path Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path() / name).parent_path());
    std::ofstream(path() / name, std::ios::binary) << text;
    return path() / name;
  }
  std::string Text(const std::string& name) const { return ReadText(path() / name); }

  Outcome Protium(std::vector<std::string> words) const {
    words.insert(words.begin(), ProtiumCommand());
    Running command(std::move(words), path());
    return command.Wait();
  }
  Outcome Run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"run", (path() / "job.toml").string(), "--runs-dir",
                                      (path() / "runs").string()};
    words.insert(words.end(), more.begin(), more.end());
    return Protium(std::move(words));
  }
  // The model of the run that was written last: names of runs within one second are in no order.
  std::string Model() const {
    std::filesystem::path last;
    auto written = std::filesystem::file_time_type::min();
    for (const auto& run : std::filesystem::directory_iterator(path() / "runs")) {
      if (run.last_write_time() < written) continue;
      last = run.path() / "model";
      written = run.last_write_time();
    }
    return last.string();
  }

 private:
  Scratch scratch_;
};

// Returns `text` with `from`, which must occur in it, replaced by `to`.
inline std::string With(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? "\"" + from + "\" is not there"
                                 : text.replace(at, from.size(), to);
}

inline bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace protium::whole
