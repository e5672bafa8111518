// SPDX-License-Identifier: Apache-2.0
// What a first job does, before it is written as a job file (first_job.h) or as a program
// (first_program.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/first_columns.h"
#include "inspect/first_series.h"
#include "inspect/first_source.h"

namespace protium {

inline constexpr const char* kTrendColumn = "trend";

struct FirstJobSpec {
  std::string name;                   // The job's name.
  std::string file = name + ".toml";  // Where it is written.
  std::string data;  // The folder of the tables, relative to the job file; empty: none needed.
  FirstSource source;
  std::string label;
  Leaks leaks = {};  // Left out, unless there is nothing else.
  ColumnWishes wishes = {};
  FirstSeries series = {};
};

// What learns the label. The linear model is only for comparison, but for series: what trees and
// nets learn of a level that a series has left for good does not hold for the new one.
enum class FirstEstimator { kTrees, kNet, kLinear };

// How many trees a first job grows, and of which size.
struct FirstTrees {
  int64_t rounds = 1000;  // At most: validation rows choose how many.
  double learning_rate = 0.05;
  int32_t leaves = 15;  // More for larger tables.
  int64_t patience = 50;
};

// Refers to the spec, which must outlive it.
struct JobOutline {
  const FirstJobSpec& spec;
  const ColumnProfile& label;
  Aim aim;
  UsedColumns columns;
  FirstSplit split;
  std::vector<std::string> parts = {};  // The recurring parts of dates and times: "month".
  std::string sql;                 // Lines of at most 100 columns, with a comment for each join.
  std::vector<std::string> notes;  // What was decided, for people: one line each.
  bool log_label = false;          // ln(1 + label) is learned, and undone in predictions.
  std::string rare;  // Which classes are rare: "\"yes\" is 6 % of the rows"; empty: none.

  FirstEstimator estimator = FirstEstimator::kTrees;
  std::string
      why;  // Why this estimator, for people: "trees fit best: ..."; empty: it was asked for.
  std::string compared;  // What was measured, for `protium runs show`; empty: nothing.
  FirstTrees trees;
  // Of a net. Smaller tables get more epochs and smaller batches: the number of steps is similar.
  int64_t batch = 256;
  int64_t epochs = 10;
  int64_t patience = 5;
  double validation = 0.1;      // Share of the training rows.
  double net_validation = 0.1;  // The same of a net.

  // The numbers to learn from, either those with or those without missing values.
  std::vector<const ColumnProfile*> Numbers(bool missing) const;
  // The column whose equal values stay on one side of a split; empty: none.
  std::string Together() const;
  // The column in whose order rows are held out, the latest ones; empty: none.
  std::string InTime() const;
  // Whether a stage adds the days since the first row, as kTrendColumn.
  bool has_trend() const;
  // Whether values in fewer than kRareBelow rows share one index: of a few rows nothing is learned
  // but those rows, and new values get the same index. Small tables have no other values.
  bool has_rare_values() const;
  // Whether texts of many values become their mean label: it is a number, or yes and no.
  bool has_mean_label() const;
  // Whether the label is learned from its own earlier values.
  bool looks_back() const { return aim == Aim::kNumber && spec.series.looks_back(); }
  bool grows_trees() const { return estimator == FirstEstimator::kTrees; }
  // Whether it is a linear function of earlier values and of what recurs within a season.
  bool linear_series() const { return estimator == FirstEstimator::kLinear && looks_back(); }
  // So many numbers that a small net learns more from the rows that there usually are; and their
  // quantiles, an expression of 24 parts each, would take minutes.
  bool wide() const { return columns.numbers.size() > 200; }
};

// Decides by types and values only: the kind of task by the label, what each column is to the net,
// the split. A label that does not exist, has no information or cannot be learned, and a table
// without anything to learn from, are faults.
Result<JobOutline> OutlineOf(const FirstJobSpec& spec);

// Makes the job read the words of UsedColumns::sentences.
void ReadWords(JobOutline& outline);
// Makes the job read UsedColumns::many: by the mean label of each value or, where the label is no
// number, by how often it occurs.
void ReadManyValues(JobOutline& outline);

// The table's file or folder, relative to the folder of all tables; empty for a server's.
std::string FileOf(const LookedTable& table);

// Returns the options for reading a table, without those that its name already implies.
CsvOptions OptionsOf(const LookedTable& table);

// Returns why the job has this estimator, if that is known, and how to write it with the other one:
// a line for each.
std::vector<std::string> WhyLines(const JobOutline& outline);

// Writes a list that continues on the next line if it becomes too long.
std::string ListOf(const std::vector<std::string>& items, size_t indent);

}  // namespace protium
