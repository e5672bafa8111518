// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/json.h"
#include "sources/object_store.h"

namespace protium {
namespace {

// Quotes a text as both C++ and JSON write it; characters beyond ASCII are unchanged.
std::string CppText(const std::string& text) { return Dump(Json(text)); }

// Continues at `indent` if the line is full.
std::string NamesOf(const std::vector<const ColumnProfile*>& columns, size_t indent) {
  std::vector<std::string> items;
  for (const ColumnProfile* each : columns) items.push_back(CppText(each->name));
  return "{" + ListOf(items, indent) + "}";
}

// Lists columns, then the outputs of an earlier stage. `indent`: where the list begins.
std::string InputsList(const std::vector<const ColumnProfile*>& columns, const char* stage,
                       size_t indent = 21) {
  constexpr const char* kColumns = "pt::Columns";
  if (stage == nullptr) return NamesOf(columns, indent + 1);
  const std::string outputs = fmt::format("pt::OutputsOf(\"{}\")", stage);
  if (columns.empty()) return outputs;
  return kColumns + NamesOf(columns, indent + std::strlen(kColumns) + 1) + " +\n" +
         std::string(indent, ' ') + outputs;
}

// ", {.null = \"NA\", .delimiter = \";\"}": members in the order of CsvOptions.
std::string CsvText(const CsvOptions& options) {
  const CsvOptions usual;
  std::vector<std::string> said;
  if (!options.null.empty()) {
    std::vector<std::string> texts;
    for (const std::string& each : options.null.all) texts.push_back(CppText(each));
    said.push_back(texts.size() == 1 ? ".null = " + texts[0]
                                     : fmt::format(".null = {{{}}}", fmt::join(texts, ", ")));
  }
  if (options.delimiter != usual.delimiter) {
    said.push_back(".delimiter = " + CppText(options.delimiter));
  }
  if (!options.header) said.push_back(".header = false");
  constexpr const char* kEncodings[] = {"kUtf8", "kUtf16", "kLatin1", "kWindows1252"};
  if (options.encoding != usual.encoding) {
    said.push_back(fmt::format(".encoding = pt::Encoding::{}", kEncodings[int(options.encoding)]));
  }
  if (options.decimal != usual.decimal) said.push_back(".decimal = " + CppText(options.decimal));
  if (!options.comment.empty()) said.push_back(".comment = " + CppText(options.comment));
  if (options.trim) said.push_back(".trim = true");
  constexpr const char* kRagged[] = {"kRefuse", "kPad", "kSkip"};
  if (options.ragged != usual.ragged) {
    said.push_back(fmt::format(".ragged = pt::Ragged::{}", kRagged[int(options.ragged)]));
  }
  std::string types;
  for (const auto& [column, type] : options.types.all) {
    types += fmt::format("{}{{{}, {}}}", types.empty() ? "" : ", ", CppText(column), CppText(type));
  }
  if (!types.empty()) said.push_back(".types = {.all = {" + types + "}}");
  return said.empty() ? "" : fmt::format(", {{{}}}", fmt::join(said, ", "));
}

// session.Read().From({.kind = pt::SourceKind::kSqlite, .file = data + "/notes.db", ...})
std::string SourceText(const LookedTable& table) {
  const Source& source = *table.place.at.source;
  // In the order of SourceKind.
  constexpr const char* kKinds[] = {"kDuckDb",  "kSqlite",  "kExcel",    "kDelta",
                                    "kIceberg", "kParquet", "kPostgres", "kMysql"};
  std::string text = fmt::format(
      "  session.Table({}, session.Read().From({{.kind = "
      "pt::SourceKind::{}",
      CppText(table.place.name), kKinds[int(source.kind)]);
  if (IsObjectPlace(source.file)) {
    text += ",\n      .file = " + CppText(source.file);
  } else if (table.place.at.elsewhere()) {
    const PasswordPlace& password = source.connection.password;
    const std::string at = !password.env.empty()    ? ", {.env = " + CppText(password.env) + "}"
                           : !password.file.empty() ? ", {.file = " + CppText(password.file) + "}"
                                                    : "";
    text += fmt::format(",\n      .connection = {{{}{}}}", CppText(source.connection.url), at);
  } else {
    text += fmt::format(",\n      .file = data + {}", CppText("/" + FileOf(table)));
  }
  if (!source.table.empty()) text += ",\n      .table = " + CppText(source.table);
  if (source.version) text += fmt::format(",\n      .version = {}", *source.version);
  return text + "}));\n";
}

std::string TableText(const LookedTable& table) {
  if (table.place.at.source) return SourceText(table);
  const Format format = FormatOfPlace(table.place.at.path);
  const char* const call = format == Format::kCsv       ? "Csv"
                           : format == Format::kParquet ? "Parquet"
                                                        : "File";
  return fmt::format("  session.Table({}, session.Read().{}(data + {}{}));\n",
                     CppText(table.place.name), call, CppText("/" + FileOf(table)),
                     format == Format::kCsv ? CsvText(OptionsOf(table)) : "");
}

std::string SplitCall(const JobOutline& outline) {
  const FirstSplit& split = outline.split;
  const std::string how =
      split.how == HeldOut::kLatest
          ? fmt::format("{{.test = 0.2, .by_time = {}}}", CppText(split.column->name))
      : split.column == nullptr
          ? std::string("{.test = 0.2}")
          : fmt::format("{{.by = {{{}}}, .test = 0.2}}", CppText(split.column->name));
  return "  auto [train, test] = session.Sql(kSql).Split(" + how + ");\n";
}

// `more` are further options, as in designated initialisers.
std::string StageText(const char* kind, const char* id, const std::string& inputs,
                      const std::string& more = "") {
  return fmt::format("      pt::{}(\n          {{.id = \"{}\",\n           .inputs = {}{}}}),\n",
                     kind, id, inputs, more);
}

std::string StagesText(const JobOutline& outline) {
  const UsedColumns& columns = outline.columns;
  std::string text;
  if (!columns.times.empty()) {
    std::vector<std::string> parts;
    for (const std::string& each : outline.parts) parts.push_back(CppText(each));
    text += fmt::format(
        "      pt::StageOptions{{\"datetime_parts\",\n"
        "                       {{{{\"id\", \"when\"}},\n"
        "                        {{\"inputs\", {}}},\n"
        "                        {{\"parts\", {{{}}}}}}}}},\n",
        NamesOf(columns.times, 36), fmt::join(parts, ", "));
  }
  const bool times = !columns.times.empty() && !outline.grows_trees();
  if (!columns.categories.empty() || times) {
    text += StageText(
        "StringIndexer", "index", InputsList(columns.categories, times ? "when" : nullptr),
        outline.has_rare_values() ? fmt::format(",\n           .min_count = {}", kRareBelow) : "");
  }
  if (outline.grows_trees()) return text;
  const auto missing = outline.Numbers(true);
  if (!missing.empty()) text += StageText("Imputer", "fill", InputsList(missing, nullptr));
  if (columns.numbers.empty()) return text;
  return text + StageText(outline.wide() ? "StandardScaler" : "QuantileScaler", "scale",
                          InputsList(outline.Numbers(false), missing.empty() ? nullptr : "fill"));
}

std::string LossText(const JobOutline& outline) {
  if (outline.aim == Aim::kTwoClasses) return "pt::BinaryCrossEntropy()";
  if (outline.aim == Aim::kClasses) return "pt::CrossEntropy()";
  return outline.grows_trees() ? "pt::MeanSquaredError()" : "pt::Huber({.delta = 1})";
}

std::string ValidationText(const JobOutline& outline) {
  const std::string by = outline.Together(), time = outline.InTime();
  const double share = outline.grows_trees() ? outline.validation : outline.net_validation;
  return fmt::format("{{.share = {}{}{}}}", share,
                     by.empty() ? "" : fmt::format(", .by = {{{}}}", CppText(by)),
                     time.empty() ? "" : fmt::format(", .by_time = {}", CppText(time)));
}

std::string TreesText(const JobOutline& outline) {
  const UsedColumns& columns = outline.columns;
  const FirstTrees& trees = outline.trees;
  const char* const parts = columns.times.empty() ? nullptr : "when";
  std::string text = fmt::format(
      "      pt::TreeEstimator(\n"
      "          {{.trees = {{.rounds = {}, .learning_rate = {}, .leaves = {}}},\n",
      trees.rounds, trees.learning_rate, trees.leaves);
  if (!columns.categories.empty()) text += "           .categorical = pt::OutputsOf(\"index\"),\n";
  if (!columns.numbers.empty() || parts != nullptr) {
    text += "           .numeric = " + InputsList(columns.numbers, parts, 22) + ",\n";
  }
  return text + fmt::format(
                    "           .label = {},\n"
                    "           .loss = {},\n"
                    "           .train = {{.validation = {},\n"
                    "                     .early_stopping = {{.patience = {}}},\n"
                    "                     .seed = 1}}}}),\n",
                    CppText(outline.label.name), LossText(outline), ValidationText(outline),
                    trees.patience);
}

std::string NetText(const JobOutline& outline) {
  const UsedColumns& columns = outline.columns;
  std::string text = "      pt::TorchEstimator(\n          {.net = ";
  text += outline.estimator == FirstEstimator::kLinear ? "pt::Linear(),\n"
          : outline.wide()                             ? "pt::TabularMlp({.hidden = {64, 32}}),\n"
                                                       : "pt::Tabm({.hidden = {64, 64}}),\n";
  if (!columns.categories.empty() || !columns.times.empty()) {
    text += "           .categorical = pt::OutputsOf(\"index\"),\n";
  }
  if (!columns.numbers.empty()) text += "           .numeric = pt::OutputsOf(\"scale\"),\n";
  return text + fmt::format(
                    "           .label = {},\n"
                    "           .loss = {},\n"
                    "           .train = {{.epochs = {},\n"
                    "                     .batch_size = {},\n"
                    "                     .optimizer = pt::AdamW({{.learning_rate = {}}}),\n"
                    "                     .schedule = pt::Cosine(),\n"
                    "                     .validation = {},\n"
                    "                     .early_stopping = {{.patience = {}}},\n"
                    "                     .seed = 1}}}}),\n",
                    CppText(outline.label.name), LossText(outline), outline.epochs, outline.batch,
                    outline.wide() ? "1e-3" : "3e-3", ValidationText(outline), outline.patience);
}

}  // namespace

std::string ProgramText(const JobOutline& outline) {
  const FirstJobSpec& spec = outline.spec;
  std::string text = fmt::format("// Predicts {} from {} ({}).\n", outline.label.name,
                                 spec.source.tables.front().place.name, AimText(outline.aim));
  for (const std::string& each : WhyLines(outline)) text += "// " + each + "\n";
  for (const std::string& each : outline.columns.left_out) text += "// Left out: " + each + "\n";
  text += "#include <protium/protium.h>\n\n#include <string>\n\nnamespace pt = protium;\n\n";
  text += "constexpr const char* kSql = R\"sql(\n" + outline.sql + "\n)sql\";\n\n";
  text += "pt::Status Run(pt::Session& session) {\n";
  if (!spec.data.empty()) {
    text += fmt::format("  const std::string data = session.Setting(\"data\", {});\n",
                        CppText(spec.data));
  }
  for (const LookedTable& each : spec.source.tables) text += TableText(each);
  text += SplitCall(outline) + "\n  pt::Pipeline pipeline({\n" + StagesText(outline) +
          (outline.grows_trees() ? TreesText(outline) : NetText(outline)) + "  });\n\n";
  return text +
         "  PT_LET(const pt::PipelineModel model, pipeline.Fit(train));\n"
         "  PT_TRY(model.Transform(test).Write().Parquet(\"predictions.parquet\"));\n"
         "  return model.Save(\"model\");\n"
         "}\n\n"
         "int main(int argc, char** argv) { return pt::Main(argc, argv, {.run = Run}); }\n";
}

std::string ProgramCMake(const std::string& name) {
  return fmt::format(
      "# cmake -B build -DCMAKE_PREFIX_PATH=where Protium is installed; cmake --build build\n"
      "cmake_minimum_required(VERSION 3.25)\n"
      "project({0} LANGUAGES CXX)\n"
      "find_package(protium 0.1 CONFIG REQUIRED)\n\n"
      "add_executable({0} main.cc)\n"
      "target_link_libraries({0} PRIVATE protium::protium)\n",
      name);
}

}  // namespace protium
