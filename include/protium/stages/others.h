// SPDX-License-Identifier: Apache-2.0
// Constructors of stages of words, images, nets and SQL.
// Written by scripts/stage_doors.py. What is not set has the default of docs/reference/stages.md;
// `id`, `inputs` and `outputs` are as those of ImputerOptions. Implemented by the room stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/pipeline.h"

namespace protium {

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

// stop_words_remover: removes given words from lists of words
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

// tf_idf: weights counts of words by how few training rows have them
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

// text_indexer: turns lists of words into lists of indices of one length; 0 is padding, 1 an
// unknown word
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

// subword_tokenizer: splits texts into the tokens that a pretrained net reads, as ids
struct SubwordTokenizerOptions {
  std::string id;
  Inputs inputs;
  // the tokenizer that the net was trained with: its tokenizer.json or vocab.txt, absolute or below
  // the folder of the tables; a saved model carries a copy
  std::optional<std::string> file;
  // how many pieces the net sees, with those that stand around each text; longer texts are cut
  std::optional<int64_t> length;
  // of a vocab.txt: texts are turned to lower case, without accents; a tokenizer.json says so
  // itself
  std::optional<bool> lower_case;
  // the names of the new columns: ids, mask, types; unless set, <id>__ids and so on
  std::optional<std::vector<std::string>> columns;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("file", file);
    visit("length", length);
    visit("lower_case", lower_case);
    visit("columns", columns);
  }
};
inline StageOptions SubwordTokenizer(const SubwordTokenizerOptions& options) {
  return {"subword_tokenizer", options};
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
  // what happens to pictures of another size: refused; resized to the mean of the area that each
  // pixel covers; or resized so without a change of shape, in the middle of the background; one of
  // refuse, area, inside
  std::optional<std::string> fit;
  // what happens to pictures that cannot be decoded: an error, or NULL; one of error, null
  std::optional<std::string> damaged;
  // where the files are, if the column has paths: a folder that all workers can read, absolute or
  // below the folder of the tables; unless set, the column has the files' bytes
  std::optional<std::string> folder;
  // what shows through transparent pixels, and beside pictures that are fitted inside: none is the
  // colour that they have themselves, and black; one of none, white, black
  std::optional<std::string> background;
  // what is subtracted, from 0 to 1: one number, or one for each channel; 0 unless set
  std::optional<std::vector<double>> mean;
  // what is divided by then, likewise; 1 unless set
  std::optional<std::vector<double>> deviation;
  // whether the channels of a pixel are beside each other, or one channel comes after the other, as
  // nets of PyTorch read pictures; one of channels_last, channels_first
  std::optional<std::string> layout;
  // whether red or blue comes first, as in nets that were trained with OpenCV or Caffe; mean and
  // deviation are in the same order; one of rgb, bgr
  std::optional<std::string> channel_order;
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
    visit("background", background);
    visit("mean", mean);
    visit("deviation", deviation);
    visit("layout", layout);
    visit("channel_order", channel_order);
  }
};
inline StageOptions Image(const ImageOptions& options) { return {"image", options}; }

// net_features: the outputs of a net in an ONNX file, as columns
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
  // of values for each place of a row, such as each piece of a text: their mean, or those of the
  // first place; one of none, mean, first
  std::optional<std::string> pool;
  // an input, a list of numbers that are 0 where a place is padding: the mean is without these
  std::optional<std::string> mask;
  // computes each row by itself: for nets that mix the rows of a computation, as those do that find
  // the range of their numbers anew (dynamic quantisation)
  std::optional<bool> alone;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("model", model);
    visit("values", values);
    visit("columns", columns);
    visit("lengths", lengths);
    visit("pool", pool);
    visit("mask", mask);
    visit("alone", alone);
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
