// SPDX-License-Identifier: Apache-2.0
// Constructors of stages of vectors, dates, words, images and SQL.
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

// datetime_parts: parts of dates and times as whole numbers: <input>__<id>__<part>
struct DatetimePartsOptions {
  std::string id;
  Inputs inputs;
  // the columns to make: year, quarter, month, week_of_year (ISO), day, day_of_year, day_of_week (1
  // is Sunday), weekend (1 or 0), hour, minute, second
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

// tokenizer: splits texts into lists of words, in lower case
struct TokenizerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // a Java regular expression
  std::optional<std::string> pattern;
  // what the pattern matches: the gaps between words, or the words themselves; one of gaps, words
  std::optional<std::string> matches;
  // texts are turned to lower case first
  std::optional<bool> lower_case;
  // shorter words are left out
  std::optional<int64_t> min_length;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("pattern", pattern);
    visit("matches", matches);
    visit("lower_case", lower_case);
    visit("min_length", min_length);
  }
};
inline StageOptions Tokenizer(const TokenizerOptions& options) { return {"tokenizer", options}; }

// stop_words_remover: leaves given words out of lists of words
struct StopWordsRemoverOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // the words to leave out
  std::optional<std::vector<std::string>> words;
  // whether The differs from the
  std::optional<bool> case_sensitive;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("words", words);
    visit("case_sensitive", case_sensitive);
  }
};
inline StageOptions StopWordsRemover(const StopWordsRemoverOptions& options) {
  return {"stop_words_remover", options};
}

// n_gram: joins neighbours in lists of words
struct NGramOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // how many neighbours are one
  std::optional<int64_t> n;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("n", n);
  }
};
inline StageOptions NGram(const NGramOptions& options) { return {"n_gram", options}; }

// count_vectorizer: counts the words of a learned vocabulary in lists of words
struct CountVectorizerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // the most words of the vocabulary, and the length of each list
  std::optional<int64_t> vocab_size;
  // words in fewer training rows are left out; below 1: a share of them
  std::optional<double> min_df;
  // words in more training rows are left out; below 1: a share of them; unless set, none
  std::optional<double> max_df;
  // lower counts within a row become 0; below 1: a share of the row's words
  std::optional<double> min_tf;
  // 1 for any count above 0
  std::optional<bool> binary;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("vocab_size", vocab_size);
    visit("min_df", min_df);
    visit("max_df", max_df);
    visit("min_tf", min_tf);
    visit("binary", binary);
  }
};
inline StageOptions CountVectorizer(const CountVectorizerOptions& options) {
  return {"count_vectorizer", options};
}

// hashing_tf: counts the words of lists by their hash, without learning
struct HashingTfOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // the length of each list
  std::optional<int64_t> num_features;
  // 1 for any count above 0
  std::optional<bool> binary;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("num_features", num_features);
    visit("binary", binary);
  }
};
inline StageOptions HashingTf(const HashingTfOptions& options) { return {"hashing_tf", options}; }

// tf_idf: weighs counts of words by how few training rows have them
struct TfIdfOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // words in fewer training rows count 0
  std::optional<int64_t> min_doc_freq;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("min_doc_freq", min_doc_freq);
  }
};
inline StageOptions TfIdf(const TfIdfOptions& options) { return {"tf_idf", options}; }

// text_indexer: turns lists of words into lists of indices of one length; 0 fills up, 1 is unknown
struct TextIndexerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // of each list; words beyond are left out
  std::optional<int64_t> length;
  // the most words of the vocabulary; indices are below vocab_size + 2
  std::optional<int64_t> vocab_size;
  // words in fewer training rows are unknown ones; below 1: a share of them
  std::optional<double> min_df;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("length", length);
    visit("vocab_size", vocab_size);
    visit("min_df", min_df);
  }
};
inline StageOptions TextIndexer(const TextIndexerOptions& options) {
  return {"text_indexer", options};
}

// image: decodes PNG and JPEG files to lists of numbers from 0 to 1
struct ImageOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // of the picture that the net sees
  std::optional<int64_t> height;
  // of the picture that the net sees
  std::optional<int64_t> width;
  // 1: grey, 3: red, green and blue
  std::optional<int64_t> channels;
  // what happens to pictures of another size: refused, or resized to the mean of the area that each
  // pixel covers; one of refuse, area
  std::optional<std::string> fit;
  // what happens to pictures that cannot be decoded: an error, or NULL; one of error, null
  std::optional<std::string> damaged;
  // where the files are, if the column has paths: a folder that all workers can read, absolute or
  // below the folder of the tables; unless set, the column has the files' bytes
  std::optional<std::string> folder;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("height", height);
    visit("width", width);
    visit("channels", channels);
    visit("fit", fit);
    visit("damaged", damaged);
    visit("folder", folder);
  }
};
inline StageOptions Image(const ImageOptions& options) { return {"image", options}; }

// net_features: what a net of an ONNX file computes, as columns
struct NetFeaturesOptions {
  std::string id;
  Inputs inputs;
  // an ONNX file, absolute or below the folder of the tables; a saved model carries a copy
  std::optional<std::string> model;
  // which outputs of the net, or other values that its nodes make; unless set, all outputs
  std::optional<std::vector<std::string>> values;
  // the names of the new columns, one for each value; unless set, <id>__<value>
  std::optional<std::vector<std::string>> columns;
  // of lists whose type does not tell their length and of which the net takes any: [{ column,
  // length }]
  std::optional<std::vector<VectorColumn>> lengths;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("model", model);
    visit("values", values);
    visit("columns", columns);
    visit("lengths", lengths);
  }
};
inline StageOptions NetFeatures(const NetFeaturesOptions& options) {
  return {"net_features", options};
}

// sql_transformer: adds columns by SQL: SELECT *, a + b AS c FROM __THIS__
struct SqlTransformerOptions {
  std::string id;
  Inputs inputs;
  // SELECT *, new columns with their names FROM __THIS__
  std::optional<std::string> statement;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("statement", statement);
  }
};
inline StageOptions SqlTransformer(const SqlTransformerOptions& options) {
  return {"sql_transformer", options};
}

}  // namespace protium
