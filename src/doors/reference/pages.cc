// SPDX-License-Identifier: Apache-2.0
// Three forms of the same rows. Text is wrapped to 100 columns; Markdown escapes what would break a
// table or be taken for HTML; examples are built from defaults, so they can be copied.
#include "reference/pages.h"

#include <fmt/format.h>

#include "terminal/text_table.h"

namespace protium {

namespace {

template <class Row>
std::vector<CatalogueRow> ToCatalogueRows(const std::vector<Row>& rows) {
  return {rows.begin(), rows.end()};
}

// Whether a default has no information and is omitted.
bool IsEmpty(const Json& value) {
  return value.is_null() || (value.is_string() && value.get<std::string>().empty()) ||
         (value.is_structured() && value.empty());
}

// Writes a default as TOML, with 1 for 1.0; empty if the default is. A choice with its own options
// is shown by its name.
std::string Spelled(const Json& value) {
  if (IsEmpty(value)) return "";
  if (value.is_number_float()) return Dump(fields::Short(value.get<double>()));
  if (value.is_object()) return Spelled(value.value("name", Json()));
  if (!value.is_array()) return Dump(value);
  std::string text;
  for (const Json& item : value) text += (text.empty() ? "[" : ", ") + Spelled(item);
  return text + "]";
}

// "a, b or c".
std::string Choices(const std::vector<std::string>& choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  return text;
}

// Whether an option must not be empty, but is by default.
bool IsRequired(const DescribedField& option) {
  return *option.field.filled != 0 && IsEmpty(option.value);
}

// Returns an option's help, followed by its choices, range, unit, and whether it is required.
std::string DescribeOption(const DescribedField& option) {
  const Field& field = option.field;
  std::string says = field.help;
  if (!option.type.choices.empty()) says += ": " + Choices(option.type.choices);
  std::string range = RangeText(field);
  if (*field.unit != 0) range += (range.empty() ? "in " : ", in ") + std::string(field.unit);
  const std::string chosen = *field.rows_of == 0 ? "" : std::string("see help ") + field.rows_of;
  for (const std::string& more :
       {range, chosen, std::string(IsRequired(option) ? "required" : "")}) {
    if (!more.empty()) says += (says.empty() ? "" : "; ") + more;
  }
  return says;
}

// Returns the options to show, those of nested tables under dotted names.
std::vector<DescribedField> ListOptions(const CatalogueRow& row) { return Flattened(row.options); }

// Returns an example of how a job file names the row: a stage with its inputs and required options,
// any other row with its first option that has a default.
std::string FormatExample(const Topic& topic, const CatalogueRow& row) {
  std::string options;
  for (const DescribedField& option : row.options) {
    const std::string value = Spelled(option.value);
    if (value.empty() || option.type.kind == FieldType::Kind::kTable) continue;
    options = fmt::format(", {} = {}", option.name, value);
    break;
  }
  std::string text = topic.spelling;
  // NAMED contains NAME, so it is searched first.
  const size_t named = text.find("NAMED");
  if (named != text.npos) {
    return text.replace(named, 5,
                        options.empty() ? fmt::format("\"{}\"", row.name)
                                        : fmt::format("{{ name = \"{}\"{} }}", row.name, options));
  }
  std::string name = row.name;
  // An example must work when copied, so it has a number where the row of a metric has a k.
  if (topic.name == "metrics" && !RowOfMetric(name).ok()) name.back() = '5';
  text.replace(text.find("NAME"), 4, name);
  for (const DescribedField& option : row.options) {
    if (option.name == "inputs") text += "inputs = [\"COLUMN\"]\n";
    if (IsRequired(option)) text += option.name + " = \"COLUMN\"\n";
  }
  return text;
}

// Escapes "|", which would end a cell of a Markdown table.
std::string Cell(std::string text) {
  for (size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

std::string Quoted(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

// Escapes "<", which Markdown would take for an HTML tag, as in <input>__<id>.
std::string WithoutTags(std::string text) {
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

// Writes a help text as a sentence: a capital at the start, a full stop at the end.
std::string Sentence(const std::string& text) {
  std::string sentence = WithoutTags(text) + ".";
  if (sentence[0] >= 'a' && sentence[0] <= 'z') {
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  }
  return sentence;
}

}  // namespace

std::vector<Topic> ListTopics(const Catalogue& catalogue) {
  return {
      {"stages", "stage", "what a pipeline is made of, in order; all but the last add columns",
       "[[pipeline]]\nkind = \"NAME\"\n", ToCatalogueRows(catalogue.stages)},
      {"nets", "net", "what an estimator trains", "net = NAMED\n", ToCatalogueRows(catalogue.nets)},
      {"losses", "loss", "what training minimises", "loss = NAMED\n",
       ToCatalogueRows(catalogue.losses)},
      {"metrics", "metric", "what is measured on validation and test rows",
       "[train]\nmetrics = [\"NAME\"]\n", ToCatalogueRows(catalogue.metrics)},
      {"optimizers", "optimizer", "how weights are updated", "[train]\noptimizer = NAMED\n",
       catalogue.optimizers},
      {"schedules", "schedule", "how the learning rate changes from step to step",
       "[train]\nschedule = NAMED\n", catalogue.schedules},
  };
}

std::string OptionsTable(const std::vector<DescribedField>& options, const std::string& first) {
  std::vector<std::vector<std::string>> rows = {{"  " + first, "type", "default", "meaning"}};
  for (const DescribedField& option : options) {
    const bool choice = option.type.kind == FieldType::Kind::kChoice;
    rows.push_back({"  " + option.name, choice ? "text" : TypeText(option.type),
                    Spelled(option.value), DescribeOption(option)});
  }
  return WrappedTable(rows);
}

std::string FormatText(const Topic& topic, const std::string& program) {
  std::vector<std::vector<std::string>> rows;
  for (const CatalogueRow& row : topic.rows) rows.push_back({"  " + row.name, row.help});
  return fmt::format("{}: {}\n\n{}\n{} help {} NAME shows more.\n", topic.name, topic.says,
                     WrappedTable(rows), program, topic.name);
}

std::string FormatText(const Topic& topic, const CatalogueRow& row) {
  std::string text = row.name + ": " + row.help + "\n\n";
  const std::vector<DescribedField> options = ListOptions(row);
  text += options.empty() ? "  no options\n" : OptionsTable(options, "option");
  return text + "\n" + FormatExample(topic, row);
}

std::string FormatMarkdown(const Topic& topic) {
  // The topic with a capital and without the full stop.
  std::string title = Sentence(topic.name);
  title.pop_back();
  std::string page =
      fmt::format("# {}\n\n{} Written by `protium help --reference docs/reference`.\n", title,
                  Sentence(topic.says));
  for (const CatalogueRow& row : topic.rows) {
    page += fmt::format("\n## {}\n\n{}\n", row.name, Sentence(row.help));
    const std::vector<DescribedField> options = ListOptions(row);
    if (!options.empty()) page += "\n| option | type | default | meaning |\n|---|---|---|---|\n";
    for (const DescribedField& option : options) {
      const bool choice = option.type.kind == FieldType::Kind::kChoice;
      page += fmt::format(
          "| `{}` | {} | {} | {} |\n", option.name, choice ? "text" : Cell(TypeText(option.type)),
          Cell(Quoted(Spelled(option.value))), Cell(WithoutTags(DescribeOption(option))));
    }
    page += fmt::format("\n```toml\n{}```\n", FormatExample(topic, row));
  }
  return page;
}

Json RowToJson(const CatalogueRow& row) {
  return {{"name", row.name}, {"help", row.help}, {"options", DescribedToJson(row.options)}};
}

}  // namespace protium
