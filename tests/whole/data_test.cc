// SPDX-License-Identifier: Apache-2.0
// Real-life tables: damaged, odd, too small, unlike those used for training.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "whole/flights.h"
#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// The example's tables with the lines of flights.csv changed.
std::string ChangedTables(const Scratch& scratch, int rows,
                          const std::function<void(std::vector<std::string>&)>& change) {
  const fs::path tables = scratch.path() / "tables";
  fs::copy(ExampleTables(rows), tables);
  std::istringstream in(ReadText(tables / "flights.csv"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  change(lines);
  std::ofstream out(tables / "flights.csv");
  for (const std::string& line : lines) out << line << "\n";
  return tables.string();
}

}  // namespace

TEST(Tables, WithARaggedLineAreRefusedWithFileAndLine) {
  const Scratch scratch;
  const std::string tables =
      ChangedTables(scratch, 1000, [](auto& lines) { lines[500] += ",surplus"; });
  const Outcome outcome = RunFlights(scratch, tables, {});
  EXPECT_EQ(outcome.exit, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("flights.csv:501"), std::string::npos) << outcome.err;
}

TEST(Tables, WithAByteOrderMarkAndWindowsLineEndsGiveTheSameWeights) {
  const Scratch scratch;
  const std::string tables = ChangedTables(scratch, 2000, [](auto& lines) {
    lines[0] = "\xEF\xBB\xBF" + lines[0];
    for (std::string& line : lines) line += "\r";
  });
  EXPECT_EQ(ModelWeights(RunFlights(scratch, tables, {}), scratch),
            ModelWeights(RunFlights(scratch, ExampleTables(2000), {}), scratch));
}

TEST(Tables, WithoutRowsAreRefusedClearly) {
  const Scratch scratch;
  const std::string tables = ChangedTables(scratch, 1000, [](auto& lines) { lines.resize(1); });
  const Outcome outcome = RunFlights(scratch, tables, {});
  EXPECT_NE(outcome.exit, 0);
  EXPECT_NE(outcome.err.find("no "), std::string::npos) << outcome.err;
  EXPECT_LT(outcome.err.size(), 1500u) << outcome.err;
}

// A hundred megabytes in one cell: no engine reads a row of that length.
TEST(Tables, WithACellOfAHundredMegabytesAreRefusedWithItsLine) {
  const OwnJob own(MachinesTable(600) + "600," + std::string(100'000'000, 'x') + ",1,2,3\n");
  const Outcome outcome = own.Run();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("a row is longer than 16 MiB"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("machines.csv:602"), std::string::npos) << outcome.err;
  EXPECT_LT(outcome.err.size(), 1000u);
}

// Every column is an input; only the first and the last are related to the label. The work for
// reports on columns, such as their importance, must not grow with the square of their number.
TEST(Tables, OfTwoThousandColumnsAreLearnedWhole) {
  constexpr int kColumns = 2000;
  std::string table = "id,hours";
  for (int c = 0; c < kColumns; ++c) table += fmt::format(",c{}", c);
  std::mt19937 noise(1);
  for (int64_t i = 0; i < 300; ++i) {
    const int64_t first = i * 7 % 13, last = i * 5 % 11;
    table += fmt::format("\n{},{}", i, 100 * first - 70 * last);
    for (int c = 0; c < kColumns; ++c) {
      table += fmt::format(",{}", c == 0 ? first : c == kColumns - 1 ? last : noise() % 2);
    }
  }
  const OwnJob own;
  own.Write("wide.csv", table + "\n");
  const std::string job = (own / "wide.toml").string();
  ASSERT_EQ(own.Protium({"init", own / "wide.csv", "--label", "hours", "--estimator", "net",
                         "--output", job})
                .exit,
            0);
  const Outcome outcome = own.Protium(
      {"run", job, "--json", "--runs-dir", (own / "runs").string(), "--set", "train.epochs=20"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const fs::path folder = outcome.json["folder"].get<std::string>();
  const Json result = Json::parse(ReadText(folder / "result.json"));
  EXPECT_EQ(result["importance"]["columns"].size(), size_t(kColumns));
  const Json& metrics = outcome.json["metrics"];
  EXPECT_LT(metrics["test"]["rmse"], metrics["baseline"]["rmse"]) << outcome.err;
}

TEST(Tables, WithFewerRowsThanShardsStillTrain) {
  const Scratch scratch;
  const std::string tables = ChangedTables(scratch, 1000, [](auto& lines) { lines.resize(9); });
  const Outcome outcome =
      RunFlights(scratch, tables, {"train.shards=8", "train.validation.share=0"});
  // With so few days the held-out side may be empty; training itself must not fail.
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

TEST(Tables, OfIdenticalRowsTrainToTheSameBitsForAnyWorld) {
  const Scratch scratch;
  const std::string tables = ChangedTables(scratch, 2000, [](auto& lines) {
    for (size_t i = 1; i < lines.size(); ++i) {
      if (i % 10 != 0) lines[i] = lines[1];
    }
  });
  const std::string one = ModelWeights(RunFlights(scratch, tables, {"gang.workers=1"}), scratch);
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(ModelWeights(RunFlights(scratch, tables, {"gang.workers=4"}), scratch), one);
}

// A deviation of 0 is no scale, and a line through identical rows has no slope.
TEST(Tables, WhoseLabelsAreAllEqualTrainToThatLabel) {
  const std::string table = "id,kind,age,load,hours\n";
  std::string rows;
  for (int i = 0; i < 300; ++i) rows += fmt::format("{},lathe,{},{},40\n", i, i % 23, i % 101);
  const std::string job =
      With(kMachinesJob, "label = \"hours\"", "label = \"hours\"\nlabel_scale = \"standard\"");
  const OwnJob own(table + rows, With(job, "epochs = 2", "epochs = 2\nbaseline = \"age\""));
  const Outcome run = own.Run({"--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_LT(run.json["metrics"]["test"]["rmse"].get<double>(), 1) << run.err;
  EXPECT_LT(run.json["metrics"]["baseline"]["rmse"].get<double>(), 1e-6) << run.err;
}

TEST(FullDisk, WhileARunWritesNamesBytesAndPathAndKeepsWhatWasThere) {
  const Scratch scratch;
  const fs::path disk = scratch.path() / "disk";
  fs::create_directory(disk);
  if (geteuid() != 0 || mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=600k") != 0) {
    GTEST_SKIP() << "a small disk can only be made by root with mount rights";
  }
  std::vector<std::string> argv = FlightsCommand(scratch, ExampleTables(4000), {});
  for (std::string& arg : argv) {
    if (arg == (scratch.path() / "runs").string()) arg = disk.string();
  }
  {
    Running command(argv, scratch.path());
    const Outcome outcome = command.Wait();
    EXPECT_EQ(outcome.exit, 6) << outcome.err;
    EXPECT_NE(outcome.err.find(disk.string()), std::string::npos) << outcome.err;
  }
  umount2(disk.c_str(), MNT_DETACH);
}

TEST(FullDisk, WhileRowsSpillNamesBytesAndFolderAndGoesOnLater) {
  const Scratch scratch;
  const fs::path disk = scratch.path() / "disk";
  fs::create_directory(disk);
  if (geteuid() != 0 || mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=200k") != 0) {
    GTEST_SKIP() << "a small disk can only be made by root with mount rights";
  }
  const Outcome full = RunFlights(scratch, ExampleTables(4000),
                                  {"engine.rows_memory=\"4KiB\"", "engine.spill=" + disk.string()});
  umount2(disk.c_str(), MNT_DETACH);
  EXPECT_EQ(full.exit, 6) << full.err;
  EXPECT_NE(full.err.find("packed rows need"), std::string::npos) << full.err;
  EXPECT_NE(full.err.find(disk.string()), std::string::npos) << full.err;
}

TEST(RowsBeyondMemory, GiveTheSameWeightsFromTheDisk) {
  const Scratch scratch;
  const Outcome memory = RunFlights(scratch, ExampleTables(4000), {});
  const Outcome disk = RunFlights(scratch, ExampleTables(4000), {"engine.rows_memory=\"4KiB\""});
  ASSERT_EQ(disk.exit, 0) << disk.err;
  EXPECT_NE(ModelWeights(memory, scratch), "");
  EXPECT_EQ(ModelWeights(disk, scratch), ModelWeights(memory, scratch));
  const fs::path folder = disk.json["folder"].get<std::string>();
  const auto read = [&](const char* file) {
    return ParseJson(ReadText(folder / file)).ValueOrDie();
  };
  const Json result = read("result.json"), training = read("job.json")["plan"]["training"];
  const int64_t held_out = result["metrics"]["validation"]["rows"].get<int64_t>();
  const int64_t rows = result["rows"].get<int64_t>() + held_out;
  // Both parts are larger than their memory. Held-out rows contain their label twice.
  EXPECT_EQ(result["rows_on_disk_bytes"],
            rows * training["row_bytes"].get<int64_t>() + held_out * int64_t{sizeof(double)});
  EXPECT_FALSE(fs::exists(folder / "spill"));
}

}  // namespace protium::whole
