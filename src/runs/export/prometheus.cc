// SPDX-License-Identifier: Apache-2.0
// Writes the text that Prometheus scrapes (exposition format 0.0.4), and its successor OpenMetrics
// 1.0.
#include "base/prometheus.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "export/formats.h"

namespace protium {

namespace {

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// Groups all samples of a name below one heading, as both formats require.
class Families {
 public:
  void Add(const std::string& name, const std::string& help, const std::string& labels,
           double value) {
    Family& family = families_[name];
    family.help = help;
    family.samples += fmt::format("{}{{{}}} {}\n", name, labels, NumberText(value));
  }
  std::string Text(bool open_metrics) const {
    std::string text;
    for (const auto& [name, family] : families_) {
      text +=
          fmt::format("# HELP {} {}\n# TYPE {} gauge\n{}", name, family.help, name, family.samples);
    }
    return open_metrics ? text + "# EOF\n" : text;
  }

 private:
  struct Family {
    std::string help, samples;
  };
  std::map<std::string, Family> families_;
};

// "train/loss" becomes protium_train_loss; a metric's name is a label, since a program may choose
// it.
void AddSeries(const RunFacts& facts, const std::string& run, Families& families) {
  for (const auto& [name, points] : facts.series) {
    if (points.empty()) continue;
    const size_t slash = name.find('/');
    const std::string group = name.substr(0, slash), rest = name.substr(slash + 1);
    if (group == "validation") {
      families.Add("protium_validation", "metrics of the last validation",
                   fmt::format("{},metric=\"{}\"", run, LabelText(rest)), points.back().value);
    } else {
      families.Add(fmt::format("protium_{}_{}", group, rest), "the last value of " + name, run,
                   points.back().value);
    }
  }
  const auto loss = facts.series.find("train/loss");
  if (loss != facts.series.end() && !loss->second.empty()) {
    families.Add("protium_train_step", "steps taken", run, double(loss->second.back().step));
  }
}

// Adds the numbers of an object, each as a sample with its name as a label.
void AddNumbers(const Json& object, const char* name, const char* help, const char* label,
                const std::string& run, Families& families) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_number()) continue;
    families.Add(name, help, fmt::format("{},{}=\"{}\"", run, label, LabelText(key)),
                 value.get<double>());
  }
}

void AddRun(const RunFacts& facts, Families& families) {
  const std::string run = fmt::format("run=\"{}\"", LabelText(facts.id));
  const std::string state = TextAt(facts.run, "state");
  families.Add("protium_run_state", "1 for the state that the run is in",
               fmt::format("{},state=\"{}\"", run, LabelText(state)), 1);
  families.Add("protium_run_started_seconds", "when it started, since 1970", run,
               SecondsOf(TextAt(facts.run, "started")));
  AddSeries(facts, run, families);
  const Json metrics = facts.result.value("metrics", Json());
  for (const char* set : {"test", "baseline"}) {
    const Json values = metrics.is_object() ? metrics.value(set, Json()) : Json();
    AddNumbers(values, std::string(set) == "test" ? "protium_test" : "protium_baseline",
               "metrics of the held-out rows", "metric", run, families);
  }
  AddNumbers(facts.result.value("seconds", Json()), "protium_part_seconds",
             "seconds of the parts of the run", "part", run, families);
}

Exported Made(const RunFacts& facts, bool open_metrics) {
  const RunFacts* const one[] = {&facts};
  return {.bytes = PrometheusText(one, open_metrics),
          .left_out = {"curves: the format holds the last values; csv has all",
                       "settings: they are not numbers"}};
}

}  // namespace

std::string PrometheusText(std::span<const RunFacts* const> runs, bool open_metrics) {
  Families families;
  for (const RunFacts* run : runs) AddRun(*run, families);
  return families.Text(open_metrics);
}

Exported WritePrometheus(const RunFacts& facts) { return Made(facts, false); }

Exported WriteOpenMetrics(const RunFacts& facts) { return Made(facts, true); }

}  // namespace protium
