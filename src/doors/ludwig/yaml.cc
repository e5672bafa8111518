// SPDX-License-Identifier: Apache-2.0
#include "ludwig/yaml.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/fault.h"
#include "base/text.h"

// libyaml returns a file's contents piece by piece, and the recursion below is bounded.

namespace protium {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr int kMostLevels = 50;

struct DeleteEvent {
  void operator()(yaml_event_t* event) const {
    // Frees the event's contents, not the event.
    yaml_event_delete(event);
    delete event;
  }
};
using Event = std::unique_ptr<yaml_event_t, DeleteEvent>;

int64_t LineOf(const yaml_event_t& event) { return int64_t(event.start_mark.line) + 1; }

std::string_view TextOf(const yaml_event_t& event) {
  return {reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length};
}

// YAML 1.2, section 10.3.2, for scalars without quotes.
bool IsNull(const yaml_event_t& event) {
  const std::string_view text = TextOf(event);
  return event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
         (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : file_(file) {
    ready_ = yaml_parser_initialize(&parser_) == 1;
    if (!ready_) return;
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Reader() {
    if (ready_) yaml_parser_delete(&parser_);
  }
  // The parser points to itself after its input is set, so it must not be moved.
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The events of a file are: start of the stream, start of a document, a value, end of the
  // document, end of the stream or another start.
  Result<Yaml> Read() {
    if (!ready_) return Fail({.exit = Exit::kNoRoom, .what = "no memory to read " + file_});
    Event event;
    do {
      PT_LET(event, Next());
      if (event->type == YAML_STREAM_END_EVENT) return Yaml({});
    } while (event->type == YAML_STREAM_START_EVENT || event->type == YAML_DOCUMENT_START_EVENT);
    PT_LET(Yaml root, Value(*event, 0));
    PT_LET(event, Next());
    PT_LET(event, Next());
    if (event->type != YAML_STREAM_END_EVENT) return Refuse(LineOf(*event), "a second document");
    return root;
  }

 private:
  Status Refuse(int64_t line, std::string what) const {
    return Fail({.exit = Exit::kInput,
                 .what = std::move(what),
                 .where = fmt::format("{}:{}", file_, line)});
  }

  Result<Event> Next() {
    Event event(new yaml_event_t());
    if (yaml_parser_parse(&parser_, event.get()) == 1) return event;
    const char* const problem = parser_.problem == nullptr ? "no YAML" : parser_.problem;
    return Refuse(int64_t(parser_.problem_mark.line) + 1, fmt::format("not YAML: {}", problem));
  }

  Result<Yaml> Value(const yaml_event_t& event, int level) {
    const int64_t line = LineOf(event);
    if (level > kMostLevels) return Refuse(line, "more than 50 levels");
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return Yaml({.kind = IsNull(event) ? Yaml::Kind::kNull : Yaml::Kind::kText,
                     .line = line,
                     .text = std::string(TextOf(event))});
      case YAML_SEQUENCE_START_EVENT:
        return List(line, level);
      case YAML_MAPPING_START_EVENT:
        return Map(line, level);
      default:
        // Nothing else can occur: the end of a list, a map or a document is taken where it began.
        return Refuse(line, "an alias, which is not read here: write out what it stands for");
    }
  }

  Result<Yaml> List(int64_t line, int level) {
    Yaml::Parts list{.kind = Yaml::Kind::kList, .line = line};
    while (true) {
      PT_LET(const Event event, Next());
      if (event->type == YAML_SEQUENCE_END_EVENT) return Yaml(std::move(list));
      PT_LET(Yaml item, Value(*event, level + 1));
      list.items.push_back(std::move(item));
    }
  }

  Result<Yaml> Map(int64_t line, int level) {
    Yaml::Parts map{.kind = Yaml::Kind::kMap, .line = line};
    std::set<std::string> names;
    while (true) {
      PT_LET(const Event key, Next());
      if (key->type == YAML_MAPPING_END_EVENT) return Yaml(std::move(map));
      if (key->type != YAML_SCALAR_EVENT) return Refuse(LineOf(*key), "a key that is not text");
      std::string name(TextOf(*key));
      // YAML forbids it, but libyaml lets it pass.
      if (!names.insert(name).second) {
        return Refuse(LineOf(*key), fmt::format("the key \"{}\" twice", name));
      }
      PT_LET(const Event event, Next());
      PT_LET(Yaml value, Value(*event, level + 1));
      map.entries.emplace_back(std::move(name), std::move(value));
    }
  }

  const std::string& file_;
  yaml_parser_t parser_;
  bool ready_ = false;
};

std::optional<bool> TruthOf(const std::string& text) {
  // YAML 1.1, which PyYAML reads, also has yes, no, on and off, each also as Yes and YES.
  const std::string word = Lower(text);
  for (const char* yes : {"true", "yes", "on"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"false", "no", "off"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

}  // namespace

Yaml::Yaml(Parts parts)
    : kind_(parts.kind),
      line_(parts.line),
      text_(std::move(parts.text)),
      items_(std::move(parts.items)),
      entries_(std::move(parts.entries)) {}

Result<Yaml> Yaml::Parse(std::string_view text, const std::string& file) {
  arrow::util::InitializeUTF8();
  if (text.size() > kMostBytes || !arrow::util::ValidateUTF8(text)) {
    return Fail({.exit = Exit::kInput,
                 .what = text.size() > kMostBytes ? "the file has more than 1 MiB"
                                                  : "the file is not UTF-8",
                 .where = file});
  }
  return Reader(text, file).Read();
}

Yaml* Yaml::Take(std::string_view key) {
  for (auto& [name, value] : entries_) {
    if (name != key) continue;
    value.taken_ = true;
    return value.is_null() ? nullptr : &value;
  }
  return nullptr;
}

std::optional<std::string> Yaml::TakeText(std::string_view key) {
  for (auto& [name, value] : entries_) {
    if (name != key || value.kind_ != Kind::kText) continue;
    value.taken_ = true;
    return value.text_;
  }
  return std::nullopt;
}

std::optional<std::string> Yaml::TakeWord(std::string_view key) {
  const auto same = [&](const auto& entry) { return entry.first == key; };
  const auto found = std::ranges::find_if(entries_, same);
  if (found == entries_.end() || !found->second.is_null()) return TakeText(key);
  found->second.taken_ = true;
  return "null";
}

std::optional<double> Yaml::TakeNumber(std::string_view key) {
  for (auto& [name, value] : entries_) {
    if (name != key || value.kind_ != Kind::kText) continue;
    // A text that is not a number remains untaken, so that it is reported.
    const auto number = AllAsNumber<double>(value.text_);
    value.taken_ = value.taken_ || number.has_value();
    return number;
  }
  return std::nullopt;
}

std::optional<bool> Yaml::TakeTruth(std::string_view key) {
  for (auto& [name, value] : entries_) {
    if (name != key || value.kind_ != Kind::kText) continue;
    const auto truth = TruthOf(value.text_);
    value.taken_ = value.taken_ || truth.has_value();
    return truth;
  }
  return std::nullopt;
}

void Yaml::TakeAll() {
  taken_ = true;
  for (Yaml& item : items_) item.TakeAll();
  for (auto& [name, value] : entries_) value.TakeAll();
}

std::string Yaml::Shown() const {
  if (kind_ == Kind::kText) return text_.size() > 60 ? text_.substr(0, 57) + "..." : text_;
  return kind_ == Kind::kList ? "[...]" : "{...}";
}

void Yaml::AddUntaken(const std::string& path, std::vector<Left>& left) const {
  if (is_null()) return;
  // Nothing below an entry taken as a whole counts, except in maps and lists of maps.
  for (size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].kind_ == Kind::kMap) {
      items_[i].AddUntaken(fmt::format("{}[{}]", path, i), left);
    }
  }
  for (const auto& [name, value] : entries_) {
    const std::string full = path.empty() ? name : path + "." + name;
    if (value.taken_) {
      value.AddUntaken(full, left);
    } else if (!value.is_null()) {
      left.push_back({value.line_, fmt::format("{}: {}", full, value.Shown())});
    }
  }
}

std::vector<Yaml::Left> Yaml::Untaken() const {
  std::vector<Left> left;
  AddUntaken("", left);
  std::ranges::stable_sort(left, {}, &Left::line);
  return left;
}

}  // namespace protium
