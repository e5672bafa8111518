// SPDX-License-Identifier: Apache-2.0
// The stages that make lists of words, and those that turn them into numbers. Results of Spark
// 4.2.1 come from pyspark.ml.feature's classes of the same names, on the same rows.
#include <gmock/gmock.h>

#include <fstream>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Kind(const std::string& kind, Json more = Json::object()) {
  Json options = {{"id", "s"}, {"inputs", {"x"}}};
  options.update(more);
  return {kind, options};
}

class TextStages : public StageTest {
 protected:
  // A table whose column x has lists of texts, written as words between bars; "-" is NULL.
  DataFrame Lists(const std::string& rows) {
    // A separate table, since frames are read when they are used.
    const std::string name = "w" + std::to_string(++tables_);
    std::ofstream(folder_ / (name + ".csv")) << "n,t\n" + rows;
    session_->Table(name, session_->Read().Csv(name + ".csv", {.null = "-"}));
    return session_->Sql(
        "SELECT CASE WHEN t = '*' THEN filter(split(t, '[*]'), w -> w <> '') ELSE split(t, '[|]') "
        "END AS x FROM " +
        name + " ORDER BY n");
  }
  std::string Of(const StageOptions& stage, const DataFrame& rows, const DataFrame& others) {
    const auto model = Pipeline({stage}).Fit(rows);
    if (!model.ok()) return Render(FaultOf(model.status()));
    return WithoutTypes(Text(model->Transform(others), {"x"}));
  }
  std::string Of(const StageOptions& stage, const std::string& rows) {
    return Of(stage, Lists(rows), Lists(rows));
  }

  int tables_ = 0;
};

// "a|b" is a list of two words, "*" an empty one.
constexpr const char* kWords = "1,a|b|b|c\n2,a|b|d|a|a\n3,c\n4,*\n";

using Tokenizer = TextStages;

TEST_F(Tokenizer, SplitsAsSparksRegexTokenizer) {
  const std::string rows = "x\n\"The quick  brown fox, the dog\"\n\"  A a B \"\nÄPFEL äpfel\n-\n";
  EXPECT_EQ(Of(Kind("tokenizer"), Table(rows), Table(rows)),
            "x__s: [the, quick, brown, fox,, the, dog] [a, a, b] [äpfel, äpfel] null");
  EXPECT_EQ(
      Of(Kind(
             "tokenizer",
             {{"pattern", "\\w+"}, {"matches", "words"}, {"lower_case", false}, {"min_length", 3}}),
         Table(rows), Table(rows)),
      "x__s: [The, quick, brown, fox, the, dog] [] [PFEL, pfel] null");
}

TEST_F(Tokenizer, RefusesWhatIsNoText) {
  EXPECT_THAT(FaultOfFitting({Kind("tokenizer")}, "x\n1\n").what, HasSubstr("is int64, not text"));
  const std::string rows = "x\na\n";
  EXPECT_THAT(Of(Kind("tokenizer", {{"pattern", "("}}), Table(rows), Table(rows)),
              HasSubstr("error"));
}

using StopWordsRemover = TextStages;

TEST_F(StopWordsRemover, LeavesWordsOutAsSpark) {
  const std::string rows = "1,the|cat|The|mat\n2,a\n3,*\n";
  EXPECT_EQ(Of(Kind("stop_words_remover", {{"words", {"the", "a"}}}), rows),
            "x__s: [cat, mat] [] []");
  EXPECT_EQ(
      Of(Kind("stop_words_remover", {{"words", {"the", "a"}}, {"case_sensitive", true}}), rows),
      "x__s: [cat, The, mat] [] []");
}

TEST_F(StopWordsRemover, RefusesWordsThatMatchNothing) {
  EXPECT_THAT(Of(Kind("stop_words_remover", {{"words", {"The"}}}), "1,a\n"),
              HasSubstr("\"The\" is not in lower case"));
  EXPECT_THAT(Of(Kind("stop_words_remover"), "1,a\n"), HasSubstr("no words to leave out"));
}

using NGram = TextStages;

TEST_F(NGram, JoinsNeighboursAsSpark) {
  const std::string rows = "1,the|cat|The|mat\n2,a\n3,*\n";
  EXPECT_EQ(Of(Kind("n_gram"), rows), "x__s: [the cat, cat The, The mat] [] []");
  EXPECT_EQ(Of(Kind("n_gram", {{"n", 3}}), rows), "x__s: [the cat The, cat The mat] [] []");
}

using CountVectorizer = TextStages;

// Spark leaves the order of words of equal frequency open; here b comes before c, and c before d.
TEST_F(CountVectorizer, CountsAsSpark) {
  EXPECT_EQ(Of(Kind("count_vectorizer", {{"min_df", 2}, {"vocab_size", 3}}), kWords),
            "x__s: [1, 2, 1] [3, 1, 0] [0, 0, 1] [0, 0, 0]");
  EXPECT_EQ(
      Of(Kind("count_vectorizer", {{"min_df", 0.5}, {"min_tf", 0.3}, {"vocab_size", 2}}), kWords),
      "x__s: [0, 2] [3, 0] [0, 0] [0, 0]");
  EXPECT_EQ(
      Of(Kind("count_vectorizer", {{"max_df", 1.5}, {"binary", true}, {"vocab_size", 2}}), kWords),
      "x__s: [0, 0] [1, 0] [0, 0] [0, 0]");
}

TEST_F(CountVectorizer, TakesUnknownWordsAndNullAsNone) {
  EXPECT_EQ(Of(Kind("count_vectorizer", {{"vocab_size", 2}}), Lists("1,a|a\n2,b\n3,-\n"),
               Lists("1,a|z|a\n2,-\n3,b\n")),
            "x__s: [2, 0] [0, 0] [0, 1]");
}

TEST_F(CountVectorizer, LearnsTheSameFromAnyPartsInAnyOrder) {
  std::string up, down;
  for (int i = 0; i < 300; ++i) up += std::to_string(i) + ",w" + std::to_string(i % 7) + "|x|y\n";
  for (int i = 299; i >= 0; --i)
    down += std::to_string(i) + ",w" + std::to_string(i % 7) + "|x|y\n";
  const StageOptions stage = Kind("count_vectorizer", {{"vocab_size", 5}});
  const std::string other = "1,w1|w0|x|x\n";
  const std::string one = Of(stage, Lists(up), Lists(other));
  EXPECT_EQ(one, "x__s: [2, 0, 1, 1, 0]");
  Open("local[3]");
  EXPECT_EQ(Of(stage, Lists(down), Lists(other)), one);
}

TEST_F(CountVectorizer, RefusesAColumnWithoutWords) {
  EXPECT_THAT(Of(Kind("count_vectorizer", {{"min_df", 9}}), kWords),
              HasSubstr("no text of column \"x\" is in enough training rows"));
  EXPECT_THAT(FaultOfFitting({Kind("count_vectorizer")}, "x\na\n").what,
              HasSubstr("is string, not lists of texts"));
}

using HashingTf = TextStages;

TEST_F(HashingTf, CountsAtSparksPositions) {
  EXPECT_EQ(Of(Kind("hashing_tf", {{"num_features", 16}}), "1,a|b|a|protium|äö|hello world\n2,x\n"),
            "x__s: [0, 0, 0, 2, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
            "1, 0, 0, "
            "0, 0, 0]");
  EXPECT_EQ(Of(Kind("hashing_tf", {{"num_features", 1}, {"binary", true}}), "1,a|b\n2,-\n"),
            "x__s: [1] [0]");
}

using TextIndexer = TextStages;

TEST_F(TextIndexer, PadsCutsAndKnowsTheUnknown) {
  EXPECT_EQ(Of(Kind("text_indexer", {{"length", 3}, {"vocab_size", 2}}), Lists(kWords),
               Lists("1,a|b|c|a\n2,z\n3,*\n4,-\n")),
            "x__s: [2, 3, 1] [1, 0, 0] [0, 0, 0] [0, 0, 0]");
  EXPECT_THAT(Of(Kind("text_indexer"), kWords), HasSubstr("the length of the lists is not set"));
}

TEST_F(TextIndexer, FeedsANetThatReadsLists) {
  Table("t,y\nred green,1\ngreen,2\nred,3\nblue,4\n");
  const DataFrame rows = session_->Sql("SELECT *, CAST(length(t) AS DOUBLE) AS n FROM t");
  const PipelineModel model =
      Fitted({{"tokenizer", {{"inputs", {"t"}}, {"outputs", {"words"}}}},
              {"text_indexer", {{"inputs", {"words"}}, {"outputs", {"ids"}}, {"length", 3}}},
              TorchEstimator({.net = TextClassifier(),
                              .numeric = {"n"},
                              .vectors = {{"ids"}},
                              .label = "y",
                              .train = {.metrics = {"rmse"}}})},
             rows);
  ASSERT_EQ(StateOf(model).net.lists.size(), 1u);
  EXPECT_EQ(StateOf(model).net.lists[0].length, 3);
  EXPECT_EQ(Text(model.Transform(session_->Sql("SELECT t, 7.5D AS n FROM t")), {"t", "n"}),
            "prediction: 7.5 7.5 7.5 7.5");
}

TEST_F(TextIndexer, RefusesANameThatANetHasForSomethingElse) {
  Table("t,y\nred green,1\ngreen,2\n");
  const auto model =
      Pipeline({{"tokenizer", {{"inputs", {"t"}}, {"outputs", {"words"}}}},
                {"text_indexer", {{"inputs", {"words"}}, {"outputs", {"weight"}}, {"length", 3}}},
                TorchEstimator({.net = TextClassifier(), .vectors = {{"weight"}}, .label = "y"})})
          .Fit(session_->Sql("SELECT * FROM t"));
  EXPECT_THAT(Render(FaultOf(model.status())),
              HasSubstr("a column of lists cannot be named \"weight\""));
}

class TfIdf : public TextStages {
 protected:
  // Lists of three numbers.
  DataFrame Numbers(const std::string& rows) {
    Table("a,b,c\n" + rows);
    return session_->Sql("SELECT array(a, b, c) AS x FROM t ORDER BY a, c");
  }
};

// The rows of [0, 0, 1], [1, 0, 2] and [3, 0, 0].
TEST_F(TfIdf, WeighsByRarityAsSpark) {
  const DataFrame rows = Numbers("0,0,1\n1,0,2\n3,0,0\n");
  EXPECT_EQ(Of(Kind("tf_idf"), rows, rows),
            "x__s: [0, 0, 0.28768207245178085] [0.28768207245178085, 0, 0.5753641449035617] "
            "[0.8630462173553426, 0, 0]");
  const PipelineModel model = Fitted({Kind("tf_idf", {{"min_doc_freq", 2}})}, rows);
  EXPECT_EQ(StateOf(model).chain->stages[0].stage->learned()[0]["idf"],
            Json({0.28768207245178085, 0.0, 0.28768207245178085}));
}

TEST_F(TfIdf, RefusesListsOfAnotherLength) {
  Table("a\n1\n2\n");
  const DataFrame rows =
      session_->Sql("SELECT slice(array(a, a, a), 1, CAST(a AS INT)) AS x FROM t");
  EXPECT_THAT(Of(Kind("tf_idf"), rows, rows), HasSubstr("different lengths, such as 1 and 2"));
}

TEST_F(TextStages, ScoreTheSameFromASavedModel) {
  const std::vector<StageOptions> stages = {
      {"tokenizer", {{"id", "w"}, {"inputs", {"t"}}, {"outputs", {"words"}}}},
      {"n_gram", {{"id", "g"}, {"inputs", {"words"}}, {"outputs", {"pairs"}}}},
      {"count_vectorizer",
       {{"id", "c"}, {"inputs", {"pairs"}}, {"outputs", {"n"}}, {"vocab_size", 2}}},
      {"tf_idf", {{"id", "i"}, {"inputs", {"n"}}, {"outputs", {"y"}}}},
      {"text_indexer", {{"id", "x"}, {"inputs", {"words"}}, {"outputs", {"ids"}}, {"length", 2}}}};
  EXPECT_EQ(WithoutTypes(SavedAndLoaded(stages, "t\na b\na b c\nc\n", "t\nb c\na b\n")),
            "t: b c a b; words: [b, c] [a, b]; pairs: [b c] [a b]; n: [0, 1] [1, 0]; y: [0, "
            "0.6931471805599453] [0.28768207245178085, 0]; ids: [3, 4] [2, 3]");
  EXPECT_THAT(FaultOfDamage(R"([{"input": "x", "output": "x__s", "keys": ["a", "a"]}])",
                            {Kind("tokenizer")}, "x\na\n"),
              HasSubstr("learns nothing"));
}

}  // namespace
}  // namespace protium
