// SPDX-License-Identifier: Apache-2.0
// Constructors of stages of vectors, dates and earlier rows.
// Written by scripts/stage_doors.py. What is not set has the default of docs/reference/stages.md;
// `id`, `inputs` and `outputs` are as those of ImputerOptions. Implemented by the room stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/pipeline.h"

namespace protium {

// vector_assembler: joins numbers and lists of numbers into one list
struct VectorAssemblerOptions {
  std::string id;
  Inputs inputs;
  // the name of the new column; unless set, the stage's id
  std::optional<std::string> output;
  // rows with NULL or NaN: an error, kept as NaN, or NULL as a whole; Spark's handleInvalid; one of
  // error, keep, null
  std::optional<std::string> invalid;
  // of lists whose type does not tell their length: [{ column, length }]
  std::optional<std::vector<VectorColumn>> lengths;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("output", output);
    visit("invalid", invalid);
    visit("lengths", lengths);
  }
};
inline StageOptions VectorAssembler(const VectorAssemblerOptions& options) {
  return {"vector_assembler", options};
}

// vector_columns: the numbers of lists as columns: <input>__<id>__0, __1, ...
struct VectorColumnsOptions {
  std::string id;
  Inputs inputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
  }
};
inline StageOptions VectorColumns(const VectorColumnsOptions& options) {
  return {"vector_columns", options};
}

// pca: the principal components of lists of numbers
struct PcaOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // the number of components, and the length of each list
  std::optional<int64_t> k;
  // subtracts the means first; Spark does not
  std::optional<bool> center;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("k", k);
    visit("center", center);
  }
};
inline StageOptions Pca(const PcaOptions& options) { return {"pca", options}; }

// variance_threshold_selector: keeps the columns that vary enough, as doubles
struct VarianceThresholdSelectorOptions {
  std::string id;
  Inputs inputs;
  // columns with a sample variance up to this are left out
  std::optional<double> threshold;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("threshold", threshold);
  }
};
inline StageOptions VarianceThresholdSelector(const VarianceThresholdSelectorOptions& options) {
  return {"variance_threshold_selector", options};
}

// datetime_parts: parts of dates and times as numbers: <input>__<id>__<part>
struct DatetimePartsOptions {
  std::string id;
  Inputs inputs;
  // the columns to make: year, quarter, month, week_of_year (ISO), day, day_of_year, day_of_week (1
  // is Sunday), weekend (1 or 0), hour, minute, second, unix_time (seconds since 1970, with
  // fractions)
  std::optional<std::vector<std::string>> parts;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("parts", parts);
  }
};
inline StageOptions DatetimeParts(const DatetimePartsOptions& options) {
  return {"datetime_parts", options};
}

// holidays: public holidays of countries, or days of your own: <input>__<id>__de is 1 on one, and
// <input>__<id>__de_to_next and __de_since_last count the days to the next and since the last
struct HolidaysOptions {
  std::string id;
  Inputs inputs;
  // whose public holidays: AT, BE, BR, CZ, DE, DK, FR, GB, IT, NL, NO, PL, PT, US
  std::optional<std::vector<std::string>> countries;
  // days of a calendar of your own, such as "2025-11-28"
  std::optional<std::vector<std::string>> dates;
  // or a file with one such day in each line, read once
  std::optional<std::string> file;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("countries", countries);
    visit("dates", dates);
    visit("file", file);
  }
};
inline StageOptions Holidays(const HolidaysOptions& options) { return {"holidays", options}; }

// cyclic_encoder: sine and cosine of periodic numbers, such as hours: <input>__<id>__sin and __cos
struct CyclicEncoderOptions {
  std::string id;
  Inputs inputs;
  // length of a cycle: 24 for hours, 7 for days of the week, 12 for months
  std::optional<double> period;
  // where a cycle begins: sine 0 and cosine 1
  std::optional<double> start;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("period", period);
    visit("start", start);
  }
};
inline StageOptions CyclicEncoder(const CyclicEncoderOptions& options) {
  return {"cyclic_encoder", options};
}

// lag: values of earlier rows of the same series: <input>__<id>__<lag>
struct LagOptions {
  std::string id;
  Inputs inputs;
  // the column that orders rows: a date, a time or whole numbers, different in every row of a group
  std::optional<std::string> time;
  // rows with equal values in these are one series; unless set, all rows are
  std::optional<std::vector<std::string>> by;
  // how many rows of the series before each row, 1 or more each
  std::optional<std::vector<int64_t>> lags;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("time", time);
    visit("by", by);
    visit("lags", lags);
  }
};
inline StageOptions Lag(const LagOptions& options) { return {"lag", options}; }

// difference: how much a number changed between two earlier rows of the same series
struct DifferenceOptions {
  std::string id;
  Inputs inputs;
  // the column that orders rows: a date, a time or whole numbers, different in every row of a group
  std::optional<std::string> time;
  // rows with equal values in these are one series; unless set, all rows are
  std::optional<std::vector<std::string>> by;
  Columns outputs;
  // how many rows lie between the two values
  std::optional<int64_t> rows;
  // how many rows before each row the later of them is; 0: the row itself, which the label may not
  // be
  std::optional<int64_t> lag;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("time", time);
    visit("by", by);
    visit("outputs", outputs);
    visit("rows", rows);
    visit("lag", lag);
  }
};
inline StageOptions Difference(const DifferenceOptions& options) { return {"difference", options}; }

// rolling: means, sums, extremes of the last rows of the same series: <input>__<id>__mean
struct RollingOptions {
  std::string id;
  Inputs inputs;
  // the column that orders rows: a date, a time or whole numbers, different in every row of a group
  std::optional<std::string> time;
  // rows with equal values in these are one series; unless set, all rows are
  std::optional<std::vector<std::string>> by;
  // length of the window in rows of the series
  std::optional<int64_t> rows;
  // rows: how many rows before each row the window's latest is
  std::optional<int64_t> lag;
  // instead of rows: its length in time, such as "7 days"
  std::optional<std::string> over;
  // over: how long before each row it ends, such as "28 days"; unless set, just before the row
  std::optional<std::string> gap;
  // what to compute: mean, sum, min, max, std, count
  std::optional<std::vector<std::string>> of;
  // with fewer values in the window, the result is NULL
  std::optional<int64_t> least;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("time", time);
    visit("by", by);
    visit("rows", rows);
    visit("lag", lag);
    visit("over", over);
    visit("gap", gap);
    visit("of", of);
    visit("least", least);
  }
};
inline StageOptions Rolling(const RollingOptions& options) { return {"rolling", options}; }

// expanding: means, sums, extremes of all earlier rows of the same series: <input>__<id>__mean
struct ExpandingOptions {
  std::string id;
  Inputs inputs;
  // the column that orders rows: a date, a time or whole numbers, different in every row of a group
  std::optional<std::string> time;
  // rows with equal values in these are one series; unless set, all rows are
  std::optional<std::vector<std::string>> by;
  // how many rows before each row the latest is
  std::optional<int64_t> lag;
  // what to compute: mean, sum, min, max, count
  std::optional<std::vector<std::string>> of;
  // with fewer values, the result is NULL
  std::optional<int64_t> least;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("time", time);
    visit("by", by);
    visit("lag", lag);
    visit("of", of);
    visit("least", least);
  }
};
inline StageOptions Expanding(const ExpandingOptions& options) { return {"expanding", options}; }

}  // namespace protium
