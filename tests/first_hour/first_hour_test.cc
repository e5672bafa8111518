// SPDX-License-Identifier: Apache-2.0
// Mistakes of newcomers in a job file, and the messages that they read. mistakes.txt has one block
// for each mistake: its name, the command, what is replaced in a correct job, and the whole
// message. PROTIUM_REWRITE=1 writes the messages of this build into the file, so that they can be
// reviewed as a change of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "run/terminal.h"
#include "whole/own_job.h"

namespace protium::whole {

namespace {

// A block of mistakes.txt:
//   ## a column as a stage
//   $ check
//   < numeric = ["age"]
//   > numeric = [{ stage = "age" }]
//   error: ...
//   exit 2
// check, plan and run get the job; in other commands DIR is the test's folder, which has the job
// and machines.csv. A line "+ days.csv TEXT" writes another file there.
struct Mistake {
  std::string name;
  std::string command;                                        // Without the job.
  std::vector<std::pair<std::string, std::string>> files;     // By name.
  std::vector<std::pair<std::string, std::string>> replaced;  // "\n" stands for a line break.
  std::string message;
};

std::string Unescaped(std::string text) {
  for (size_t at = text.find("\\n"); at != text.npos; at = text.find("\\n", at)) {
    text.replace(at, 2, "\n");
  }
  return text;
}

std::string Escaped(std::string text) {
  for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at)) {
    text.replace(at, 1, "\\n");
  }
  return text;
}

// Words of a command line; spaces between double quotes do not separate.
std::vector<std::string> WordsOf(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::filesystem::path File() { return Repository() / "tests/first_hour/mistakes.txt"; }

std::vector<Mistake> ReadMistakes() {
  std::vector<Mistake> all;
  std::stringstream lines(ReadText(File()));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("## ")) {
      all.push_back({.name = line.substr(3)});
    } else if (all.empty()) {
      continue;  // A comment of the file.
    } else if (line.starts_with("$ ")) {
      all.back().command = line.substr(2);
    } else if (line.starts_with("+ ")) {
      const size_t blank = line.find(' ', 2);
      all.back().files.emplace_back(line.substr(2, blank - 2), Unescaped(line.substr(blank + 1)));
    } else if (line.starts_with("< ")) {
      all.back().replaced.emplace_back(Unescaped(line.substr(2)), "");
    } else if (line.starts_with(">") && !all.back().replaced.empty()) {
      all.back().replaced.back().second = line.size() > 2 ? Unescaped(line.substr(2)) : "";
    } else if (!line.empty()) {
      all.back().message += line + "\n";
    }
  }
  return all;
}

// The command's message, with DIR for the folder of the test.
std::string MessageOf(const Mistake& mistake) {
  std::string job = kMachinesJob;
  for (const auto& [from, to] : mistake.replaced) {
    EXPECT_TRUE(Has(job, from)) << mistake.name << "\n" << from;
    job = With(job, from, to);
  }
  const OwnJob own(MachinesTable(60), job);
  for (const auto& [name, text] : mistake.files) own.Write(name, text);
  const std::string folder = own.path().string();
  std::vector<std::string> words = WordsOf(Replaced(mistake.command, "DIR", folder));
  if (words[0] == "check" || words[0] == "plan" || words[0] == "run") {
    words.insert(words.begin() + 1, own / "job.toml");
  }
  const Outcome outcome = own.Protium(words);
  const std::string text =
      Replaced(Replaced(outcome.err, folder + "/job.toml", "job.toml"), folder, "DIR");
  std::string message;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) message += line.empty() ? "" : line + "\n";
  return message + fmt::format("exit {}\n", outcome.exit);
}

std::string Block(const Mistake& mistake, const std::string& message) {
  std::string text = "## " + mistake.name + "\n$ " + mistake.command + "\n";
  for (const auto& [name, content] : mistake.files) {
    text += "+ " + name + " " + Escaped(content) + "\n";
  }
  for (const auto& [from, to] : mistake.replaced) {
    text += "< " + Escaped(from) + "\n>" + (to.empty() ? "" : " " + Escaped(to)) + "\n";
  }
  return text + message;
}

}  // namespace

TEST(FirstHour, TheJobWithoutAMistakeIsRight) {
  for (const char* const verb : {"check", "plan"}) {
    EXPECT_EQ(MessageOf({.name = "none", .command = verb}), "exit 0\n");
  }
}

TEST(FirstHour, MistakesAreToldWithTheirFix) {
  const std::vector<Mistake> all = ReadMistakes();
  ASSERT_GT(all.size(), 50u);
  std::string text = ReadText(File());
  text.resize(text.find("## "));
  for (const Mistake& each : all) {
    const std::string message = MessageOf(each);
    text += Block(each, message) + "\n";
    if (std::getenv("PROTIUM_REWRITE") != nullptr) continue;
    EXPECT_EQ(message, each.message) << each.name;
  }
  if (std::getenv("PROTIUM_REWRITE") == nullptr) return;
  text.pop_back();
  std::ofstream(File()) << text;
}

// As much as a person reads, on a terminal of the usual width.
TEST(FirstHour, MessagesAreShort) {
  for (const Mistake& each : ReadMistakes()) {
    std::stringstream lines(each.message);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(TextWidth(line), 100) << each.name << "\n" << line;
    }
    EXPECT_LE(count, 12 + 1) << each.name;  // And the exit code.
    EXPECT_TRUE(Has(each.message, "error: ")) << each.name;
    EXPECT_FALSE(Has(each.message, "bug in protium")) << each.name;
  }
}

}  // namespace protium::whole
