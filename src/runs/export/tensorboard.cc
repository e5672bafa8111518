// SPDX-License-Identifier: Apache-2.0
// Writes an event file of TensorBoard. Field numbers are those of its tensorflow.Event, Summary,
// TensorProto and hparams' plugin_data.proto.
#include <fmt/format.h>

#include <utility>

#include "export/formats.h"
#include "export/record_file.h"
#include "export/wire.h"

namespace protium {

namespace {

constexpr int kTypeString = 7;  // DT_STRING

// Event: wall_time 1, step 2, file_version 3, summary 5. Summary: value 1.
WireMessage EventWith(double time, int64_t step, const WireMessage& value) {
  WireMessage summary, event;
  summary.Message(1, value);
  event.Double(1, time).Varint(2, uint64_t(step)).Message(5, summary);
  return event;
}

// Summary.Value: tag 1, simple_value 2.
WireMessage ScalarValue(const std::string& tag, double value) {
  WireMessage made;
  made.Bytes(1, tag).Float(2, float(value));
  return made;
}

// SummaryMetadata: plugin_data 1 {plugin_name 1, content 2}.
WireMessage Metadata(const std::string& plugin, std::string_view content) {
  WireMessage data, metadata;
  data.Bytes(1, plugin);
  if (!content.empty()) data.Bytes(2, content);
  metadata.Message(1, data);
  return metadata;
}

// Summary.Value: tag 1, tensor 8, metadata 9; TensorProto: dtype 1, tensor_shape 2, string_val 8.
WireMessage TextValue(const std::string& tag, const std::string& text) {
  WireMessage tensor, value;
  tensor.Varint(1, kTypeString).Message(2, WireMessage()).Bytes(8, text);
  value.Bytes(1, tag).Message(9, Metadata("text", "")).Message(8, tensor);
  return value;
}

// google.protobuf.Value: number 2, string 3, bool 4.
WireMessage SettingValue(const Json& value) {
  WireMessage made;
  if (value.is_boolean())
    made.Varint(4, value.get<bool>() ? 1 : 0);
  else if (value.is_number())
    made.Double(2, value.get<double>());
  else
    made.Bytes(3, value.is_string() ? value.get<std::string>() : Dump(value));
  return made;
}

// HParamsPluginData: session_start_info 3 {hparams 1 (a map), start_time_secs 5}.
WireMessage HparamsValue(const Json& settings, double started) {
  WireMessage start, data, value;
  for (const auto& [key, setting] : settings.items()) {
    // SQL and other texts of many lines are not parameters.
    if (setting.is_null() || Dump(setting).size() > 200) continue;
    WireMessage entry;
    entry.Bytes(1, key).Message(2, SettingValue(setting));
    start.Message(1, entry);
  }
  start.Double(5, started);
  data.Message(3, start);
  value.Bytes(1, "_hparams_/session_start_info").Message(9, Metadata("hparams", data.bytes()));
  return value;
}

// HParamsPluginData: session_end_info 4 {status 1: 1 success, 2 failure; end_time_secs 2}.
WireMessage EndValue(bool success, double ended) {
  WireMessage end, data, value;
  end.Varint(1, success ? 1 : 2).Double(2, ended);
  data.Message(4, end);
  value.Bytes(1, "_hparams_/session_end_info").Message(9, Metadata("hparams", data.bytes()));
  return value;
}

// A Markdown table, which the text view shows.
std::string SettingsText(const RunFacts& facts) {
  std::string text = "| key | value |\n|---|---|\n";
  for (const auto& [key, value] : facts.settings.items()) {
    std::string shown = value.is_string() ? value.get<std::string>() : Dump(value);
    for (char& c : shown) c = (c == '\n' || c == '|') ? ' ' : c;
    text += fmt::format("| {} | {} |\n", key, shown);
  }
  return text;
}

// The metrics of the held-out rows, at the last step.
void AddTestMetrics(const RunFacts& facts, double time, std::string& file) {
  const Json metrics = facts.result.value("metrics", Json());
  const Json test = metrics.is_object() ? metrics.value("test", Json()) : Json();
  const Json steps = facts.result.value("steps", Json());
  if (!test.is_object()) return;
  for (const auto& [name, value] : test.items()) {
    if (!value.is_number()) continue;
    const int64_t step = steps.is_number() ? steps.get<int64_t>() : 0;
    AppendRecord(EventWith(time, step, ScalarValue("test/" + name, value.get<double>())).bytes(),
                 file);
  }
}

// The first record of a file.
std::string VersionRecord(double time) {
  WireMessage version;
  version.Double(1, time).Bytes(3, "brain.Event:2");
  std::string file;
  AppendRecord(version.bytes(), file);
  return file;
}

// A trial is a session of its own: its values as hparams, its metrics and what it was on the way.
std::string TrialFile(const RunFacts& facts, const TriedTrial& trial) {
  const auto found = facts.trial_spans.find(trial.number);
  const TrialSpan span = found == facts.trial_spans.end() ? TrialSpan() : found->second;
  const double began = SecondsOf(span.began), ended = SecondsOf(span.ended);
  std::string file = VersionRecord(began);
  const auto add = [&](double time, int64_t step, const WireMessage& value) {
    AppendRecord(EventWith(time, step, value).bytes(), file);
  };
  const std::vector<TriedObjective>& objectives = facts.search->objectives;
  add(began, 0, HparamsValue(trial.values, began));
  const auto curve = facts.trial_curves.find(trial.number);
  for (size_t i = 0; curve != facts.trial_curves.end() && i < curve->second.size(); ++i) {
    add(ended, int64_t(i) + 1, ScalarValue("validation/" + objectives[0].metric, curve->second[i]));
  }
  if (trial.value) {
    add(ended, trial.best_epoch, ScalarValue("trial/" + objectives[0].metric, *trial.value));
  }
  for (size_t i = 1; i < trial.measured.size(); ++i) {
    add(ended, trial.best_epoch, ScalarValue("trial/" + objectives[i].metric, trial.measured[i]));
  }
  add(ended, 0, EndValue(trial.state == "done", ended));
  return file;
}

void AddTrials(const RunFacts& facts, Exported& made) {
  if (!facts.search) return;
  for (const TriedTrial& each : facts.search->trials) {
    made.beside.push_back({fmt::format("trial-{:03}", each.number), TrialFile(facts, each)});
  }
}

}  // namespace

Exported WriteTensorBoard(const RunFacts& facts) {
  Exported made{.left_out = {"single steps: a run records at most two per second",
                             "histograms of weights and gradients: the run does not record them",
                             "more than seven digits: TensorBoard's scalars are 32-bit floats"}};
  const double started = SecondsOf(TextAt(facts.run, "started"));
  const double ended = SecondsOf(TextAt(facts.run, "ended"));
  made.bytes = VersionRecord(started);
  if (!facts.settings.empty()) {
    AppendRecord(EventWith(started, 0, HparamsValue(facts.settings, started)).bytes(), made.bytes);
    AppendRecord(EventWith(started, 0, TextValue("settings", SettingsText(facts))).bytes(),
                 made.bytes);
  }
  for (const auto& [name, points] : facts.series) {
    for (const SeriesPoint& point : points) {
      AppendRecord(EventWith(point.time, point.step, ScalarValue(name, point.value)).bytes(),
                   made.bytes);
    }
  }
  AddTestMetrics(facts, ended > 0 ? ended : started, made.bytes);
  if (!facts.settings.empty() && ended > 0) {
    AppendRecord(EventWith(ended, 0, EndValue(TextAt(facts.run, "state") == "done", ended)).bytes(),
                 made.bytes);
  }
  AddTrials(facts, made);
  return made;
}

}  // namespace protium
