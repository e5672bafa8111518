// SPDX-License-Identifier: Apache-2.0
#include "job/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/describe.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "job/job.h"
#include "protium/stage_options.h"
#include "sql_words/tokens.h"

namespace protium {

namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::string LastStep(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// Returns the value that a message ends with: ..., got "2".
std::string Got(const Fault& fault) {
  const size_t at = fault.what.find(", got ");
  return at == std::string::npos ? "" : fault.what.substr(at + 6);
}

// Keys of other libraries, and our own keys in the wrong section.
constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
    {"training", "did you mean \"train\"?"},
    {"stages", "begin each stage with  [[pipeline]]"},
    {"lr", "did you mean \"learning_rate\"?"},
    {"learning_rate",
     "it belongs to the optimizer: optimizer = { name = \"adam\", learning_rate = 0.001 }"},
    {"weight_decay",
     "it belongs to the optimizer: optimizer = { name = \"adamw\", weight_decay = 0.01 }"},
    {"momentum", "it belongs to the optimizer: optimizer = { name = \"sgd\", momentum = 0.9 }"},
    {"dropout", "it belongs to the net: net = { name = \"tabular_mlp\", dropout = 0.1 }"},
    {"hidden", "it belongs to the net: net = { name = \"tabular_mlp\", hidden = [128, 64] }"},
    {"layers", "did you mean \"hidden\"?"},
    {"n_estimators", "rounds belong to trees: trees = { rounds = 300 }"},
    {"num_leaves", "leaves belong to trees: trees = { leaves = 31 }"},
    {"max_depth", "it belongs to trees: trees = { depth = 6 }"},
    {"max_bin", "bins belong to trees: trees = { bins = 255 }"},
    {"device", "to train on GPUs: [gang] gpus_per_worker = 1"},
    {"gpus", "did you mean \"gpus_per_worker\" in [gang]?"},
    {"label", "it belongs to the estimator: in its [[pipeline]] write  label = \"COLUMN\""},
    {"target", "did you mean \"label\"?"},
    {"features", "did you mean \"numeric\" or \"categorical\"?"},
    {"columns", "did you mean \"inputs\"?"},
    {"strategy", "did you mean \"with\"?"},
    {"type", "did you mean \"kind\"?"},
    {"query", "did you mean \"sql\"?"},
    {"path", "did you mean \"file\"?"},
    {"sep", "did you mean \"delimiter\"?"},
    {"na", "did you mean \"null\"?"},
    {"test_size", "did you mean \"test\"?"},
    {"random_state", "did you mean \"seed\"?"}};

// Returns the section of a key that belongs to another one.
std::string SectionOf(const std::string& key) {
  const std::pair<const char*, std::vector<DescribedField>> sections[] = {
      {"train", Describe(TrainOptions())},
      {"gang", Describe(GangSpec())},
      {"split", Describe(JobSplit())}};
  for (const auto& [name, fields] : sections) {
    if (std::ranges::find(fields, key, &DescribedField::name) != fields.end()) return name;
  }
  return {};
}

// Keys of nets that an estimator of trees does not have.
std::string AdviceOnTrees(const std::string& path) {
  if (!path.starts_with("pipeline.")) return {};
  if (path.ends_with(".net")) return "leave it out: only a torch_estimator trains a net";
  if (path.ends_with(".trees")) return "trees are for kind = \"tree_estimator\"";
  if (path.ends_with(".train.epochs")) return "trees have rounds: trees = { rounds = 300 }";
  if (path.ends_with(".train.batch_size")) return "leave it out: trees learn from all rows at once";
  if (path.ends_with(".train.shards")) return "leave it out: trees do not depend on it";
  if (path.ends_with(".train.optimizer")) {
    return "leave it out: trees have a learning rate: trees = { learning_rate = 0.1 }";
  }
  return {};
}

std::string AdviceOnKey(const std::string& path) {
  const std::string key = LastStep(path);
  if (std::string advice = AdviceOnTrees(path); !advice.empty()) return advice;
  if (path.starts_with("outputs.") && key == "csv") {
    return "write file = \"FILE.csv\"";
  }
  for (const auto& [word, says] : kKeys) {
    if (word == key) return std::string(says);
  }
  const std::string section = SectionOf(key);
  return section.empty() || path == section + "." + key
             ? ""
             : fmt::format("did you mean \"{}\" in [{}]?", key, section);
}

// A section that begins within [tables] becomes a table of that name.
std::string AdviceOnSection(const std::string& path) {
  const std::string key = LastStep(path);
  const std::vector<DescribedField> sections = Describe(JobFile());
  const bool section = std::ranges::find(sections, key, &DescribedField::name) != sections.end();
  if (path != "tables." + key || !section) return {};
  return fmt::format("lines below [tables] belong to it: begin a section  [{}]", key);
}

std::string AdviceOnTable(const std::string& path, const std::string& got) {
  const std::string key = LastStep(path);
  if (std::string advice = AdviceOnSection(path); !advice.empty()) return advice;
  if (path.starts_with("tables.") || path.starts_with("outputs.")) {
    return fmt::format("{} = \"FILE\"", key);
  }
  if (key == "validation") return fmt::format("validation = {{ share = {} }}", got);
  if (path == "etl") return "begin a section  [etl]  with  sql = \"SELECT ...\"";
  return {};
}

enum class Looks { kText, kNumber, kTooLong };

// Whether a text is a number; whole numbers with more digits than an int64 are distinguished.
Looks LooksLike(const std::string& text) {
  double number = 0;
  int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || read.ptr != end || !std::isfinite(number)) return Looks::kText;
  const auto fits = std::from_chars(text.data(), end, whole);
  return fits.ptr == end && fits.ec == std::errc::result_out_of_range ? Looks::kTooLong
                                                                      : Looks::kNumber;
}

// Returns the nearest name in "must be one of a, b, c".
std::string NearestChoice(const std::string& what, const std::string& bare) {
  constexpr std::string_view kOneOf = " must be one of ";
  const size_t begin = what.find(kOneOf), end = what.rfind(", got ");
  if (begin == what.npos || end == what.npos || end < begin) return {};
  std::vector<std::string> known;
  for (size_t at = begin + kOneOf.size(); at < end;) {
    const size_t comma = std::min(what.find(", ", at), end);
    known.push_back(what.substr(at, comma - at));
    at = comma + 2;
  }
  return Nearest(bare, known).empty() ? "" : Suggest(bare, known);
}

// Advises on a text where a number, a boolean or one of several words belongs.
std::string AdviceOnText(const std::string& what, const std::string& key, const std::string& bare) {
  if (Has(what, "must be one of")) return NearestChoice(what, bare);
  const Looks looks = LooksLike(bare);
  if (Has(what, "a whole number") && looks == Looks::kTooLong) {
    return "whole numbers go up to 9223372036854775807";
  }
  const bool fits = Has(what, "true or false") ? bare == "true" || bare == "false"
                                               : Has(what, "number") && looks == Looks::kNumber;
  return fits ? fmt::format("write it without quotes: {} = {}", key, bare) : "";
}

// Advises on a value of the wrong kind.
std::string AdviceOnValue(const Fault& fault) {
  const std::string& what = fault.what;
  const std::string got = Got(fault), key = LastStep(fault.where);
  const bool text = got.size() > 2 && got.front() == '"';
  if (Has(what, "must be a list of stages")) {
    return "write [[pipeline]] with two brackets, above each stage";
  }
  if (Has(what, "must be a table of settings")) return AdviceOnTable(fault.where, got);
  if (Has(what, "must be a table of named entries")) {
    return fmt::format("begin it with [{}], in single brackets", fault.where);
  }
  if (Has(what, "{ stage = \"id\" }") && Has(got, "{")) {
    return key == "inputs" || got.find(':') == got.npos || !Has(got, "\"stage\"")
               ? "write { stage = \"ID\" }, with the id of an earlier stage"
               : fmt::format("put it in brackets: {} = [{{ stage = \"ID\" }}]", key);
  }
  if (Has(what, "must be a list")) return fmt::format("put it in brackets: {} = [{}]", key, got);
  if (!text) {
    const bool percent = Has(what, "at least 0 and below 1") || Has(what, "above 0 and below 1");
    return percent ? "it is a share: 0.1 for 10%" : "";
  }
  return AdviceOnText(what, key, got.substr(1, got.size() - 2));
}

// Recognises words of other dialects that cause a syntax error, at the error or before it.
std::string AdviceOnSyntax(std::string_view sql) {
  const std::vector<Token> tokens = Tokenize(sql);
  const auto has = [&](const char* word) {
    return std::ranges::any_of(tokens, [&](const Token& token) { return token.Is(word); });
  };
  if (has("TOP")) return "write LIMIT 10 at the end";
  if (has(";")) return "write one SELECT, without a semicolon";
  if (has("PIVOT")) return "write sum(CASE WHEN kind = 'a' THEN x END) AS a for each column";
  return {};
}

// "press" in double quotes is a name, 'press' is a text.
void AdviseOnQuotes(std::string_view sql, Fault& fault) {
  constexpr std::string_view kBegin = "referenced column \"";
  if (!fault.what.starts_with(kBegin)) return;
  const std::string name =
      fault.what.substr(kBegin.size(), fault.what.find('"', kBegin.size()) - kBegin.size());
  if (!Has(sql, "\"" + name + "\"")) return;
  fault.why = "double quotes are for column names, single quotes for text";
  fault.fix = fmt::format("if it is text, write '{}'", name);
}

// A quoted value can have any length; the key and the place are enough to identify it.
void CutValue(Fault& fault) {
  constexpr size_t kMost = 92;   // With "error: ", a line of 100.
  constexpr size_t kLeast = 40;  // Of a value, after a long list of what it must be.
  if (fault.what.size() <= kMost || Got(fault).empty()) return;
  fault.what = Shortened(fault.what, std::max(fault.what.find(", got ") + 6 + kLeast, kMost - 3));
}

}  // namespace

Fault WithAdvice(Fault fault, std::string_view sql) {
  AdviseOnQuotes(sql, fault);
  const bool key = fault.what.starts_with("unknown key");
  // A list of all keys is less helpful than what we call such a key.
  const bool open = fault.fix.empty() || (key && fault.fix.starts_with("one of"));
  std::string fix;
  if (key) fix = AdviceOnKey(fault.where);
  if (Has(fault.what, " must be ")) fix = AdviceOnValue(fault);
  if (fault.what.starts_with("syntax error")) fix = AdviceOnSyntax(sql);
  if (fault.what.ends_with("has no inputs")) fix = "inputs = [\"COLUMN\"]";
  if (fault.what.starts_with("extension ") && Has(fault.what, "cannot be used")) {
    fix = "give the shared library that docs/own-nets.md shows how to build, relative to the job";
  }
  if (fault.what.starts_with("the gang can never fit")) {
    fix = Has(fault.what, " gpus, ") ? "to train on CPU cores, leave gpus_per_worker out"
                                     : "lower gang.workers or gang.cores_per_worker";
  }
  if (Has(fault.what, "belongs to an estimator")) {
    fix =
        "add a stage  [[pipeline]]  with  kind = \"tree_estimator\"  or  kind = "
        "\"torch_estimator\"";
  }
  if (open && !fix.empty()) fault.fix = std::move(fix);
  // Replaces the fix for a table.
  std::string section = AdviceOnSection(fault.where);
  if (!section.empty()) fault.fix = std::move(section);
  CutValue(fault);
  return fault;
}

std::string AdviceOnToml(std::string_view message) {
  constexpr std::pair<std::string_view, std::string_view> kAdvice[] = {
      {"could not determine value type", "put text in quotes: label = \"hours\""},
      {"parsing boolean", "write true or false in lower case; text in quotes"},
      {"not representable", "whole numbers go up to 9223372036854775807"},
      {"expected 'nan'", "remove the line, or put text in quotes"},
      {"expected 'inf'", "put text in quotes"},
      {"saw ','", "write one setting per line, without a comma at its end"},
      {"expected '=', saw ':'", "write an equals sign: key = value"},
      {"unescaped control characters",
       "close the quote on the same line, or use \"\"\" ... \"\"\""},
      {"parsing table header", "close the bracket: [train]"},
      {"cannot redefine", "it is set twice: remove one of the two"}};
  for (const auto& [part, says] : kAdvice) {
    if (Has(message, part)) return std::string(says);
  }
  return {};
}

}  // namespace protium
