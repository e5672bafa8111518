// SPDX-License-Identifier: Apache-2.0
// Checks that the commands print what docs/first-hour.md shows: every command of the page is run,
// in order, in one folder. "..." on the page stands for any lines. Times, sizes and names of runs
// may differ, metrics a little.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// A command of the page and the lines below it.
struct Shown {
  std::string command;
  std::vector<std::string> lines;
};

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::vector<Shown> ReadPage() {
  std::vector<Shown> all;
  bool block = false, command = false;
  for (const std::string& line : LinesOf(ReadText(Repository() / "docs/first-hour.md"))) {
    if (line.starts_with("```")) {
      block = !block;
      command = false;
    } else if (block && line.starts_with("$ ")) {
      all.push_back({.command = line.substr(2)});
      command = true;
    } else if (command) {
      all.back().lines.push_back(line);
    }
  }
  return all;
}

// Without the words that differ from run to run.
std::vector<std::string> WordsOf(std::string line) {
  const std::pair<const char*, const char*> names[] = {
      {"[a-z]+-[0-9]{8}-[0-9]{6}-[0-9a-z]{4}", "RUN"},
      {"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}", "TIME"},
      {"[0-9a-f]{12}", "HASH"}};
  for (const auto& [form, name] : names) line = std::regex_replace(line, std::regex(form), name);
  std::stringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool IsNumber(std::string word, double& number) {
  std::erase(word, ',');
  char* end = nullptr;
  number = std::strtod(word.c_str(), &end);
  return !word.empty() && *end == '\0';
}

bool IsUnit(std::string word) {
  while (!word.empty() && Has(",:)", std::string(1, word.back()))) word.pop_back();
  constexpr const char* kUnits[] = {"s", "min", "bytes", "KiB", "MiB", "GiB"};
  return std::ranges::find(kUnits, word) != std::end(kUnits);
}

// Weights are the same on every machine of a kind; this tolerance is for others.
bool AreAlike(double a, double b) { return std::abs(a - b) <= 0.1 * std::max(a, b) + 0.5; }

bool Match(const std::string& shown, const std::string& printed) {
  // What `doctor` reports about a machine.
  if (shown.starts_with("OK     ")) return printed.substr(0, 22) == shown.substr(0, 22);
  const std::vector<std::string> left = WordsOf(shown), right = WordsOf(printed);
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) continue;
    double a = 0, b = 0;
    if (!IsNumber(left[i], a) || !IsNumber(right[i], b)) return false;
    const bool measured = i + 1 < left.size() && IsUnit(left[i + 1]) && left[i + 1] == right[i + 1];
    if (!measured && !AreAlike(a, b)) return false;
  }
  return true;
}

// Whether `shown` covers all of `printed`; "..." may stand for any of it.
bool MatchAll(const std::vector<std::string>& shown, size_t i,
              const std::vector<std::string>& printed, size_t k) {
  if (i == shown.size()) return k == printed.size();
  if (WordsOf(shown[i]) == std::vector<std::string>{"..."}) {
    for (size_t next = k; next <= printed.size(); ++next) {
      if (MatchAll(shown, i + 1, printed, next)) return true;
    }
    return false;
  }
  return k < printed.size() && Match(shown[i], printed[k]) &&
         MatchAll(shown, i + 1, printed, k + 1);
}

}  // namespace

TEST(FirstHourPage, ShowsWhatItsCommandsPrint) {
  const std::vector<Shown> all = ReadPage();
  ASSERT_GT(all.size(), 10u);
  const Scratch folder;
  const std::string path = fs::path(ProtiumCommand()).parent_path().string() + ":/usr/bin:/bin";
  const std::regex here(folder.path().string());
  const std::string begin = "exec 2>&1; cd " + folder.path().string() + " && ";
  for (const Shown& each : all) {
    Running shell({"/bin/sh", "-c", begin + each.command}, folder.path(), {{"PATH", path}});
    const Outcome outcome = shell.Wait();
    const bool fails = !each.lines.empty() && each.lines[0].starts_with("error: ");
    EXPECT_EQ(outcome.exit != 0, fails) << each.command << "\n" << outcome.out;
    if (each.lines.empty()) continue;
    const std::string out = std::regex_replace(outcome.out, here, "/home/me");
    EXPECT_TRUE(MatchAll(each.lines, 0, LinesOf(out), 0)) << "$ " << each.command << "\n"
                                                          << outcome.out;
  }
}

}  // namespace protium::whole
